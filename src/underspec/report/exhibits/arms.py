"""Arms: the items of one condition, how it is named, and which tasks several of them share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.measure.scores import TaskScores
from underspec.report.exhibits.evidence import Entry, Evidence
from underspec.report.scores import primary, task_scores

Score = Callable[[Entry], float | None]
NO_MODEL = "no model"
HIDING = frozenset(("L1", "L2", "L3"))
_ASKING = ("stakeholder", "router", "stakeholder_model", "budget", "most_rounds", "most_revisions")


@dataclass(frozen=True, eq=False)
class Arm:
    """All items of one condition, of whatever run."""

    condition: Condition
    entries: Sequence[Entry]

    @cached_property
    def by_task(self) -> dict[str, list[Entry]]:
        """Items of each task."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.task, []).append(entry)
        return found

    @property
    def measure(self) -> str:
        """What it is ranked by."""
        return primary(self.condition)

    def on(self, tasks: Iterable[str]) -> list[Entry]:
        """Its items of these tasks."""
        return [entry for task in tasks for entry in self.by_task.get(task, ())]

    def scores(self, figure: Score | str, tasks: Iterable[str]) -> TaskScores:
        """One mean a task, over the items that have the figure."""
        if isinstance(figure, str):
            return task_scores([entry.one for entry in self.on(tasks)], figure)
        return TaskScores.of((entry.task, figure(entry)) for entry in self.on(tasks))

    def cases(self, view: str, tasks: Iterable[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Passed and all cases of each task over its epochs, for pooled rates; tasks without cases have 0 of 0."""
        pairs = [
            [sum(entry.cases.get(view, (0, 0))[place] for entry in self.by_task.get(task, ())) for place in (0, 1)]
            for task in tasks
        ]
        table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    @property
    def router(self) -> str:
        """Who answered its questions."""
        condition = self.condition
        if not condition.asks:
            return "nobody"
        model = condition.stakeholder_model
        if condition.protocol != "build":
            return f"client and supervisor: {model or NO_MODEL}"
        return f"{condition.router}: {model}" if model else condition.router

    @cached_property
    def image(self) -> str:
        """The image that it worked in, and what it was graded in: ``host``, or the beginning of a digest."""
        found = dict.fromkeys(_short_image(entry.image) for entry in self.entries if entry.image)
        return (
            f"{self.condition.image} ({', '.join(list(found)[:3])}{', …' if len(found) > 3 else ''})"
            if found
            else (self.condition.image)
        )

    @property
    def model(self) -> str:
        """The builder's model."""
        return self.condition.model or NO_MODEL

    @property
    def agent(self) -> str:
        """The agent, and what it runs."""
        command = self.condition.command
        return f"{self.condition.agent} ({command})" if command else self.condition.agent


def _short_image(digest: str) -> str:
    kind, colon, _rest = digest.partition(":")
    if kind == "host":
        return "host"
    return digest[: len(kind) + 13] if colon else digest[:12]


def arms(evidence: Evidence, *, protocol: Callable[[Condition], bool]) -> list[Arm]:
    """One arm a condition that ``protocol`` keeps, in the order of the runs."""
    found: dict[str, list[Entry]] = {}
    ids: dict[int, str] = {}
    for entry in evidence.entries:
        condition = entry.condition
        if id(condition) not in ids:
            ids[id(condition)] = condition.id
        if protocol(condition):
            found.setdefault(ids[id(condition)], []).append(entry)
    return [Arm(entries[0].condition, tuple(entries)) for entries in found.values()]


def builds(evidence: Evidence) -> list[Arm]:
    """Conditions of ICAE-Bench's kind: graded by cases."""
    return arms(evidence, protocol=lambda condition: condition.protocol == "build")


def clarified(evidence: Evidence) -> list[Arm]:
    """Conditions of SWE-Clar's kind: requirement units, tested and asked about."""
    return arms(evidence, protocol=lambda condition: condition.protocol != "build")


def setting(condition: Condition, varied: Iterable[str]) -> dict[str, Any]:
    """What a condition has besides the ``varied`` fields. What only matters to who asks is left out where nobody is."""
    fields = condition.model_dump(mode="json")
    dropped = set(varied) | (set() if condition.asks else set(_ASKING))
    return {name: value for name, value in fields.items() if name not in dropped}


def grouped(found: Sequence[Arm], varied: Iterable[str]) -> list[list[Arm]]:
    """Arms that differ in nothing but the ``varied`` fields, the groups with most items first."""
    fields = frozenset(varied)
    groups: dict[str, list[Arm]] = {}
    for arm in found:
        groups.setdefault(digest_of(setting(arm.condition, fields)), []).append(arm)
    return sorted(groups.values(), key=lambda group: -sum(len(arm.entries) for arm in group))


def leading(groups: Sequence[Sequence[Arm]]) -> list[Arm]:
    """The group with most items, the nearest to the defaults of equals, without arms that were planned on fewer tasks
    (:func:`widest`)."""
    if not groups:
        return []

    def place(group: Sequence[Arm]) -> tuple[int, int]:
        return -sum(len(arm.entries) for arm in group), min(len(arm.condition.identity()) for arm in group)

    return widest(min(groups, key=place))


def joined(found: Sequence[Arm], fields: Sequence[str]) -> list[Arm]:
    """Arms of one group by their values of ``fields``: those that are the same but for what nobody is asked by, as
    one."""
    by_value: dict[tuple[Any, ...], list[Arm]] = {}
    for arm in found:
        by_value.setdefault(tuple(getattr(arm.condition, field) for field in fields), []).append(arm)
    return [
        Arm(same[0].condition, [entry for arm in same for entry in arm.entries]) if len(same) > 1 else same[0]
        for same in by_value.values()
    ]


def families(found: Sequence[Arm], fields: Sequence[str], *, unasked: Callable[[Condition], bool]) -> list[list[Arm]]:
    """Groups of two arms or more that differ in ``fields`` alone, those with most items first.

    Arms that are ``unasked`` by the value of such a field (the whole request, no question allowed) belong to every
    group that is otherwise the same, whoever is asked in it.
    """
    whole: list[list[Arm]] = []
    for group in grouped(found, (*fields, *_ASKING)):
        fixed = [arm for arm in group if unasked(arm.condition)]
        asking = grouped([arm for arm in group if not unasked(arm.condition)], fields)
        whole += [joined([*each, *fixed], fields) for each in asking or [[]]]
    return sorted((each for each in whole if len(each) > 1), key=lambda each: -sum(len(arm.entries) for arm in each))


_SHOWN = (
    ("model", "{}"),
    ("agent", "{}"),
    ("command", "{}"),
    ("thinking", "thinking {}"),
    ("protocol", "{}"),
    ("information", "{} information"),
    ("exposure", "{}"),
    ("router", "{}"),
    ("stakeholder_model", "asked {}"),
    ("stakeholder", "{}"),
    ("budget", "{} questions"),
    ("scaffold", "scaffold {}"),
    ("image", "{} image"),
    ("language", "in {}"),
)


def labels(found: Sequence[Arm]) -> list[str]:
    """A short name of each arm among the others: its model, or its agent where there is none, and whatever varies."""
    dumps = [arm.condition.model_dump(mode="json") for arm in found]
    varying = {name for name in (dumps[0] if dumps else ()) if len({str(dump[name]) for dump in dumps}) > 1}
    models = {dump["model"] for dump in dumps if dump["model"]}
    short = {model: model.rpartition("/")[2] or model for model in models}
    if len(set(short.values())) < len(models):
        short = {model: model for model in models}
    shown = [_label({**dump, "model": short.get(dump["model"])}, varying) for dump in dumps]
    twice = {name for name, number in Counter(shown).items() if number > 1}
    return [
        f"{name} [{arm.condition.id[:6]}]" if name in twice else name for name, arm in zip(shown, found, strict=True)
    ]


def _label(dump: Mapping[str, Any], varying: set[str]) -> str:
    kept = {"model" if dump["model"] else "agent"} | varying
    known = {name for name, _text in _SHOWN}
    order = [*_SHOWN, *((name, name.replace("_", " ") + " {}") for name in sorted(varying - known))]
    return ", ".join(text.format(word(dump[name])) for name, text in order if name in kept and dump[name] is not None)


def word(value: Any) -> str:
    """A value of a condition's field as a word."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "default" if value is None else str(value)


def widest(found: Sequence[Arm]) -> list[Arm]:
    """Those of the arms that were planned on the same tasks, of which there are most: a few tasks on which many things
    were tried do not cut down what was planned on all of them."""
    # In the order of the arms, so that equals are told apart the same way every time.
    plans = list(dict.fromkeys(frozenset(arm.by_task) for arm in found))
    chosen = max(plans, key=lambda plan: (len(plan) * sum(plan <= arm.by_task.keys() for arm in found), len(plan)))
    return [arm for arm in found if chosen <= arm.by_task.keys()]


@dataclass(frozen=True)
class Matched:
    """The tasks that all ``arms`` have scored in one version. ``left_out`` counts the others of ``planned``, by reason;
    ``empty`` arms have nothing scored, and count for nothing here."""

    arms: Sequence[Arm]
    tasks: Sequence[str]
    planned: Sequence[str]
    left_out: Mapping[str, int]
    empty: Sequence[Arm] = ()


def matched(found: Sequence[Arm], figure: Score | str | None = None) -> Matched:
    """Match arms by the measure that they are ranked by, or by another one."""
    have = {id(arm): set(arm.scores(figure or arm.measure, arm.by_task).tasks) for arm in found}
    full = [arm for arm in found if have[id(arm)]]
    everything = sorted({task for arm in full for task in arm.by_task})
    tasks: list[str] = []
    left_out: Counter[str] = Counter()
    for task in everything:
        if any(task not in arm.by_task for arm in full):
            left_out["not planned in every row"] += 1
        elif any(task not in have[id(arm)] for arm in full):
            left_out["not scored in every row"] += 1
        elif len({entry.stamp for arm in full for entry in arm.by_task[task] if entry.stamp is not None}) > 1:
            left_out["graded from several versions of the task, or by several rules"] += 1
        else:
            tasks.append(task)
    empty = [arm for arm in found if not have[id(arm)]]
    return Matched(full, tasks, everything, dict(left_out), empty)


def shared(found: Sequence[Arm], figure: Score | str, tasks: Sequence[str]) -> list[str]:
    """Those of the tasks in which every arm has the figure that has it in any: what stands beside a score may be
    missing where the score is there."""
    have = [set(arm.scores(figure, tasks).tasks) for arm in found]
    some = [names for names in have if names]
    common = set.intersection(*some) if some else set()
    return [task for task in tasks if task in common]


def one_each(found: Sequence[Matched]) -> tuple[list[Matched], int]:
    """Of each builder the family with most arms, and how many others there are: a figure has no room for all."""
    kept: dict[tuple[Any, ...], Matched] = {}
    for family in sorted(found, key=lambda each: -len(each.arms)):
        condition = family.arms[0].condition
        kept.setdefault((condition.agent, condition.command, condition.model, condition.thinking), family)
    return [family for family in found if family in kept.values()], len(found) - len(kept)
