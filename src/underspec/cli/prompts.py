"""``underspec prompts``: what roles are told."""

from __future__ import annotations

import typer

from underspec.cli.common import JSON_OPTION, command, print_json

app = typer.Typer(no_args_is_help=True, help="Look at prompts.", rich_markup_mode=None)


@app.command("show")
@command
def show_prompts(role: str = typer.Argument("builder", help="A role."), as_json: bool = JSON_OPTION) -> None:
    """Print the prompts of a role with their hashes."""
    from underspec.prompts import load_role

    prompts = load_role(role)
    if as_json:
        print_json(
            {
                "role": role,
                "prompts": [{"name": prompt.name, "sha256": prompt.sha256, "text": prompt.text} for prompt in prompts],
            }
        )
        return
    for prompt in prompts:
        typer.echo(f"--- {role}/{prompt.name} (sha256 {prompt.sha256[:16]}) ---\n")
        typer.echo(prompt.text)
