"""All that can be known of a task without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from underspec.errors import TaskError
from underspec.task.checks.canaries import check_canaries
from underspec.task.checks.commission import check_commission
from underspec.task.checks.exposure import check_exposure
from underspec.task.checks.identifying import check_identifying
from underspec.task.checks.leaks import check_leaks
from underspec.task.checks.records import check_records
from underspec.task.checks.shape import check_shape
from underspec.task.checks.suites import check_suites
from underspec.task.finding import Finding, as_warning, error
from underspec.task.load import Parts, read_parts, task_folder

CHECKS: tuple[Callable[[Parts], Iterable[Finding]], ...] = (
    check_shape,
    check_suites,
    check_records,
    check_exposure,
    check_leaks,
    check_canaries,
    check_commission,
    check_identifying,
)

# What these find is in the texts and cases themselves. Published ones cannot be mended, and must be usable as they are.
OF_THE_AUTHOR = frozenset({check_suites, check_records, check_exposure})


def validate_task(path: Path) -> list[Finding]:
    """Everything that is wrong or doubtful, errors first; no finding, no fault. A task is valid without errors.

    Damaged parts are reported and the rest is checked all the same. Nothing of the task is run, and nothing fetched.
    Where an imported task is odd in a way that only its authors could mend, that is a warning.
    """
    findings: dict[Finding, None] = {}

    def report(finding: Finding) -> None:
        findings.setdefault(finding)

    try:
        root = task_folder(path)
    except TaskError as problem:
        return [error(problem.file or str(path), problem.message, mend=problem.mend or "give a task's folder")]
    parts = read_parts(root, report)
    for check in CHECKS if parts.entries else ():
        for finding in check(parts):
            report(as_warning(finding) if parts.imported and check in OF_THE_AUTHOR else finding)
    return sorted(findings, key=lambda finding: (finding.severity != "error", finding.file))
