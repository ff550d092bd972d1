"""Make a sandbox that already runs the current sample's sandbox.

Inspect has no public way for a solver to bring its own sandbox, so this file alone touches what is private to it;
``tests/sandbox_inspect/test_attach.py`` notices when that changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from inspect_ai.tool._sandbox_tools_utils.sandbox import resolve_root_access
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.context import (
    sandbox_default_context_var,
    sandbox_environments_context_var,
    sandbox_with_environments_context_var,
)
from inspect_ai.util._sandbox.events import SandboxEnvironmentProxy

from underspec.sandbox.inspect_adapter.environment import UnderspecSandbox
from underspec.sandbox.protocol import Sandbox

NAME = "default"


@contextlib.asynccontextmanager
async def attached(sandbox: Sandbox) -> AsyncIterator[SandboxEnvironment]:
    """Within the block, and in tasks started in it, ``inspect_ai.util.sandbox()`` is ``sandbox``.

    It must have been started, and stays the caller's to kill and close. What is done in it through Inspect stands in
    the sample's transcript. Blocks may be nested and may run side by side in several tasks.
    """
    environment = SandboxEnvironmentProxy(UnderspecSandbox(sandbox))
    environments: dict[str, SandboxEnvironment] = {NAME: environment}
    # Whether tools may run as root is found out before any of the agent's own processes could meddle.
    await resolve_root_access(environment)
    tokens = (
        sandbox_environments_context_var.set(environments),
        sandbox_with_environments_context_var.set({}),
        sandbox_default_context_var.set(NAME),
    )
    try:
        yield environment
    finally:
        sandbox_environments_context_var.reset(tokens[0])
        sandbox_with_environments_context_var.reset(tokens[1])
        sandbox_default_context_var.reset(tokens[2])
