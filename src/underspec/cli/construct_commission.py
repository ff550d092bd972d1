"""``underspec construct commission`` and ``construct sign``: a commission becomes a task, and people say so."""

from __future__ import annotations

import re
from pathlib import Path

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, print_json
from underspec.cli.construct import go_on, project_of, say_bound, settled_model, with_options


@command
def commission(
    source: Path = typer.Argument(..., help="Folder with request.md, conversation.json, job.toml and materials/."),
    out: Path = typer.Option(..., "--out", help="Folder for the finished task."),
    work: Path = typer.Option(None, "--work", help="Working folder; OUT.construct when left out."),
    task: str = typer.Option("", "--task", help="The task's id; the name of OUT when left out."),
    model: str = typer.Option(
        "", "--model", help="Model for every stage, as provider/name. Without one, people write."
    ),
    stage_model: list[str] = typer.Option([], "--stage-model", help="STAGE=MODEL; may be repeated."),
    thinking: str = typer.Option("", "--thinking", help="off, adaptive, max or a number of tokens."),
    prompts: Path = typer.Option(None, "--prompts", help="Folder with prompts of your own."),
    option: list[str] = typer.Option([], "--set", help="STAGE.NAME=VALUE, such as screen.least_payment=500."),
    repairs: int = typer.Option(3, "--repairs", help="How often a gate's findings go back to the model."),
    max_cost: float = typer.Option(None, "--max-cost", help="Dollars that models may cost in all."),
    until: str = typer.Option("", "--until", help="Stop after this stage."),
    redo: list[str] = typer.Option([], "--redo", help="Propose this stage anew; may be repeated."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Say what it may cost at most, and do nothing."),
    sandbox: str = SANDBOX_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Turn a client's request and conversation into a commission. The same command goes on where it stopped.

    Exit code 1 when a gate stays shut. The last one waits for two reviewers: `underspec construct sign`.
    """
    from underspec.construct.project import FILE, read_project, write_project
    from underspec.construct.publish import refuse_other
    from underspec.errors import UsageError

    folder = work or out.with_name(f"{out.name}.construct")
    known = read_project(folder) if (folder / FILE).is_file() else None
    identifier = task or (known.task if known else re.sub(r"[^a-z0-9-]+", "-", out.name.lower()).strip("-"))
    place = str(source.absolute())
    if known and (known.kind, known.source, known.task) != ("commission", place, identifier):
        mend = "name another --work, or remove it"
        raise UsageError(f"is the working folder of {known.task} from {known.source}", file=str(folder), mend=mend)
    refuse_other(out, identifier)
    project = project_of(
        known,
        kind="commission",
        task=identifier,
        source=place,
        out=str(out.absolute()),
        model=settled_model(model),
        thinking=thinking or None,
        prompts=str(prompts.absolute()) if prompts else None,
        sandbox=sandbox,
        repairs=repairs,
        max_cost=max_cost,
    )
    project = with_options(project, stage_model, option)
    if dry_run:
        say_bound(project, as_json)
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_project(folder, project)
    go_on(folder, until, redo, as_json)


@command
def sign(
    work: Path = typer.Argument(..., help="The working folder of a commission."),
    reviewer: str = typer.Option(..., "--reviewer", help="Who has read the task."),
    note: str = typer.Option("", "--note", help="What the reviewer wants to be remembered."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Say that you have read the task as it is now: its parts agree, its interface is fixed, it points to nobody.

    Two different reviewers are needed; `underspec construct resume WORK` then releases the task.
    """
    from underspec.construct.commission.signoff import CHECKS
    from underspec.construct.commission.signoff import sign as record
    from underspec.construct.folder import StageFolder
    from underspec.construct.project import read_project
    from underspec.errors import UsageError
    from underspec.report.terminal import plain

    if read_project(work).kind != "commission":
        raise UsageError("is no working folder of a commission", file=str(work), mend="only commissions are signed")
    one = record(StageFolder(work, "signoff").out, reviewer, note)
    if as_json:
        print_json(one.model_dump(mode="json"))
        return
    typer.echo(plain(f"{one.reviewer} has signed {one.digest[:16]}:"))
    for words in CHECKS.values():
        typer.echo(f"  {words}")
    typer.echo(plain(f"go on with: underspec construct resume {work}"))


def add_to(app: typer.Typer) -> None:
    """Put both commands among those of ``construct``."""
    app.command("commission")(commission)
    app.command("sign", short_help="Say that you have read the task as it is now.")(sign)
