"""``underspec exhibits``: the papers' tables and figures for one's own runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, echo_folded, print_json

if TYPE_CHECKING:
    from underspec.report.exhibits.listing import Listed
    from underspec.report.exhibits.write import Written


@command
def exhibits(
    run: list[Path] = typer.Argument(
        None, metavar="RUN...", help="Folders or names of runs; the newest when left out."
    ),
    out: Path = typer.Option(
        None, "--out", help="Folder to write into; `exhibits` in the run's folder when left out (with several: here)."
    ),
    only: list[str] = typer.Option(
        [], "--only", metavar="SLUG", help="One exhibit, as --list names it; may be repeated."
    ),
    listing: bool = typer.Option(False, "--list", help="List all tables and figures with what each needs, and stop."),
    runs: Path = RUNS_OPTION,
    task: list[str] = typer.Option([], "--task", help="Where a task lies that is not bundled; may be repeated."),
    human: Path = typer.Option(
        None, "--human", metavar="STUDY", help="A study of `underspec annotate`, for ICAE Table XVI."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Make the tables and figures of ICAE-Bench and SWE-Clar from runs of one's own.

    Each one is made when conditions that it compares are present; nothing is configured. Writes exhibits.md, a CSV for
    each and an SVG for each figure.
    """
    from underspec.cli.report import run_folder
    from underspec.report.exhibits.catalogue import catalogue
    from underspec.report.exhibits.write import exhibit_document, listed_document, write_exhibits
    from underspec.report.human.seam import human_scores
    from underspec.report.human.study import Study
    from underspec.report.runs import read_runs
    from underspec.run.plan import Tasks
    from underspec.run.prepare import load_tasks
    from underspec.task.catalog import bundled_tasks
    from underspec.task.load import load_task

    chosen = _chosen(only)
    if listing:
        kept = [each for each in catalogue() if not chosen or each.slug in chosen]
        if as_json:
            print_json({"catalogue": [listed_document(each) for each in kept]})
        else:
            echo_folded("\n".join(f"{each.slug:18} {each.title}; needs {each.needs}" for each in kept), 19)
        return
    found = read_runs([run_folder(each, runs) for each in run] if run else [run_folder(None, runs)])
    bundled = {folder.name: folder for folder in bundled_tasks()}
    tasks = Tasks({**bundled, **(load_tasks(task).paths if task else {})}, load_task)
    folder = out or (found[0].folder / "exhibits" if len(found) == 1 else Path("exhibits"))
    scores = human_scores(Study(human).agreement()) if human is not None else None
    written = write_exhibits(found, tasks.__getitem__, folder, human=scores, only=chosen)
    if as_json:
        print_json(
            {
                "runs": [each.name for each in found],
                "folder": str(folder),
                "exhibits": [exhibit_document(exhibit, files) for exhibit, files in written.exhibits],
                "absent": [listed_document(each) for each in written.absent],
            }
        )
    else:
        echo_folded(_said(written, folder), 19)


def _chosen(only: Sequence[str]) -> list[str]:
    """The slugs that were asked for.

    Raises:
        UsageError: there is no such exhibit; names those that are near.
    """
    import difflib

    from underspec.errors import UsageError
    from underspec.report.exhibits.catalogue import catalogue

    known = [each.slug for each in catalogue()]
    for slug in only:
        if slug not in known:
            near = ", ".join(difflib.get_close_matches(slug, known, n=3))
            mend = f"did you mean {near}?" if near else "see `underspec exhibits --list`"
            raise UsageError(f"there is no exhibit {slug[:80]!r}", where="--only", mend=mend)
    return list(dict.fromkeys(only))


def _said(written: Written, folder: Path) -> str:
    from underspec.report.exhibits.write import PAGE
    from underspec.report.terminal import plain

    lines = [f"{exhibit.slug:18} {exhibit.name}. {exhibit.title}" for exhibit, _files in written.exhibits]
    lines += ["", f"{len(written.exhibits)} in {folder / PAGE}"] if lines else ["The runs give data for none."]
    if written.absent:
        lines += ["", "Absent:", *(_needs(each) for each in written.absent)]
    return plain("\n".join(lines))


def _needs(listed: Listed) -> str:
    return f"{listed.slug:18} needs {listed.needs}"
