"""``underspec stakeholder``: ask a task's stakeholder by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import typer

from underspec.cli.common import JSON_OPTION, command, echo_folded, print_json, run_async

if TYPE_CHECKING:
    from underspec.artifact.condition import Exposure

app = typer.Typer(no_args_is_help=True, help="Ask the stakeholder of a task.", rich_markup_mode=None)


@app.command("ask", short_help="Ask one question; shows the reply and the records behind it.")
@command
def ask(
    task: str = typer.Option(..., "--task", help="Task id or folder."),
    question: str = typer.Argument(..., help="One question."),
    exposure: str = typer.Option("L1", "--exposure", help="L1, L2 or L3."),
    router: str = typer.Option("lexical", "--router", help="Who finds the records."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask one question as an operator: shows the reply that an agent would get, and the record ids behind it."""
    from underspec.errors import UsageError
    from underspec.report.terminal import plain
    from underspec.stakeholder.reply import assemble
    from underspec.stakeholder.router import load_router
    from underspec.task import release
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task
    from underspec.task.model import LEVELS

    if exposure not in LEVELS:
        raise UsageError(
            f"nobody answers questions at exposure {exposure!r}", mend=f"choose one of {', '.join(LEVELS)}"
        )
    records = release.session_records(load_task(find_task(task)), cast("Exposure", exposure))
    routing = run_async(load_router(router).route(question, records, ()))
    reply = assemble(routing, records)
    if as_json:
        print_json(
            {"question": question, "reply": reply.text, "ids": list(reply.matched), "ranking": list(routing.ranking)}
        )
        return
    echo_folded(plain(reply.text))
    typer.echo(f"matched: {', '.join(reply.matched) or 'nothing'}", err=True)
