"""``underspec doctor``: what this machine can do."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, print_json, run_async

if TYPE_CHECKING:
    from underspec.sandbox.conformance.suite import Finding
    from underspec.sandbox.protocol import Check, SandboxBackend

CONFORMANCE_OPTION = typer.Option(
    False, "--conformance", help="Also run the suite that every sandbox backend must pass (a minute or two)."
)


NETWORK_OPTION = typer.Option(
    False, "--network", help="Also try whether this machine reaches the package registries; sends nothing."
)
REGISTRIES_OPTION = typer.Option(None, "--registries", help="As for `underspec run`.")


@command
def doctor(
    sandbox: str = SANDBOX_OPTION,
    conformance: bool = CONFORMANCE_OPTION,
    network: bool = NETWORK_OPTION,
    registries: Path = REGISTRIES_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Say what works on this machine, and what to install where something does not.

    Exit code 3 when something is missing without which nothing runs; 1 when the backend does not conform.
    """
    from underspec.run.manifest import machine
    from underspec.sandbox.backends import load_backend
    from underspec.sandbox.images.agents.layer import layer_checks

    backend = load_backend(sandbox)
    checks = [*backend.checks(), *_language_checks(), *layer_checks()]
    if network:
        checks += _network_checks(registries)
    ready = all(check.ok for check in checks if check.required)
    document: dict[str, Any] = {
        "ready": ready,
        "machine": machine(),
        "checks": [
            {"name": each.name, "ok": each.ok, "required": each.required, "detail": each.detail, "mend": each.mend}
            for each in checks
        ],
    }
    if not as_json:
        _say_checks(checks)
        typer.echo("ready" if ready else "not ready")
    findings: list[Finding] = []
    if conformance and ready:
        findings = _run_conformance(backend, to_stderr=as_json)
        document["conformance"] = [asdict(finding) for finding in findings]
    if as_json:
        print_json(document)
    if not ready:
        raise typer.Exit(3)
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)


def _language_checks() -> list[Check]:
    """Whether sandboxes of the image ``host`` find what the bundled tasks' languages need. None of them is required."""
    from underspec.sandbox.protocol import Check
    from underspec.task.runtimes import RUNTIMES

    lacking = " is missing; tasks in this language cannot be graded here"
    return [
        Check(
            name=f"language {language}",
            ok=runtime.present(),
            detail=f"/usr/bin/{runtime.program}{'' if runtime.present() else lacking}",
            mend=runtime.mend,
            required=False,
        )
        for language, runtime in RUNTIMES.items()
    ]


def _network_checks(registries: Path | None) -> list[Check]:
    """Try the registries that sandboxes would be let out to."""
    from underspec.sandbox.egress.checks import network_checks
    from underspec.sandbox.egress.lists import load_lists

    return run_async(network_checks(load_lists(registries)))


def _say_checks(checks: list[Check]) -> None:
    for check in checks:
        word = "ok" if check.ok else ("MISSING" if check.required else "not available")
        typer.echo(f"{word:>13}  {check.name}: {check.detail}")
        if not check.ok and check.mend:
            typer.echo(f"{'':>13}  mend: {check.mend}")


def _run_conformance(backend: SandboxBackend, *, to_stderr: bool) -> list[Finding]:
    """Run the suite; each finding is said as it comes."""
    from underspec.report.terminal import plain
    from underspec.sandbox.conformance.suite import run_suite

    words = {True: "ok", False: "FAILS", None: "not tried"}

    def say(finding: Finding) -> None:
        line = f"{words[finding.ok]:>13}  {finding.name} ({finding.seconds:.1f} s)"
        typer.echo(plain(f"{line}: {finding.detail}" if finding.detail else line), err=to_stderr)

    findings = run_async(run_suite(backend, on_finding=say))
    passed = sum(finding.ok is True for finding in findings)
    typer.echo(f"{passed} of {len(findings)} conformance checks passed", err=to_stderr)
    return findings
