"""``underspec report`` and ``underspec show``: reading runs."""

from __future__ import annotations

from pathlib import Path

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, print_json


def newest_run(runs: Path) -> Path:
    """The run whose manifest was written last.

    Raises:
        UsageError: there is none.
    """
    from underspec.errors import UsageError
    from underspec.run.manifest import FILE

    found = sorted(runs.glob(f"*/{FILE}"), key=lambda path: path.stat().st_mtime) if runs.is_dir() else []
    if not found:
        raise UsageError(
            "there is no run yet", file=str(runs), mend="make one with `underspec run` or `underspec demo`"
        )
    return found[-1].parent


@command
def report(
    run: Path = typer.Argument(None, help="Folder of a run; the newest one when left out."),
    runs: Path = RUNS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Turn a run into a table; also writes report.json into it."""
    from underspec.artifact.files import write_atomic
    from underspec.cli.run import show_report
    from underspec.report.collect import collect
    from underspec.report.document import document_bytes, report_document
    from underspec.run.manifest import read_manifest
    from underspec.run.store import RunStore

    path = run or newest_run(runs)
    manifest = read_manifest(path)
    document = report_document(path.name, collect(RunStore(path)), comparable=manifest["sandbox"]["comparable"])
    write_atomic(path / "report.json", document_bytes(document))
    show_report(document, path, as_json)


@command
def show(
    item: str = typer.Argument(..., help="Part of an item's folder name, or the start of its id."),
    run: Path = typer.Option(None, "--run", help="Folder of a run; the newest one when left out."),
    runs: Path = RUNS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Show one item: how it was built, what was asked and replied, what failed."""
    from underspec.report.collect import collect_item
    from underspec.report.item import item_document, item_text
    from underspec.run.manifest import read_manifest
    from underspec.run.store import RunStore

    path = run or newest_run(runs)
    read_manifest(path)
    store = RunStore(path)
    found = store.find(item)
    collected = collect_item(store, found)
    if as_json:
        print_json(item_document(collected, path / "items" / found.folder))
    else:
        typer.echo(item_text(collected, path / "items" / found.folder))
