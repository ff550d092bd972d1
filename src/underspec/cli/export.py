"""``underspec export``: runs for other programs, and for people who train."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from underspec.report.export.tables import Format
    from underspec.task.model import TaskToml


@command
def export(
    run: list[Path] = typer.Argument(..., metavar="RUN...", help="Folders or names of runs."),
    out: Path = typer.Option(..., "--out", help="The folder to write, which must not be there yet."),
    formats: list[str] = typer.Option(
        ["all"], "--format", help="Of tables: parquet, csv, jsonl, or all; may be repeated."
    ),
    public: bool = typer.Option(False, "--public", help="Leave out everything hidden, and all that anybody wrote."),
    messages: bool = typer.Option(True, "--messages/--no-messages", help="The builder's conversations, from the logs."),
    evidence: str = typer.Option("pointer", "--evidence", help="The engine's logs: pointer, or copy."),
    weight: list[str] = typer.Option(
        [], "--weight", metavar="NAME=NUMBER", help="Weight of a component in the reward; may be repeated."
    ),
    task: list[str] = typer.Option([], "--task", help="Where a task lies that is not bundled; may be repeated."),
    runs: Path = RUNS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Write runs as report.json, as tables (items, cases, questions, units, calls), and as trajectories with rewards.

    report.json says which tables and columns there are, and report.schema.json what stands in it. trajectories.jsonl
    has one line an item: what the agent's model was given and wrote, what was asked and replied, and the reward with
    its components.

    Example: underspec export main lite --out results --format parquet --public
    """
    from underspec.cli.report import run_folder
    from underspec.errors import UsageError
    from underspec.report.export.rewards import read_weights
    from underspec.report.export.write import Wanted
    from underspec.report.export.write import export as write_export

    if evidence not in ("pointer", "copy"):
        raise UsageError(f"{evidence[:40]!a} is nothing to do with logs", where="--evidence", mend="pointer or copy")
    folders = [run_folder(each, runs) for each in run]
    wanted = Wanted(
        formats=_formats(formats),
        weights=read_weights(weight),
        public=public,
        messages=messages,
        copy_evidence=evidence == "copy",
    )
    document = write_export(folders, out, wanted, find_toml=_tomls(task), progress=_Progress())
    if as_json:
        print_json({name: value for name, value in document.items() if name != "runs"} | {"out": str(out)})
    else:
        _print(document, out)


def _formats(given: list[str]) -> list[Format]:
    from underspec.errors import UsageError
    from underspec.report.export.tables import FORMATS

    if unknown := [name for name in given if name not in (*FORMATS, "all")]:
        mend = f"{', '.join(FORMATS)} or all"
        raise UsageError(f"tables are not written as {unknown[0][:40]!a}", where="--format", mend=mend)
    return [name for name in FORMATS if name in given or "all" in given]


def _tomls(tasks: list[str]) -> Callable[[str], TaskToml]:
    from underspec.errors import UsageError
    from underspec.run.prepare import load_tasks
    from underspec.task.catalog import bundled_tasks
    from underspec.task.load import read_toml

    paths = {folder.name: folder for folder in bundled_tasks()} | (load_tasks(tasks).paths if tasks else {})

    def find(task_id: str) -> TaskToml:
        if task_id not in paths:
            raise UsageError(f"there is no task {task_id!a} here", mend="give it with --task")
        return read_toml(paths[task_id])

    return find


class _Progress:
    """Says how far it is, now and then."""

    def __init__(self) -> None:
        import time

        self._now = time.monotonic
        self._said = self._now()

    def __call__(self, words: str) -> None:
        if self._now() - self._said >= 2:
            self._said = self._now()
            typer.echo(words, err=True)


def _print(document: dict[str, Any], out: Path) -> None:
    from underspec.report.terminal import plain

    for name, table in document["tables"].items():
        typer.echo(f"{name:10} {table['rows']:>9,} rows: {', '.join(table['files']) or 'not written'}")
    lines = document["trajectories"]
    typer.echo(f"{'items':10} {lines['lines']:>9,} lines: {lines['file']}")
    for why, number in lines["without_messages"].items():
        typer.echo(f"  {number} phases without messages: {why}")
    if lines["incomplete"]:
        typer.echo(f"  {lines['incomplete']} phases whose log and ledger differ in the number of calls")
    for note in document["notes"]:
        typer.echo(plain(f"note: {note}"))
    typer.echo(plain(f"written to {out}" + (", without anything hidden" if document["public"] else "")))
