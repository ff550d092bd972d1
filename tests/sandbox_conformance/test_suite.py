"""The suite notices backends that do not conform, and says what it saw."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from underspec.artifact.deliverable import Deliverable
from underspec.cli.app import app
from underspec.errors import SandboxError, UsageError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.conformance import suite
from underspec.sandbox.conformance.expect import NotApplicableError, expect
from underspec.sandbox.conformance.suite import ConformanceCheck, all_checks, find_check, run_check, run_suite
from underspec.sandbox.protocol import ExecResult, Limits, Sandbox, SandboxBackend, SandboxSpec

needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


class TextSandbox(BubblewrapSandbox):
    """Treats output as text."""

    async def exec(self, argv: Sequence[str], **options: Any) -> ExecResult:
        result = await super().exec(argv, **options)
        return replace(result, stdout=result.stdout.decode(errors="replace").encode())


class PatientSandbox(BubblewrapSandbox):
    """Gives up waiting for a command, and lets it run."""

    async def exec(self, argv: Sequence[str], *, timeout: float | None = None, **options: Any) -> ExecResult:
        if timeout is None:
            return await super().exec(argv, **options)
        left = ["bash", "-c", '"$@" & sleep "$0"', str(timeout), *argv]
        result = await super().exec(left, **options)
        return replace(result, exit_code=None, signal=9, limit="time", layer="exec")


class RoomySandbox(BubblewrapSandbox):
    """Knows no limits but its own."""

    def __init__(self, spec: SandboxSpec) -> None:
        super().__init__(replace(spec, limits=Limits()))


class HastySandbox(BubblewrapSandbox):
    """Seals one folder too few."""

    async def archive(self, destination: Path, *, path: str = "/workspace") -> Deliverable:
        return await super().archive(destination, path=f"{path}/src")


class OpenSandbox(BubblewrapSandbox):
    """Follows links of the inside on the host."""

    async def get(self, path: str, *, max_bytes: int) -> bytes:
        link = await self.exec(["readlink", path])
        target = Path(link.stdout.decode().strip() or path)
        return target.read_bytes() if target.is_file() else await super().get(path, max_bytes=max_bytes)


class Broken(BubblewrapBackend):
    name = "broken"

    def __init__(self, kind: type[BubblewrapSandbox]) -> None:
        self._kind = kind

    def create(self, spec: SandboxSpec) -> Sandbox:
        return self._kind(spec)


class Forgetful(BubblewrapBackend):
    """Reaps nothing."""

    def reap(self) -> list[str]:
        return []


@pytest.mark.sandbox
@needs_bubblewrap
@pytest.mark.parametrize(
    ("backend", "name"),
    [
        (Broken(TextSandbox), "bytes-pass-unchanged"),
        (Broken(PatientSandbox), "a-time-out-leaves-nothing-running"),
        (Broken(RoomySandbox), "output-is-whole-up-to-its-limit"),
        (Broken(RoomySandbox), "the-disk-is-one-for-all-places"),
        (Broken(RoomySandbox), "the-number-of-files-is-limited"),
        (Broken(RoomySandbox), "open-files-are-limited"),
        (Broken(HastySandbox), "a-deliverable-has-the-same-hash-everywhere"),
        (Broken(OpenSandbox), "links-lead-nowhere-on-the-host"),
        (Forgetful(), "what-is-left-is-reaped-and-only-that"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_backend_that_does_not_conform_fails_its_check(
    backend: SandboxBackend, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("underspec.sandbox.conformance.expect._abilities", {})
    finding = asyncio.run(run_check(backend, find_check(name)))
    assert finding.ok is False
    assert finding.detail


def made(run: Callable[[SandboxBackend], Any]) -> ConformanceCheck:
    return ConformanceCheck("made-up", "Made up.", run)


def test_what_cannot_be_tried_is_no_failure_and_what_hangs_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "_PATIENCE", 0.05)

    async def lacks(backend: SandboxBackend) -> None:
        raise NotApplicableError("no such limit here")

    async def hangs(backend: SandboxBackend) -> None:
        await asyncio.sleep(60)

    async def fails(backend: SandboxBackend) -> None:
        expect(False, "x" * 10_000)

    async def errs(backend: SandboxBackend) -> None:
        raise SandboxError("broke down")

    async def fine(backend: SandboxBackend) -> None:
        pass

    heard: list[bool | None] = []
    checks = [made(run) for run in (lacks, hangs, fails, errs, fine)]
    findings = asyncio.run(run_suite(BubblewrapBackend(), checks, lambda finding: heard.append(finding.ok)))
    assert heard == [finding.ok for finding in findings] == [None, False, False, False, True]
    assert findings[0].detail == "no such limit here"
    assert "did not end" in findings[1].detail
    assert 500 < len(findings[2].detail) < 1000
    assert findings[3].detail == "SandboxError: broke down"


def test_checks_have_names_of_their_own_and_say_what_they_are_about() -> None:
    checks = all_checks()
    assert len({check.name for check in checks}) == len(checks) >= 40
    assert all(check.about.endswith(".") for check in checks)
    with pytest.raises(UsageError):
        find_check("no-such-check")


@pytest.mark.sandbox
@needs_bubblewrap
def test_doctor_runs_the_suite_and_tells_by_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fine(backend: SandboxBackend) -> None:
        assert backend.name == "bubblewrap"

    async def fails(backend: SandboxBackend) -> None:
        expect(False, "seen something")

    monkeypatch.setattr(suite, "all_checks", lambda: [made(fine)])
    ran = CliRunner().invoke(app, ["doctor", "--conformance"])
    assert ran.exit_code == 0, ran.output
    assert "1 of 1 conformance checks passed" in ran.output
    monkeypatch.setattr(suite, "all_checks", lambda: [made(fine), made(fails)])
    ran = CliRunner().invoke(app, ["doctor", "--conformance", "--json"])
    assert ran.exit_code == 1
    assert '"detail": "NonconformingError: ' in ran.stdout
    assert load_backend("bubblewrap").name == "bubblewrap"
