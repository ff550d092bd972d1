"""Which calls are made anew, by what the findings are about."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from underspec.construct.findings import GateFinding


class Step(StrEnum):
    """The calls of one proposal, in order."""

    CONSTRAINTS = "constraints"
    L1 = "L1"
    L2 = "L2"
    L3 = "L3"


def step_of(finding: GateFinding) -> Step:
    """The call whose answer a finding is about; L1 where that is not plain, for L2 follows from it."""
    place = f"{finding.file or ''} {finding.where or ''}"
    if finding.kind in ("unreachable_record", "no_probe", "probe_uses_trigger"):
        return Step.L3 if "L3" in f"{place} {finding.message}" else Step.L1
    if "L3" in place:
        return Step.L3
    if "L2" in place:
        return Step.L2
    return Step.L1


def steps_of(findings: Iterable[GateFinding]) -> frozenset[Step]:
    """The calls to make anew; all of them where no finding says what is wrong.

    A new L1 has other records, so L2 follows it. The list of constraints is kept: what covers it is mended instead.
    """
    steps = {step_of(finding) for finding in findings if finding.severity == "error" and finding.file is not None}
    if Step.L1 in steps:
        steps.add(Step.L2)
    return frozenset(steps) or frozenset(Step)


def concerned(findings: Iterable[GateFinding], step: Step) -> list[GateFinding]:
    """The findings that a call is told."""
    return [finding for finding in findings if finding.file is None or step_of(finding) is step]
