"""``underspec doctor``: what this machine can do."""

from __future__ import annotations

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, echo_folded, print_json


@command
def doctor(sandbox: str = SANDBOX_OPTION, as_json: bool = JSON_OPTION) -> None:
    """Say what works on this machine, and what to install where something does not.

    Exit code 3 when something is missing without which nothing runs.
    """
    from underspec.run.manifest import machine
    from underspec.sandbox.backends import load_backend

    checks = load_backend(sandbox).checks()
    ready = all(check.ok for check in checks if check.required)
    if as_json:
        print_json(
            {
                "ready": ready,
                "machine": machine(),
                "checks": [
                    {
                        "name": check.name,
                        "ok": check.ok,
                        "required": check.required,
                        "detail": check.detail,
                        "mend": check.mend,
                    }
                    for check in checks
                ],
            }
        )
    else:
        for check in checks:
            word = "ok" if check.ok else ("MISSING" if check.required else "not available")
            echo_folded(f"{word:>13}  {check.name}: {check.detail}", indent=15)
            if not check.ok and check.mend:
                echo_folded(f"{'':>13}  mend: {check.mend}", indent=15)
        typer.echo("ready" if ready else "not ready")
    if not ready:
        raise typer.Exit(3)
