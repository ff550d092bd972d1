"""From verdicts to graded cases, and what states a suite shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from underspec.artifact.outcomes import CaseOutcome, GradedCase, SuiteName, SuiteState
from underspec.grade.compare import Verdicts
from underspec.sandbox.protocol import ExecResult
from underspec.task.model import Suite


def graded_cases(
    suite: Suite, outcomes: Mapping[str, Sequence[CaseOutcome]], hidden: Mapping[str, Sequence[bool]]
) -> list[GradedCase]:
    """One :class:`GradedCase` a case, files in name order and cases in file order, exactly as many as there are.

    Args:
        suite: the suite that was graded.
        outcomes: one outcome for each of its cases, by stem.
        hidden: whether each case is hidden, by stem (:func:`underspec.task.cases.hidden_flags`).

    Raises:
        ValueError: there is not exactly one outcome for each case (fault 12).
    """
    if outcomes.keys() != suite.files.keys():
        raise ValueError(f"outcomes of other files than those of the suite {suite.name}")
    return [
        GradedCase(suite=suite.name, file=stem, index=index, outcome=outcome, hidden=is_hidden)
        for stem in sorted(suite.files)
        for index, (_case, outcome, is_hidden) in enumerate(
            zip(suite.files[stem].cases, outcomes[stem], hidden[stem], strict=True)
        )
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
