"""Validating tasks, with their golden implementation or without."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from underspec.artifact.outcomes import Rate


async def validate(paths: Sequence[Path], *, golden: bool, backend_name: str) -> list[dict[str, Any]]:
    """One result a task, in the shape of ``underspec tasks validate --json`` (design section 10).

    A golden implementation that cannot be fetched is a finding; a machine without sandboxes is not, and is raised.
    """
    from underspec.task.validate import validate_task

    results = []
    for path in paths:
        findings = [
            {
                "severity": finding.severity,
                "file": finding.file,
                "where": finding.where,
                "message": finding.message,
                "mend": finding.mend,
            }
            for finding in validate_task(path)
        ]
        valid = not any(finding["severity"] == "error" for finding in findings)
        verdict = None
        if golden and valid:
            verdict, problems = await _golden(path, backend_name)
            findings += problems
            valid = not problems
        results.append(
            {
                "id": path.name,
                "valid": valid,
                "findings": findings,
                "golden": verdict,
                "variants": None,
            }
        )
    return results


async def _golden(path: Path, backend_name: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    from underspec.cli.common import ready_backend
    from underspec.errors import GoldenError
    from underspec.grade.golden import check_golden
    from underspec.sandbox.protocol import Owner
    from underspec.task.load import load_task

    backend = ready_backend(backend_name)
    backend.reap()
    task = load_task(path)
    if task.golden is None:
        return None, [_problem("hidden/golden.toml", "the task names no golden implementation", "add it")]
    try:
        checked = await check_golden(task, backend, owner=Owner(run="validate", purpose=task.id))
    except GoldenError as error:
        return None, [_problem(error.file or "hidden/golden.toml", error.message, error.mend)]
    return {"overall": _rate(checked.golden_rate), "empty": _rate(checked.empty_rate)}, [
        {"severity": "error", "file": each.file, "where": each.where, "message": each.message, "mend": None}
        for each in checked.findings
    ]


def _rate(rate: Rate) -> dict[str, Any]:
    return rate.model_dump(mode="json")


def _problem(file: str, message: str, mend: str | None) -> dict[str, Any]:
    return {"severity": "error", "file": file, "where": None, "message": message, "mend": mend}
