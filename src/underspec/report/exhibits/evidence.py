"""What exhibits are made of: the items of all runs, and what else can be read of them, each read once and when
needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from underspec.artifact.condition import Condition
from underspec.artifact.outcomes import CaseOutcome
from underspec.errors import UnderspecError
from underspec.measure.disclosure import SourceConversation
from underspec.measure.interaction import Interaction, interaction
from underspec.report.collect import Collected
from underspec.report.durations import builder_seconds
from underspec.report.exhibits.facts import TaskFacts, facts_of
from underspec.report.exhibits.human import HumanScores
from underspec.report.runs import Run
from underspec.run.labels import ItemLabels, item_labels
from underspec.run.store import RunStore
from underspec.task.model import Task

CASE_VIEWS = ("public", "native", "enhanced", "hidden", "overall")
Counted = tuple[int, int]
"""Passed, and all."""


def stored_seconds(run: Run, one: Collected) -> float | None:
    """How long the builder worked, from the run's folder."""
    return builder_seconds(RunStore(run.folder), one.item)


def stored_labels(run: Run, one: Collected, task: Task) -> ItemLabels | None:
    """The labels of an item's clarification, from the run's folder."""
    return item_labels(RunStore(run.folder), one.item, task)


@dataclass(frozen=True, eq=False)
class Entry:
    """One item of one run, with figures of it that are made once."""

    run: Run
    one: Collected

    @property
    def task(self) -> str:
        """The id of its task."""
        return self.one.item.task

    @property
    def condition(self) -> Condition:
        """What it was made under."""
        return self.one.item.condition

    @cached_property
    def cases(self) -> dict[str, Counted]:
        """Passed and all cases in each of :data:`CASE_VIEWS`; empty without a grade."""
        if self.one.outcomes is None:
            return {}
        passed, total = dict.fromkeys(CASE_VIEWS, 0), dict.fromkeys(CASE_VIEWS, 0)
        for case in self.one.outcomes.cases:
            views = [str(case.suite)]
            if case.suite != "public":
                views += ["overall", "hidden"] if case.hidden else ["overall"]
            for view in views:
                total[view] += 1
                passed[view] += case.outcome is CaseOutcome.PASS
        return {view: (passed[view], total[view]) for view in CASE_VIEWS}

    def rate(self, view: str) -> float | None:
        """The share of a view's cases that pass; None where there is no grade or no such case."""
        passed, total = self.cases.get(view, (0, 0))
        return passed / total if total else None

    @cached_property
    def asked(self) -> Interaction | None:
        """Interaction quality, where a User Agent was to be asked."""
        return interaction(self.one.session) if self.one.session is not None else None

    @property
    def stamp(self) -> tuple[str, str] | None:
        """The task's digest and the rule of comparison that the score was made by; scores of two stamps do not
        compare."""
        if self.one.outcomes is not None:
            return self.one.outcomes.task_digest, self.one.outcomes.comparison
        if self.one.clarified is not None and self.one.clarified.acceptance is not None:
            return self.one.clarified.acceptance.task_digest, "tests"
        return None

    @property
    def image(self) -> str | None:
        """The digest of the image that it was graded in."""
        if self.one.outcomes is not None:
            return self.one.outcomes.image
        accepted = self.one.clarified.acceptance if self.one.clarified else None
        return accepted.image if accepted else None


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that exhibits are made of.

    ``human`` are people's scores of deliverables (ICAE Table XVI), ``conversations`` recorded ones that tasks were made
    of (SWE-Clar Figure 4); None where there are none. ``seconds`` and ``labels`` read the runs' folders.
    """

    runs: Sequence[Run]
    find_task: Callable[[str], Task]
    human: HumanScores | None = None
    conversations: Sequence[SourceConversation] | None = None
    read_seconds: Callable[[Run, Collected], float | None] = stored_seconds
    read_labels: Callable[[Run, Collected, Task], ItemLabels | None] = stored_labels
    _facts: dict[str, TaskFacts | None] = field(default_factory=dict)
    _missing: dict[str, str] = field(default_factory=dict)
    _labels: dict[int, ItemLabels | None] = field(default_factory=dict)
    _seconds: dict[int, float | None] = field(default_factory=dict)

    @cached_property
    def entries(self) -> list[Entry]:
        """Every item of every run, in the runs' order."""
        return [Entry(run, one) for run in self.runs for one in run.items]

    @cached_property
    def task_ids(self) -> list[str]:
        """Every task that any run has an item of, in name order."""
        return sorted({entry.task for entry in self.entries})

    @cached_property
    def _by_task(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.task, []).append(entry)
        return found

    def _read_task(self, task_id: str) -> None:
        """All that a task is needed for, since it is large, and loaded once."""
        if task_id in self._facts:
            return
        try:
            task = self.find_task(task_id)
        except UnderspecError as error:
            self._facts[task_id] = None
            self._missing[task_id] = error.message
            return
        for entry in self._by_task.get(task_id, ()):
            if entry.one.clarified is not None:
                self._labels[id(entry)] = self.read_labels(entry.run, entry.one, task)
        self._facts[task_id] = facts_of(task)

    def facts(self, task_id: str) -> TaskFacts | None:
        """What is known of a task; None where it is not to be had, which exhibits say."""
        self._read_task(task_id)
        return self._facts[task_id]

    @cached_property
    def tasks(self) -> list[TaskFacts]:
        """Every task that is to be had, in name order."""
        return [facts for task_id in self.task_ids if (facts := self.facts(task_id)) is not None]

    @property
    def unknown_tasks(self) -> dict[str, str]:
        """Those that are not to be had, with what was said of each."""
        return {task_id: self._missing[task_id] for task_id in self.task_ids if self.facts(task_id) is None}

    def seconds(self, entry: Entry) -> float | None:
        """Wall time of an item's builder."""
        if id(entry) not in self._seconds:
            self._seconds[id(entry)] = self.read_seconds(entry.run, entry.one)
        return self._seconds[id(entry)]

    def labels(self, entry: Entry) -> ItemLabels | None:
        """Labels of an item's clarification; None where there are none, or its task is not to be had."""
        self._read_task(entry.task)
        return self._labels.get(id(entry))
