"""Find a sandbox backend by name, among those that any installed package offers."""

from __future__ import annotations

from importlib.metadata import entry_points

from underspec.errors import EnvironmentLacksError, UsageError
from underspec.sandbox.protocol import SandboxBackend

GROUP = "underspec.sandboxes"


def load_backend(name: str) -> SandboxBackend:
    """The backend of that name.

    Raises:
        UsageError: no installed package offers it; names those that are offered.
        EnvironmentLacksError: the package that offers it cannot be loaded.
    """
    known = {point.name: point for point in entry_points(group=GROUP)}
    if name not in known:
        raise UsageError(f"there is no sandbox backend {name!r}", mend=f"use one of: {', '.join(sorted(known))}")
    try:
        backend: SandboxBackend = known[name].load()()
    except (ImportError, AttributeError) as error:
        raise EnvironmentLacksError(
            f"the sandbox backend {name!r} cannot be loaded: {error}", mend="re-install the package that offers it"
        ) from error
    return backend
