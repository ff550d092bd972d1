"""``underspec stakeholder serve``: the stakeholder of one or more tasks over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import typer

from underspec.cli.common import JSON_OPTION, command, print_json

if TYPE_CHECKING:
    from underspec.artifact.condition import Exposure
    from underspec.artifact.session import SessionLog
    from underspec.stakeholder.service.desk import ServedTask
    from underspec.task.model import Task

DEFAULT_PORT = 8731
_PORTS = "INIT,ASK,STATS"


@command
def serve(
    task: list[str] = typer.Option([], "--task", help="Task id or folder; may be repeated. Default: all bundled ones."),
    exposure: str = typer.Option("L1", "--exposure", help="Whose records answer, unless a session says otherwise."),
    router: str = typer.Option("embedded", "--router", help="Who finds the records."),
    stakeholder_model: str = typer.Option(
        "", "--stakeholder-model", help="The model of a router that works with one, as provider/name."
    ),
    budget: int = typer.Option(16, "--budget", help="Questions a session may ask, unless it is minted with another."),
    host: str = typer.Option("127.0.0.1", "--host", help="Address to listen on."),
    port: int = typer.Option(DEFAULT_PORT, "--port", help="Port of the API; 0 takes any that is free."),
    db: Path = typer.Option(Path("stakeholder.sqlite"), "--db", help="Database of sessions, on a local disk."),
    operator_file: Path | None = typer.Option(
        None, "--operator-file", help="Keep the operator's credential in this file, mode 0600."
    ),
    rate: float = typer.Option(100.0, "--rate", help="Requests a second that one session may go on making."),
    publish: Path | None = typer.Option(
        None, "--publish", help="Write each session's log below this folder: when it is closed, and at the end."
    ),
    published_protocol: str | None = typer.Option(
        None, "--published-protocol", help="Speak the published protocol as well, on these three ports.", metavar=_PORTS
    ),
    docs: bool = typer.Option(False, "--docs", help="Describe the API at /v1/openapi.json."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Answer questions about tasks over HTTP until SIGTERM or Ctrl-C; sessions survive restarts.

    The operator's credential comes from UNDERSPEC_OPERATOR_TOKEN or --operator-file; else one is made, and told on
    stderr once.
    """
    import asyncio
    import logging
    import sys

    from underspec.cli.common import chosen_router
    from underspec.errors import UsageError
    from underspec.stakeholder.service.credentials import operator_token
    from underspec.stakeholder.service.desk import MAX_BUDGET
    from underspec.stakeholder.service.running import Settings, run
    from underspec.task.catalog import find_tasks
    from underspec.task.load import load_task
    from underspec.task.model import LEVELS

    if exposure not in LEVELS:
        mend = f"choose one of {', '.join(LEVELS)}"
        raise UsageError(f"nobody answers questions at exposure {exposure!r}", mend=mend)
    if not 0 <= budget <= MAX_BUDGET:
        raise UsageError(f"a budget is 0 to {MAX_BUDGET} questions")
    if not rate > 0:
        raise UsageError("a rate is more than nothing", mend="give requests a second")
    ports = [port, *_three_ports(published_protocol)]
    served = [_served(load_task(folder), exposure) for folder in find_tasks(task, "repository")]
    token, source = operator_token(operator_file)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    # One line for each client that speaks no HTTP would be its log, not ours.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)

    def ready(addresses: list[str]) -> None:
        published = dict(zip(("init", "ask", "stats"), addresses[1:], strict=False))
        document = {
            "url": addresses[0],
            "published_protocol": published or None,
            "tasks": [one.id for one in served],
            "exposure": exposure,
            "router": router,
            "budget": budget,
            "db": str(db),
            "operator": source,
            "docs": f"{addresses[0]}/v1/openapi.json" if docs else None,
        }
        if as_json:
            print_json(document)
            sys.stdout.flush()
        else:
            typer.echo(f"serving {', '.join(one.id for one in served)} at {exposure} on {addresses[0]}", err=True)
            for name, address in published.items():
                typer.echo(f"published protocol, {name}: {address}", err=True)
        if source == "generated":
            told = f"kept in {operator_file}" if operator_file else token
            typer.echo(f"operator's credential: {told}", err=True)

    settings = Settings(
        tasks=served,
        router=chosen_router(router, stakeholder_model),
        exposure=exposure,
        budget=budget,
        host=host,
        ports=ports,
        db=db,
        operator=token,
        rate=rate,
        docs=docs,
        publish=publish,
        statistics=session_statistics,
        note=lambda line: typer.echo(line, err=True),
    )
    asyncio.run(run(settings, ready))


def _three_ports(text: str | None) -> list[int]:
    from underspec.errors import UsageError

    if text is None:
        return []
    parts = text.split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() and int(part) < 2**16 for part in parts):
        raise UsageError(f"{text!r} is not three ports", mend=f"give {_PORTS}, such as 50001,50002,50003")
    return [int(part) for part in parts]


def _served(task: Task, exposure: str) -> ServedTask:
    from underspec.stakeholder.service.desk import ServedTask
    from underspec.task import release
    from underspec.task.model import LEVELS

    there = task.records.levels if task.records else {}
    # The exposure that was asked for is released even where it is missing, which then says what is wrong.
    wanted = [level for level in LEVELS if level in there or level == exposure]
    return ServedTask(task.id, {level: release.session_records(task, cast("Exposure", level)) for level in wanted})


def session_statistics(logs: list[SessionLog]) -> dict[str, Any]:
    """What the operator is told about sessions: their figures together, and of ``each``."""
    from underspec.measure.interaction import interaction, summarise

    return {**summarise(logs).document(), "each": [interaction(one).document() for one in logs]}
