"""``underspec stakeholder``: ask a task's stakeholder by hand."""

from __future__ import annotations

from pathlib import Path
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
    router: str = typer.Option("embedded", "--router", help="Who finds the records."),
    stakeholder_model: str = typer.Option(
        "", "--stakeholder-model", help="The model of a router that works with one, as provider/name."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Ask one question as an operator: shows the reply that an agent would get, and the record ids behind it."""
    from underspec.cli.common import chosen_router
    from underspec.errors import UsageError
    from underspec.report.terminal import plain
    from underspec.stakeholder.interface import asks_for_interface
    from underspec.stakeholder.reply import assemble
    from underspec.task import release
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task
    from underspec.task.model import LEVELS

    if exposure not in LEVELS:
        raise UsageError(
            f"nobody answers questions at exposure {exposure!r}", mend=f"choose one of {', '.join(LEVELS)}"
        )
    records = release.session_records(load_task(find_task(task)), cast("Exposure", exposure))
    routing = run_async(chosen_router(router, stakeholder_model).route(question, records, ()))
    reply = assemble(routing, records, interface_asked=asks_for_interface(question))
    if as_json:
        print_json(
            {"question": question, "reply": reply.text, "ids": list(reply.matched), "ranking": list(routing.ranking)}
        )
        return
    echo_folded(plain(reply.text))
    typer.echo(f"matched: {', '.join(reply.matched) or 'nothing'}", err=True)


@app.command("route", short_help="Route labelled questions, and measure how well.")
@command
def route(
    task: str = typer.Option(..., "--task", help="Task id or folder, or a published record file."),
    questions: Path = typer.Option(..., "--questions", help="Labelled questions, one JSON object a line."),
    router: str = typer.Option("embedded", "--router", help="Who finds the records."),
    stakeholder_model: str = typer.Option(
        "", "--stakeholder-model", help="The model of a router that works with one, as provider/name."
    ),
    exposure: str = typer.Option("L1", "--exposure", help="L1, L2 or L3, for questions that name no level."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Route labelled questions to a task's records, and measure how well.

    A line is {"task", "question", "gold": [ids], "also_ok": [ids], "kind"}, with "level" where the exposure differs.
    Pointers are P0, P1, ... by position, the signature is SIG. Where a file holds questions about several tasks, those
    of this one are taken.
    """
    from underspec.cli.common import chosen_router
    from underspec.cli.routing import print_measures, route_questions

    measured = run_async(route_questions(task, questions, chosen_router(router, stakeholder_model), exposure))
    if as_json:
        print_json(measured)
        return
    print_measures(measured)
