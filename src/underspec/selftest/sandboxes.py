"""What code may do to its sandbox, from the suite that every backend must pass."""

from __future__ import annotations

from pathlib import Path

from underspec.sandbox.conformance import commands, ends, files, isolation, lifecycle, limits
from underspec.sandbox.conformance.expect import NonconformingError
from underspec.sandbox.conformance.suite import ConformanceCheck, all_checks
from underspec.sandbox.protocol import SandboxBackend
from underspec.selftest.trial import Role, Trial

_HOSTILE = {run for room in (ends, files, isolation, lifecycle, limits) for run in room.CHECKS}
_HONEST = set(commands.CHECKS)


def _trial(check: ConformanceCheck, role: Role) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        try:
            await check.run(backend)
        except NonconformingError as error:
            return str(error)
        return None

    return Trial("sandbox", check.name.replace("-", " "), role, run)


def trials() -> list[Trial]:
    """Escapes and exhaustion, and beside them what ordinary programs rely on."""
    found = [(check, "hostile" if check.run in _HOSTILE else "honest") for check in all_checks()]
    kept = [(check, role) for check, role in found if check.run in _HOSTILE | _HONEST]
    return [_trial(check, "hostile" if role == "hostile" else "honest") for check, role in kept]
