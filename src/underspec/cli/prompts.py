"""``underspec prompts``: what roles are told."""

from __future__ import annotations

from pathlib import Path

import typer

from underspec.cli.common import JSON_OPTION, command, print_json

app = typer.Typer(no_args_is_help=True, help="Look at prompts.", rich_markup_mode=None)


@app.command("show", short_help="Print the prompts of a role with their hashes.")
@command
def show_prompts(
    role: str = typer.Argument("builder", help="A role."),
    own: Path = typer.Option(None, "--prompts", help="A folder with prompts of your own, as client/rules.md."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Print the prompts of a role with their hashes; with --prompts, as a run is told them that is given the same."""
    from underspec.prompts import load_role, replaced_prompts

    if own is not None:
        replaced_prompts(own)
    prompts = load_role(role, override=own)
    if as_json:
        print_json(
            {
                "role": role,
                "prompts": [{"name": prompt.name, "sha256": prompt.sha256, "text": prompt.text} for prompt in prompts],
            }
        )
        return
    for prompt in prompts:
        whose = "" if prompt.origin == "packaged" else "your own, "
        typer.echo(f"--- {role}/{prompt.name} ({whose}sha256 {prompt.sha256[:16]}) ---\n")
        typer.echo(prompt.text)
