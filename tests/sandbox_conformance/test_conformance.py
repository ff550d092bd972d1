"""Every backend passes the suite that is shipped for all of them."""

from __future__ import annotations

import asyncio
import os
import shutil

import pytest

from underspec.sandbox.backends import load_backend
from underspec.sandbox.conformance.lifecycle import many_at_once_are_kept_apart
from underspec.sandbox.conformance.suite import ConformanceCheck, all_checks, run_check

pytestmark = pytest.mark.sandbox


def conforms(backend: str, check: ConformanceCheck) -> None:
    finding = asyncio.run(run_check(load_backend(backend), check))
    if finding.ok is None:
        pytest.skip(finding.detail)
    assert finding.ok, finding.detail


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_bubblewrap(check: ConformanceCheck) -> None:
    conforms("bubblewrap", check)


@pytest.mark.usefixtures("container_engine")
@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_docker(check: ConformanceCheck) -> None:
    conforms("docker", check)


@pytest.mark.usefixtures("container_engine")
def test_forty_containers_asked_for_at_once_queue_and_all_finish() -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    asyncio.run(many_at_once_are_kept_apart(load_backend("docker"), 40))
    assert len(os.listdir("/proc/self/fd")) <= before + 2  # noqa: PTH208 - what threads and loops keep
