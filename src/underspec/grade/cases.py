"""From verdicts to graded cases: which cases are hidden, and what states a suite shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from underspec.artifact.outcomes import CaseOutcome, GradedCase, SuiteName, SuiteState
from underspec.grade.compare import Verdicts
from underspec.sandbox.protocol import ExecResult
from underspec.task.cases import Key, case_key
from underspec.task.model import Suite, Task


def public_keys(task: Task) -> frozenset[Key]:
    """Keys of all public cases: hidden = (native ∪ enhanced) − public (ICAE III-F)."""
    suite = task.suites.get("public")
    return frozenset(case_key(case) for file in suite.files.values() for case in file.cases) if suite else frozenset()


def graded_cases(
    suite: Suite, outcomes: Mapping[str, Sequence[CaseOutcome]], public: frozenset[Key]
) -> list[GradedCase]:
    """One :class:`GradedCase` a case, files in name order and cases in file order, exactly as many as there are.

    Raises:
        ValueError: there is not exactly one outcome for each case (fault 12).
    """
    if outcomes.keys() != suite.files.keys():
        raise ValueError(f"outcomes of other files than those of the suite {suite.name}")
    return [
        GradedCase(
            suite=suite.name,
            file=stem,
            index=index,
            outcome=outcome,
            hidden=suite.name != "public" and case_key(case) not in public,
        )
        for stem in sorted(suite.files)
        for index, (case, outcome) in enumerate(zip(suite.files[stem].cases, outcomes[stem], strict=True))
    ]


def all_missing(suite: Suite) -> dict[str, tuple[CaseOutcome, ...]]:
    """The outcomes of a suite of which nothing ran."""
    return {stem: (CaseOutcome.MISSING,) * len(file.cases) for stem, file in suite.files.items()}


def states_of(verdicts: Verdicts, end: ExecResult) -> tuple[SuiteState, ...]:
    """What a run shows, from outcomes, exit status and limits alone; no word that was printed counts (fault 8).

    At most one ``exec`` state: the time limit, else the memory limit, else a bad end with outputs (``exec:run``) or
    without any (``exec:build``).
    """
    outcomes = [outcome for of_file in verdicts.outcomes.values() for outcome in of_file]
    states = []
    if CaseOutcome.MISMATCH in outcomes or CaseOutcome.OVERSIZE in outcomes:
        states.append(SuiteState.MISMATCH)
    if CaseOutcome.MISSING in outcomes:
        states.append(SuiteState.MISSING)
    if end.limit == "time":
        states.append(SuiteState.EXEC_TIMEOUT)
    elif end.limit == "memory":
        states.append(SuiteState.EXEC_MEMORY)
    elif end.exit_code != 0:
        states.append(SuiteState.EXEC_RUN if verdicts.seen else SuiteState.EXEC_BUILD)
    return tuple(states)


def no_test_states(suite: Suite) -> tuple[SuiteState, ...]:
    """The states of a deliverable without ``rcb_tests/test.sh``."""
    return (SuiteState.MISSING, SuiteState.NO_TEST) if suite.total else (SuiteState.NO_TEST,)


SUBDIRS: dict[SuiteName, str] = {
    "public": "public_test_cases",
    "native": "test_cases",
    "enhanced": "enhanced_test_cases",
}
