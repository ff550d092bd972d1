"""What ``doctor`` is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.boxes import needs_bubblewrap
from underspec.sandbox.bubblewrap import checks
from underspec.sandbox.bubblewrap.backend import BubblewrapBackend
from underspec.sandbox.keeper.groups import find_place
from underspec.sandbox.protocol import Check

pytestmark = pytest.mark.sandbox


def by_name(found: list[Check]) -> dict[str, Check]:
    assert len({check.name for check in found}) == len(found)
    for check in found:
        assert check.ok or check.mend or not check.required, check
    return {check.name: check for check in found}


@needs_bubblewrap
def test_a_machine_that_runs_sandboxes_is_fine() -> None:
    found = by_name(BubblewrapBackend().checks())
    assert all(check.ok for check in found.values() if check.required), found
    assert "started" in found["a sandbox"].detail
    for name in ("memory limit", "process limit", "CPU limit"):
        assert not found[name].required
        assert found[name].ok or "delegated" in str(found[name].mend)


def test_the_probe_leaves_the_machine_as_it_was() -> None:
    checks._probe()
    # Others may mount and make groups meanwhile: only what a probe makes is looked for.
    assert "nr_inodes=1000," not in Path("/proc/self/mountinfo").read_text()
    groups = [group for parent in find_place().parents.values() for group in Path(parent).glob("underspec-probe-*")]
    assert groups == []


def test_a_missing_bubblewrap_is_said_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    check = by_name(BubblewrapBackend().checks())["bubblewrap"]
    assert not check.ok
    assert check.required
    assert "apt install bubblewrap" in str(check.mend)


def test_an_old_bubblewrap_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho bubblewrap 0.3.1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    check = checks._bubblewrap()
    assert (check.ok, "0.3.1" in check.detail) == (False, True)


def test_an_old_kernel_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.release", lambda: "5.4.0-generic")
    assert not checks._kernel().ok
    monkeypatch.setattr("platform.release", lambda: "5.12.0")
    assert checks._kernel().ok


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        (
            "kernel.apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("kernel.unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        ("user.max_user_namespaces", "0", "sysctl -w user.max_user_namespaces="),
    ],
)
def test_the_switch_that_forbids_user_namespaces_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, mend: str
) -> None:
    file = tmp_path.joinpath(*name.split("."))
    file.parent.mkdir()
    file.write_text(f"{value}\n")
    real = Path
    monkeypatch.setattr(checks, "Path", lambda first, *rest: real(tmp_path if first == "/proc/sys" else first, *rest))
    found = checks._namespaces({"namespaces": (False, "Operation not permitted")})
    assert not found.ok
    assert mend in str(found.mend)


def test_a_probe_that_says_nothing_fails_what_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = subprocess.CompletedProcess([], 1, stdout="", stderr="")
    monkeypatch.setattr(checks.subprocess, "run", lambda *_, **__: silent)  # type: ignore[attr-defined]
    found = by_name(checks.machine_checks())
    assert not found["user namespaces"].ok
    assert not found["tmpfs"].ok
    assert "a sandbox" not in found
