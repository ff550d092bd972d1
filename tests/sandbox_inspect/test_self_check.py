"""Inspect's own checks of a sandbox provider, on both backends."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator

import pytest
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from underspec.sandbox.backends import load_backend
from underspec.sandbox.inspect_adapter.environment import UnderspecSandbox
from underspec.sandbox.protocol import Limits, Owner, SandboxSpec

pytestmark = [pytest.mark.sandbox, pytest.mark.anyio]
BY_DESIGN = {
    "test_exec_as_user": "an image is read-only: there is no adding a user",
    "test_read_file_not_allowed": "root inside reads everything",
    "test_write_text_file_without_permissions": "root inside writes everything",
    "test_write_binary_file_without_permissions": "root inside writes everything",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["bubblewrap", "docker"])
async def sandbox_env(request: pytest.FixtureRequest) -> AsyncIterator[SandboxEnvironment]:
    if request.param == "docker":
        request.getfixturevalue("container_engine")
    elif shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    reason = BY_DESIGN.get(request.node.originalname)
    if reason is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    sandbox = load_backend(request.param).create(SandboxSpec(owner=Owner("tests", "self-check"), limits=Limits()))
    try:
        await sandbox.start()
        yield UnderspecSandbox(sandbox)
    finally:
        await sandbox.close()
