"""``underspec report`` and ``underspec show``: reading runs."""

from __future__ import annotations

from pathlib import Path

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, echo_folded, print_json


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


def run_folder(run: Path | None, runs: Path) -> Path:
    """The folder of a run: as given, or that name among ``runs``, or the newest one.

    Raises:
        UsageError: there is no run there.
    """
    from underspec.errors import UsageError
    from underspec.run.manifest import FILE

    if run is None:
        return newest_run(runs)
    for folder in (run, runs / run):
        if (folder / FILE).exists():
            return folder
    known = sorted(path.parent.name for path in runs.glob(f"*/{FILE}"))
    mend = f"runs in {runs}: {', '.join(known[:10])}" if known else "give a folder that `underspec run` made"
    raise UsageError("this is no run", file=str(run), mend=mend)


@command
def report(
    run: Path = typer.Argument(None, help="Folder or name of a run; the newest one when left out."),
    runs: Path = RUNS_OPTION,
    task: list[str] = typer.Option(
        [], "--task", help="Where a task lies that is not bundled, for what was expected; may be repeated."
    ),
    show_hidden: bool = typer.Option(
        False, "--show-hidden", help="Make report-hidden.html too, which shows what was expected of hidden cases."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Turn a run into a table; also writes report.json and the page report.html into it.

    The page is one file that needs nothing else. It shows what was expected of public cases only. Give a page with
    hidden cases to nobody who builds or tunes agents.
    """
    from underspec.cli.run import show_report, write_report
    from underspec.run.plan import Tasks
    from underspec.run.prepare import load_tasks
    from underspec.run.store import RunStore
    from underspec.task.catalog import bundled_tasks
    from underspec.task.load import load_task

    path = run_folder(run, runs)
    bundled = {folder.name: folder for folder in bundled_tasks()}
    tasks = Tasks({**bundled, **(load_tasks(task).paths if task else {})}, load_task)
    document, pages = write_report(RunStore(path), tasks, show_hidden=show_hidden)
    show_report(document, path, as_json, pages)


@command
def show(
    item: str = typer.Argument(..., help="Part of an item's folder name, such as an agent, or the start of its id."),
    run: Path = typer.Option(None, "--run", help="Folder or name of a run; the newest one when left out."),
    runs: Path = RUNS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Show one item: how it was built, what was asked and replied, what failed."""
    from underspec.report.collect import collect_item
    from underspec.report.item import item_document, item_text
    from underspec.run.manifest import read_manifest
    from underspec.run.store import RunStore

    path = run_folder(run, runs)
    read_manifest(path)
    store = RunStore(path)
    found = store.find(item)
    collected = collect_item(store, found)
    if as_json:
        print_json(item_document(collected, path / "items" / found.folder))
    else:
        echo_folded(item_text(collected, path / "items" / found.folder))
