"""Validating tasks: what stands in them, their golden implementation, and the variants of their acceptance tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from underspec.artifact.outcomes import Rate

if TYPE_CHECKING:
    from underspec.grade.acceptance.variants import VariantsCheck

_INCORRECT = "incorrect-"


async def validate(
    paths: Sequence[Path], *, golden: bool, variants: bool, backend_name: str, progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """One result a task, in the shape of ``underspec tasks validate --json`` (design section 10).

    ``golden`` is null where it was not asked for, and ``variants`` where the task has no requirement units either. A
    golden implementation that cannot be fetched is a finding; a machine without sandboxes is not, and is raised.
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
        verdict, accepted = None, None
        if golden and valid:
            verdict, problems = await _golden(path, backend_name)
            findings += problems
            valid = not problems
        if variants and not any(finding["severity"] == "error" for finding in findings):
            accepted, problems = await _variants(path, backend_name, progress)
            findings += problems
            valid = valid and not problems
        results.append(
            {
                "id": path.name,
                "valid": valid,
                "findings": findings,
                "golden": verdict,
                "variants": accepted,
            }
        )
    return results


async def _golden(path: Path, backend_name: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    from underspec.cli.common import ready_backend
    from underspec.errors import GoldenError
    from underspec.grade.golden import check_golden
    from underspec.sandbox.protocol import Owner
    from underspec.task.load import load_task
    from underspec.task.runtimes import missing_runtime

    backend = ready_backend(backend_name)
    backend.reap()
    task = load_task(path)
    if task.golden is None:
        return None, [_problem("hidden/golden.toml", "the task names no golden implementation", "add it")]
    if runtime := missing_runtime(task.toml.language, task.toml.image.base):
        message = f"cannot be run here: /usr/bin/{runtime.program} is missing on this machine ({task.toml.language})"
        return None, [_problem("hidden/golden.toml", message, runtime.mend)]
    try:
        checked = await check_golden(task, backend, owner=Owner(run="validate", purpose=task.id))
    except GoldenError as error:
        return None, [_problem(error.file or "hidden/golden.toml", error.message, error.mend)]
    return {"overall": _rate(checked.golden_rate), "empty": _rate(checked.empty_rate)}, [
        {"severity": "error", "file": each.file, "where": each.where, "message": each.message, "mend": None}
        for each in checked.findings
    ]


async def _variants(
    path: Path, backend_name: str, progress: Callable[[str], None]
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    from underspec.cli.common import ready_backend
    from underspec.errors import TaskError
    from underspec.grade.acceptance.variants import check_variants
    from underspec.sandbox.protocol import Owner
    from underspec.task.load import load_task

    task = load_task(path)
    if task.units is None:
        return None, []
    backend = ready_backend(backend_name)
    backend.reap()
    try:
        checked = await check_variants(
            task,
            backend,
            owner=Owner(run="validate", purpose=task.id),
            on_progress=lambda line: progress(f"{task.id}: {line}"),
        )
    except TaskError as error:
        return None, [_problem(error.file or "hidden/acceptance", error.message, error.mend)]
    return variants_document(checked), [_problem(each.file, each.message, None) for each in checked.findings]


def variants_document(checked: VariantsCheck) -> dict[str, Any]:
    """What is said of each variant: whether it passes, its tests and units; of incorrect ones, what rejects them."""
    document: dict[str, Any] = {"ok": checked.ok}
    incorrect: dict[str, Any] = {}
    for name, acceptance in checked.accepted.items():
        about = {
            "passed": acceptance.passed,
            "tests": _rate(acceptance.test_rate),
            "units": _rate(acceptance.unit_rate),
        }
        if not name.startswith(_INCORRECT):
            document[name] = about
            continue
        target = name.removeprefix(_INCORRECT)
        failed = {unit.id: unit.failed for unit in acceptance.units if not unit.passed}
        incorrect[target] = {
            **about,
            "rejected": target in failed,
            "by": list(failed.get(target, ())),
            "also": list(checked.also(name)),
        }
    return {**document, "incorrect": incorrect}


def variant_lines(document: dict[str, Any] | None) -> Iterator[str]:
    """The same in words."""
    for name, about in (document or {}).items():
        if name == "incorrect":
            for target, verdict in about.items():
                how = f"rejected by {len(verdict['by'])} of its tests" if verdict["rejected"] else "NOT REJECTED"
                also = f"; {', '.join(verdict['also'])} fall with it" if verdict["also"] else ""
                yield f"wrong about {target}: {how}{also}"
        elif name != "ok":
            tests, units = about["tests"], about["units"]
            passing = f"{tests['passed']} of {tests['total']} tests, {units['passed']} of {units['total']} units"
            yield f"{name}: {passing} pass"


def _rate(rate: Rate) -> dict[str, Any]:
    return rate.model_dump(mode="json")


def _problem(file: str, message: str, mend: str | None) -> dict[str, Any]:
    return {"severity": "error", "file": file, "where": None, "message": message, "mend": mend}
