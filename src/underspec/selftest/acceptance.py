"""Deliverables of the toy commission, accepted as any other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from underspec.grade.acceptance.accept import Accepted, accept_deliverable
from underspec.sandbox.protocol import SandboxBackend
from underspec.selftest.commission import ALL_TESTS, EQUIVALENT, TALLY, make_commission
from underspec.selftest.hostile_programs import HOSTILE
from underspec.selftest.trial import OWNER, Trial
from underspec.task.load import load_task
from underspec.task.model import Task

HONEST: dict[str, dict[str, str]] = {
    "does what is wanted": {"tally.py": TALLY.format(canary="")},
    "does it in another way": {"tally.py": EQUIVALENT.format(canary="")},
    **{
        name: {
            # What it would hook is left out: an honest program may not break itself and be accepted.
            **{path: text for path, text in files.items() if not path.endswith(("customize.py", "run.py"))},
            "tally.py": TALLY.format(canary=""),
        }
        for name, files in HOSTILE.items()
        if len(files) > 1
    },
}


def deliver(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a deliverable below ``folder``; a text with a shebang becomes executable."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        if text.startswith("#!"):
            (folder / path).chmod(0o755)
    return folder


@cache
def _home() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="underspec-selftest-")  # goes with the process


@cache
def toy_commission() -> Task:
    """The toy commission, loaded."""
    return load_task(make_commission(Path(_home().name)))


async def _accepted(files: Mapping[str, str], backend: SandboxBackend, folder: Path) -> Accepted:
    return await accept_deliverable(toy_commission(), deliver(folder, files), backend, image="host", owner=OWNER)


def _hostile(name: str) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        accepted = await _accepted(HOSTILE[name], backend, folder)
        acceptance = accepted.acceptance
        passed = [test.id for test in acceptance.tests if test.verdict == "passed"]
        if passed or acceptance.passed or acceptance.unit_rate.passed:
            return f"passes {', '.join(passed) or 'without a test'}, deserves nothing"
        if [test.id for test in acceptance.tests] != list(ALL_TESTS):
            return "changes which tests there are"
        if acceptance.end.exit_code != 1:
            return f"ends the runner: exit code {acceptance.end.exit_code}"
        found = [test.message for test in accepted.failures.tests if "FOUND" in test.message]
        return f"finds what is hidden: {found[0][:200]}" if found else None

    return Trial("acceptance", name, "hostile", run)


def _honest(name: str) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        acceptance = (await _accepted(HONEST[name], backend, folder)).acceptance
        failed = [test.id for test in acceptance.tests if test.verdict != "passed"]
        return None if acceptance.passed else f"is rejected by {', '.join(failed)}"

    return Trial("acceptance", name, "honest", run)


def trials() -> list[Trial]:
    """Every hostile program, and honest ones, some with the same files beside them."""
    return [*map(_hostile, HOSTILE), *map(_honest, HONEST)]
