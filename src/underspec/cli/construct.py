"""``underspec construct``: from a repository or a commission to a task, in stages that can be stopped and edited."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, print_json, run_async

if TYPE_CHECKING:
    from underspec.construct.project import Project
    from underspec.construct.runner import Runner

_DEFAULT = "repository"


class _Group(TyperGroup):
    """``construct REPO`` is ``construct repository REPO``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help=(
        "Turn a repository into a task: `underspec construct REPO --out TASK --model provider/name`.\n\n"
        "REPO is pypi:NAME==VERSION, npm:NAME@VERSION, deb:NAME@VERSION, an archive, or the folder of a checkout. "
        "Each stage leaves files that can be read and edited, and has a gate that runs for real."
    ),
)

_WORK = typer.Argument(..., help="The working folder of a construction.")
_MODEL = typer.Option("", "--model", help="Model for every stage, as provider/name. Without one, people write.")
_STAGE_MODEL = typer.Option([], "--stage-model", help="STAGE=MODEL: another model for one stage; may be repeated.")
_OPTION = typer.Option([], "--set", help="STAGE.NAME=VALUE: an option of a stage, VALUE as JSON or a word.")
_UNTIL = typer.Option("", "--until", help="Stop after this stage.")
_REDO = typer.Option([], "--redo", help="Propose this stage anew, whatever it holds; may be repeated.")
_MAX_COST = typer.Option(None, "--max-cost", help="Dollars that models may cost in all.")


@app.command(_DEFAULT, hidden=True)
@command
def repository(
    repo: str = typer.Argument(..., help="The repository."),
    out: Path = typer.Option(..., "--out", help="Folder for the finished task."),
    work: Path = typer.Option(None, "--work", help="Working folder; OUT.construct when left out."),
    task: str = typer.Option("", "--task", help="The task's id; the name of OUT when left out."),
    model: str = _MODEL,
    stage_model: list[str] = _STAGE_MODEL,
    thinking: str = typer.Option("", "--thinking", help="off, adaptive, max or a number of tokens."),
    prompts: Path = typer.Option(None, "--prompts", help="Folder with prompts of your own."),
    option: list[str] = _OPTION,
    repairs: int = typer.Option(3, "--repairs", help="How often a gate's findings go back to the model."),
    max_cost: float = _MAX_COST,
    until: str = _UNTIL,
    redo: list[str] = _REDO,
    dry_run: bool = typer.Option(False, "--dry-run", help="Say what it may cost at most, and do nothing."),
    sandbox: str = SANDBOX_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Turn a repository into a task. The same command goes on where it stopped.

    Exit code 1 when a gate stays shut; `underspec construct status WORK` says why.
    """
    from underspec.construct.project import FILE, Project, read_project, write_project
    from underspec.construct.publish import refuse_other
    from underspec.construct.source import understand
    from underspec.errors import UsageError

    folder = work or out.with_name(f"{out.name}.construct")
    known = read_project(folder) if (folder / FILE).is_file() else None
    source = repo if ":" in repo and not Path(repo).exists() else str(Path(repo).absolute())
    understand(source)
    identifier = task or (known.task if known else re.sub(r"[^a-z0-9-]+", "-", out.name.lower()).strip("-"))
    if known and (known.source, known.task) != (source, identifier):
        mend = "name another --work, or remove it"
        raise UsageError(f"is the working folder of {known.task} from {known.source}", file=str(folder), mend=mend)
    refuse_other(out, identifier)
    project = project_of(
        known,
        kind="repository",
        task=identifier,
        source=source,
        out=str(out.absolute()),
        model=settled_model(model),
        thinking=thinking or None,
        prompts=str(prompts.absolute()) if prompts else None,
        sandbox=sandbox,
        repairs=repairs,
        max_cost=max_cost,
    )
    project = with_options(project, stage_model, option)
    assert isinstance(project, Project)
    if dry_run:
        say_bound(project, as_json)
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_project(folder, project)
    go_on(folder, until, redo, as_json)


@app.command("rank", short_help="Select among many repositories, and rank them.")
@command
def rank(
    repos: list[str] = typer.Argument(..., help="Repositories, named as for `construct REPO`."),
    work: Path = typer.Option(Path("candidates"), "--work", help="Folder that holds one working folder for each."),
    model: str = _MODEL,
    option: list[str] = _OPTION,
    max_cost: float = typer.Option(None, "--max-cost", help="Dollars that the model may cost for each repository."),
    sandbox: str = SANDBOX_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Bring many repositories through select and rank them: all tests pass twice, licence, marks, then size.

    Exit code 1 when none is kept. The same command goes on where it stopped.
    """
    from rich import box
    from rich.table import Table

    from underspec.cli.common import ready_backend
    from underspec.construct.batch import rank as rank_all
    from underspec.report.terminal import plain, report_console

    fields = {"kind": "repository", "task": "candidate", "source": "candidates", "out": str(work.absolute())}
    template = project_of(None, **fields, model=settled_model(model), max_cost=max_cost, sandbox=sandbox, repairs=1)
    template = with_options(template, [], option)
    sources = [repo if not Path(repo).exists() else str(Path(repo).absolute()) for repo in repos]
    backend = ready_backend(sandbox)
    say = _say_on_stderr
    ranked = run_async(rank_all(sources, work, template, lambda: backend, say))
    if as_json:
        print_json({"repositories": [one.document() for one in ranked]})
    else:
        table = Table("", "Repository", "Language", "Licence", "Files", "Lines", "Tests", "Mark", box=box.SIMPLE_HEAD)
        for one in ranked:
            row = one.document()
            mark = "" if one.mark is None else f"{one.mark:.2f}"
            figures = ("" if row[name] is None else str(row[name]) for name in ("files", "lines", "tests"))
            words = (plain(str(row[name] or "")) for name in ("source", "language", "license"))
            table.add_row("kept" if one.kept else "refused", *words, *figures, mark)
        report_console().print(table)
        for one in ranked:
            for reason in one.reasons:
                typer.echo(plain(f"{one.source}: {reason}"))
    if not any(one.kept for one in ranked):
        raise typer.Exit(1)


def _say_on_stderr(words: str) -> None:
    from underspec.report.terminal import plain

    typer.echo(plain(words), err=True)


@app.command("resume", short_help="Go on: stages that passed stay.")
@command
def resume(
    work: Path = _WORK,
    model: str = _MODEL,
    stage_model: list[str] = _STAGE_MODEL,
    option: list[str] = _OPTION,
    max_cost: float = _MAX_COST,
    until: str = _UNTIL,
    redo: list[str] = _REDO,
    as_json: bool = JSON_OPTION,
) -> None:
    """Go on: stages that passed stay, edited ones are judged again, what changed is done anew.

    Exit code 1 when a gate stays shut.
    """
    from underspec.construct.project import read_project, write_project

    project = read_project(work)
    given: dict[str, Any] = {}
    if model:
        given["model"] = settled_model(model)
    if max_cost is not None:
        given["max_cost"] = max_cost
    changed = with_options(project.model_copy(update=given), stage_model, option)
    if changed != project:
        write_project(work, changed)
    go_on(work, until, redo, as_json)


@app.command("status")
@command
def status(work: Path = _WORK, as_json: bool = JSON_OPTION) -> None:
    """Say how each stage stands, what its gate found, and where its files are."""
    from underspec.construct.status import status_document

    document = status_document(_runner(work, lambda words: None))
    if as_json:
        print_json(document)
        return
    _print_status(document)


@app.command("edit", short_help="Show where a stage's files are, or open one.")
@command
def edit(
    work: Path = _WORK,
    file: str = typer.Argument(..., help="STAGE, or STAGE/FILE to open it in $VISUAL or $EDITOR."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Show where a stage's files are and what each is, or open one. `resume` notices what was changed."""
    from underspec.construct.folder import StageFolder, tree_digest
    from underspec.construct.status import place
    from underspec.errors import EnvironmentLacksError, UsageError
    from underspec.report.terminal import plain

    runner = _runner(work, lambda words: None)
    name, _, rest = file.partition("/")
    stage = next((one for one in runner.stages if one.name == name), None)
    if stage is None:
        known = ", ".join(one.name for one in runner.stages)
        raise UsageError(f"there is no stage {name!r}", mend=f"the stages are {known}")
    folder = StageFolder(work, name)
    changed = None
    if rest:
        path = place(work, file)
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not editor:
            raise EnvironmentLacksError("no editor is set", mend=f"set EDITOR, or edit {path} by any means")
        before = tree_digest(folder.out)
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=False)
        except (OSError, ValueError) as error:
            mend = f"set EDITOR to a program that there is, or edit {path} by any means"
            raise EnvironmentLacksError(f"the editor {editor!a} cannot be started: {error}", mend=mend) from error
        changed = tree_digest(folder.out) != before
    document = {"stage": name, "folder": str(folder.out), "files": dict(stage.files), "changed": changed}
    if as_json:
        print_json(document)
        return
    typer.echo(plain(f"files of {name} are in {folder.out}"))
    for path_name, what in stage.files.items():
        typer.echo(plain(f"  {path_name}: {what}"))
    if changed is not None:
        typer.echo("changed; `underspec construct resume` judges it" if changed else "not changed")


@app.command("diff", short_help="Show what differs between two states of a stage.")
@command
def diff(
    work: Path = _WORK,
    old: str = typer.Argument(..., help="STAGE, STAGE/FILE, or STAGE@N/FILE for files of an earlier proposal."),
    new: str = typer.Argument("", help="What to compare it with; its latest state when left out."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Show what differs between two states of a stage's files, or between two files.

    With one name alone: the state before the last proposal, and now. Exit code 1 when something differs.
    """
    from underspec.construct.folder import StageFolder
    from underspec.construct.project import read_project
    from underspec.construct.status import differences, place
    from underspec.errors import UsageError
    from underspec.report.terminal import plain

    read_project(work)
    first, second = old, new
    if not second:
        name, _, rest = old.partition("/")
        name, _, number = name.partition("@")
        earlier = StageFolder(work, name).earlier()
        if not earlier:
            raise UsageError(f"there are no earlier files of {name!r}", mend="name two states, as STAGE/FILE")
        suffix = f"/{rest}" if rest else ""
        first, second = f"{name}@{number or earlier[-1].name}{suffix}", f"{name}{suffix}"
    lines = list(differences(place(work, first), place(work, second)))
    if as_json:
        print_json({"old": first, "new": second, "differs": bool(lines), "lines": lines})
    else:
        for line in lines:
            typer.echo(plain(line))
    if lines:
        raise typer.Exit(1)


def project_of(known: Project | None, **fields: Any) -> Project:
    """The project as asked for; what is not said again stays as it was."""
    from pydantic import ValidationError

    from underspec.artifact.base import json_path
    from underspec.construct.project import Project
    from underspec.errors import UsageError

    kept = {name: value for name, value in fields.items() if value is not None}
    try:
        return Project.model_validate({**(known.model_dump() if known else {}), **kept})
    except ValidationError as error:
        first: Any = error.errors()[0]
        if first["loc"] == ("task",):
            mend = "give --task with 2 to 63 lower-case letters, digits and '-'; without it the name of --out is taken"
            raise UsageError(f"{kept.get('task')!r} cannot be a task's id", where="--task", mend=mend) from error
        raise UsageError(str(first["msg"]), where=json_path(first["loc"]), mend="correct that option") from error


def settled_model(name: str) -> str | None:
    """A model's name as it is kept: a script is found again from any folder. None for no model."""
    provider, slash, path = name.partition("/")
    return f"{provider}/{Path(path).absolute()}" if provider == "scripted" and slash and path else name or None


def with_options(project: Project, stage_models: list[str], options: list[str]) -> Project:
    """A project with ``--stage-model`` and ``--set`` taken in."""
    import json

    from underspec.construct.pipeline import stages_of
    from underspec.errors import UsageError
    from underspec.model.spec import make_spec

    models, found = dict(project.stage_models), {name: dict(one) for name, one in project.options.items()}
    for text in stage_models:
        stage, equals, name = text.partition("=")
        if not (stage and equals and name):
            raise UsageError(f"--stage-model {text!r} is not STAGE=MODEL", mend="write, say, enhance=provider/name")
        models[stage] = settled_model(name) or name
    for text in options:
        path, equals, value = text.partition("=")
        stage, dot, name = path.partition(".")
        if not (stage and dot and name and equals):
            raise UsageError(f"--set {text!r} is not STAGE.NAME=VALUE", mend="write, say, select.seconds=600")
        try:
            read = json.loads(value)
        except ValueError:
            read = value
        found.setdefault(stage, {})[name] = read
    known = [stage.name for stage in stages_of(project.kind)]
    if unknown := [stage for stage in (*models, *found) if stage not in known]:
        raise UsageError(f"there is no stage {unknown[0]!a}", mend=f"the stages are {', '.join(known)}")
    for name in {*models.values(), *([project.model] if project.model else [])}:
        make_spec(name, thinking=project.thinking)
    return project.model_copy(update={"stage_models": models, "options": found})


def _runner(work: Path, say: Callable[[str], None]) -> Runner:
    from underspec.cli.common import ready_backend
    from underspec.construct.pipeline import stages_of
    from underspec.construct.project import read_project
    from underspec.construct.runner import Runner

    project = read_project(work)
    return Runner(work, project, stages_of(project.kind), lambda: ready_backend(project.sandbox), say)


def go_on(work: Path, until: str, redo: list[str], as_json: bool) -> None:
    """Run, publish when all stages have passed, and say how it stands."""
    from underspec.construct.publish import made_task, publish_task
    from underspec.construct.status import status_document

    runner = _runner(work, _say_on_stderr)
    passed = run_async(runner.run(until=until or None, redo=redo))
    document = status_document(runner)
    if document["done"]:
        made = made_task(runner.folder(runner.stages[-1].name).out, runner.project.task)
        publish_task(made, Path(runner.project.out), runner.project.task)
    if as_json:
        print_json(document)
    else:
        _print_status(document)
    if not passed:
        raise typer.Exit(1)


def _print_status(document: dict[str, Any]) -> None:
    from underspec.report.terminal import plain

    typer.echo(plain(f"{document['task']}, from {document['source']}"))
    for stage in document["stages"]:
        turns = len(stage["turns"])
        note = ", edited by hand" if stage["edited"] else ""
        typer.echo(plain(f"{stage['name']:<9} {stage['standing']}{note}" + (f", {turns} turns" if turns else "")))
        gate = stage["gate"] or {"findings": []}
        for finding in gate["findings"]:
            where = ", ".join(part for part in (finding["file"], finding["where"]) if part)
            typer.echo(
                plain(
                    f"  {finding['severity']}: {finding['kind']}: {where + ': ' if where else ''}{finding['message']}"
                )
            )
            if finding["evidence"]:
                typer.echo(plain(f"    seen: {finding['evidence']}"))
            if finding["mend"]:
                typer.echo(plain(f"    mend: {finding['mend']}"))
    typer.echo(f"models have cost ${document['cost']:.4f} so far")
    if document["done"]:
        typer.echo(plain(f"done: the task is in {document['out']}"))


def say_bound(project: Project, as_json: bool) -> None:
    from underspec.construct.bound import cost_bound
    from underspec.construct.pipeline import stages_of
    from underspec.model.prices import load_prices
    from underspec.report.terminal import plain

    bound = cost_bound(stages_of(project.kind), project, load_prices())
    if as_json:
        print_json(bound)
        return
    for row in bound["stages"]:
        dollars = "price not known" if row["dollars"] is None else f"${row['dollars']:.2f}"
        typer.echo(plain(f"{row['stage']:<9} at most {row['calls']} calls, {dollars} ({row['model'] or 'no model'})"))
    known = bound["at_most"]
    typer.echo(f"in all at most {bound['calls']} calls, {'price not known' if known is None else f'${known:.2f}'}")
