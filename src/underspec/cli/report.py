"""``underspec report`` and ``underspec show``: reading runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, echo_folded, print_json

if TYPE_CHECKING:
    from underspec.report.runs import Run
    from underspec.run.plan import Tasks


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
    run: list[Path] = typer.Argument(
        None, metavar="[RUN]...", help="Folders or names of runs; the newest one if none."
    ),
    runs: Path = RUNS_OPTION,
    task: list[str] = typer.Option(
        [], "--task", help="Where a task lies that is not bundled, for requests and expected outputs; may be repeated."
    ),
    out: Path = typer.Option(
        None, "--out", help="Folder for the site; for a single run its folder's site/, or site-public/ with --public."
    ),
    public: bool = typer.Option(
        False, "--public", help="Write a site that can be handed on: everything that tasks hide is left out."
    ),
    show_hidden: bool = typer.Option(
        False, "--show-hidden", help="Make report-hidden.html too, which shows what was expected of hidden cases."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Turn runs into a site: leaderboard, tasks, items, comparisons. Opens from disk: FOLDER/index.html.

    Without --public the site is for the operator, and shows what tasks hide. For a single run there are also a table,
    report.json, and report.html: one file that shows what was expected of public cases only.

    Example: underspec report first-run second-run --out both --public
    """
    from underspec.errors import UsageError
    from underspec.report.site.write import PUBLIC_SITE, SITE, refuse_foreign

    wanted: list[Path | None] = [*(run or [])] or [None]
    paths = list(dict.fromkeys(run_folder(each, runs).resolve() for each in wanted))
    if len(paths) > 1 and out is None:
        raise UsageError("several runs make one site", where="--out", mend="say where it is to lie, with --out FOLDER")
    if len(paths) > 1 and show_hidden:
        raise UsageError("report-hidden.html is of a single run", where="--show-hidden", mend="leave it out")
    site = out if out is not None else paths[0] / (PUBLIC_SITE if public else SITE)
    refuse_foreign(site)
    _report(paths, _tasks(task), site, public=public, show_hidden=show_hidden, as_json=as_json)


def _tasks(selectors: list[str]) -> Tasks:
    """The bundled tasks and those that were given."""
    from underspec.run.plan import Tasks
    from underspec.run.prepare import load_tasks
    from underspec.task.catalog import bundled_tasks
    from underspec.task.load import load_task

    bundled = {folder.name: folder for folder in bundled_tasks()}
    return Tasks({**bundled, **(load_tasks(selectors).paths if selectors else {})}, load_task)


def _report(paths: list[Path], tasks: Tasks, site: Path, *, public: bool, show_hidden: bool, as_json: bool) -> None:
    from underspec import __version__
    from underspec.cli.report_progress import ReportProgress
    from underspec.cli.run import show_report, write_report
    from underspec.report.document import report_document
    from underspec.report.exhibits.catalogue import exhibits
    from underspec.report.runs import read_runs
    from underspec.report.site.plan import plan_site
    from underspec.report.site.write import write_site
    from underspec.run.store import RunStore

    plan = plan_site(paths, tasks.paths, "public" if public else "operator", version=__version__)
    read: list[Run] = []

    def read_once() -> list[Run]:
        read.extend(read_runs(paths))
        return read

    with ReportProgress() as progress:
        written = write_site(
            plan, read_once, site, exhibits=lambda found: exhibits(found, tasks.__getitem__), progress=progress
        )
    if len(read) == 1:
        document, pages = write_report(RunStore(paths[0]), tasks, show_hidden=show_hidden, collected=read[0].items)
    else:
        each = [report_document(one.name, one.items, comparable=one.comparable) for one in read]
        document, pages = {"schema": 1, "runs": each}, []
    if as_json:
        print_json({**document, "site": str(written.index)})
        return
    if len(read) == 1:
        show_report(document, paths[0], False, pages)
    who = "to hand on" if public else "for the operator alone"
    typer.echo(f"as a site, {who}: {written.index} ({written.pages:,} pages)")


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
