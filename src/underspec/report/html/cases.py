"""Failing cases for a reader: which ones, and what was expected and came, where that may be shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from markupsafe import Markup

from underspec.artifact.failures import MOST_BYTES, FailedCase, Failures
from underspec.artifact.outcomes import SUITES, CaseOutcome, Outcomes, SuiteName
from underspec.errors import TaskError, UsageError
from underspec.report.html.diff import Line, diff
from underspec.report.html.visible import prose
from underspec.task.model import Case, Task
from underspec.task.release import reader_cases

_MOST_FILES = 40
_MOST_INDICES = 24
_MOST_HTML = 150_000

Place = tuple[SuiteName, str, int]


@dataclass(frozen=True)
class FileLine:
    """The failing cases of one file, by outcome: ``("mismatch", "#0, #4")``."""

    file: str
    outcomes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SuiteFailures:
    """All failing cases of a suite by file; ``left_out`` counts files beyond those listed."""

    suite: str
    failing: int
    total: int
    files: tuple[FileLine, ...]
    left_out: int


@dataclass(frozen=True)
class CaseView:
    """One failing case with its difference. ``notes`` say what is not shown, and why."""

    suite: str
    file: str
    index: int
    outcome: str
    input: Markup | None
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


def failing_by_file(outcomes: Outcomes) -> tuple[SuiteFailures, ...]:
    """What fails, suite by suite. Names and places only."""
    found = []
    for suite in SUITES:
        cases = outcomes.suite(suite)
        by_file: dict[str, dict[CaseOutcome, list[int]]] = {}
        totals = Counter(case.file for case in cases)
        for case in cases:
            if case.outcome is not CaseOutcome.PASS:
                by_file.setdefault(case.file, {}).setdefault(case.outcome, []).append(case.index)
        lines = tuple(
            FileLine(file, tuple((str(outcome), _indices(places, totals[file])) for outcome, places in of_file.items()))
            for file, of_file in list(by_file.items())[:_MOST_FILES]
        )
        failing = sum(case.outcome is not CaseOutcome.PASS for case in cases)
        if failing:
            found.append(SuiteFailures(suite, failing, len(cases), lines, max(0, len(by_file) - _MOST_FILES)))
    return tuple(found)


def _indices(places: list[int], total: int) -> str:
    if len(places) == total > 1:
        return f"all {total}"
    shown = ", ".join(f"#{place}" for place in places[:_MOST_INDICES])
    return shown if len(places) <= _MOST_INDICES else f"{shown} and {len(places) - _MOST_INDICES} more"


class TaskCases:
    """The cases that failed, taken from their tasks as far as they may be shown.

    ``find`` gives a task by id, or raises why it cannot. Each task is loaded once, and only what is wanted is kept.
    """

    def __init__(self, find: Callable[[str], Task], *, show_hidden: bool):
        self._find = find
        self.show_hidden = show_hidden
        self._digests: dict[str, str] = {}
        self._reasons: dict[str, str] = {}
        self._cases: dict[tuple[str, Place], Case] = {}

    def gather(self, wanted: Iterable[tuple[str, Iterable[FailedCase]]]) -> None:
        """Take the cases of failures, given with the ids of their tasks."""
        places: dict[str, set[Place]] = {}
        for task_id, failed in wanted:
            places.setdefault(task_id, set()).update((case.suite, case.file, case.index) for case in failed)
        for task_id, of_task in places.items():
            try:
                task = self._find(task_id)
            except (UsageError, TaskError) as error:
                # Without the file that the error names: a page is handed around, and a path is the operator's own.
                self._reasons[task_id] = error.message
                continue
            self._digests[task_id] = task.digest
            for suite in SUITES:
                known = reader_cases(task, suite, hidden=self.show_hidden)
                for place in of_task:
                    cases = known.get(place[1], ()) if place[0] == suite else ()
                    case = cases[place[2]] if place[2] < len(cases) else None
                    if case is not None:
                        self._cases[task_id, place] = case

    def why_not(self, outcomes: Outcomes) -> str | None:
        """Why the cases that these outcomes are about are not at hand; None when they are."""
        if outcomes.task in self._reasons:
            return self._reasons[outcomes.task]
        same = self._digests.get(outcomes.task) == outcomes.task_digest
        return None if same else "the task has changed since this was graded"

    def case(self, outcomes: Outcomes, place: Place) -> Case | None:
        """A case that may be shown; None for one that is hidden, or whose task is not at hand."""
        return None if self.why_not(outcomes) else self._cases.get((outcomes.task, place))


@dataclass(frozen=True)
class ShownCases:
    """Failing cases with what came. ``left_out`` counts those for which there is no room, ``held_back`` those that are
    hidden."""

    cases: tuple[CaseView, ...] = ()
    left_out: int = 0
    held_back: int = 0


def shown_cases(outcomes: Outcomes, failures: Failures, known: TaskCases) -> ShownCases:
    """Failing cases that may be shown and for which there is room."""
    hidden: set[Place] = {(case.suite, case.file, case.index) for case in outcomes.cases if case.hidden}
    # What came is held back with what was expected: a near miss tells the answer, an echo the question.
    allowed = [
        failed
        for failed in failures.cases
        if known.show_hidden or (failed.suite, failed.file, failed.index) not in hidden
    ]
    shown: list[CaseView] = []
    room = _MOST_HTML
    for failed in allowed:
        view = _view(failed, known.case(outcomes, (failed.suite, failed.file, failed.index)))
        room -= 400 + sum(len(line.html) + 40 for line in view.lines) + len(view.input or "")
        if room < 0:
            break
        shown.append(view)
    return ShownCases(tuple(shown), len(allowed) - len(shown), len(failures.cases) - len(allowed))


def _view(failed: FailedCase, case: Case | None) -> CaseView:
    notes = []
    expected = case.expected_output.encode() if case else None
    actual = failed.output
    if failed.outcome is CaseOutcome.MISSING:
        notes.append("nothing came")
    elif actual is None:
        notes.append("what came is too large to show")
    elif failed.cut:
        notes.append(f"of what came, the first {MOST_BYTES:,} of {failed.size:,} bytes are shown")
    if expected is not None and len(expected) > MOST_BYTES:
        notes.append(f"of what was expected, the first {MOST_BYTES:,} of {len(expected):,} bytes are shown")
    if actual is not None and expected == actual:
        notes.append("this output is right, but the case had several outputs and another one is not")
    if actual is not None and actual == b"":
        notes.append("an empty output came")
    if expected == b"":
        notes.append("an empty output was expected")
    lines = _lines(expected, actual, cut=failed.cut)
    return CaseView(
        suite=failed.suite,
        file=failed.file,
        index=failed.index,
        outcome=str(failed.outcome),
        input=prose(json.dumps(case.input, ensure_ascii=False), 2000) if case else None,
        lines=lines,
        notes=tuple(notes),
    )


def _lines(expected: bytes | None, actual: bytes | None, *, cut: bool) -> tuple[Line, ...]:
    if expected is None:
        if actual is None:
            return ()
        return tuple(diff(b"", actual, cut_actual=cut))
    longer = len(expected) > MOST_BYTES
    return tuple(diff(expected[:MOST_BYTES], actual or b"", cut_expected=longer, cut_actual=cut))
