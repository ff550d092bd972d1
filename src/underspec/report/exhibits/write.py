"""Exhibits as files: a page of Markdown, and one CSV, and one SVG for each figure, beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.artifact.files import write_atomic
from underspec.errors import UsageError
from underspec.report.exhibits.catalogue import catalogue, made
from underspec.report.exhibits.csv import to_csv
from underspec.report.exhibits.draw import svg
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Cell, Exhibit, Figure
from underspec.report.exhibits.human import HumanScores
from underspec.report.exhibits.listing import Listed
from underspec.report.exhibits.markdown import escaped, markdown
from underspec.report.runs import Run
from underspec.task.model import Task

PAGE = "exhibits.md"


@dataclass(frozen=True)
class Written:
    """What was made, with the names of its files, and what was not."""

    exhibits: Sequence[tuple[Exhibit, Sequence[str]]]
    absent: Sequence[Listed]
    files: Sequence[str] = field(default=())


def write_exhibits(
    runs: Sequence[Run],
    find_task: Callable[[str], Task],
    folder: Path,
    *,
    human: HumanScores | None = None,
    only: Sequence[str] = (),
) -> Written:
    """Write all exhibits that the runs give data for into ``folder``, or those whose slugs are in ``only``.

    ``exhibits.md`` has them all, and says what each absent one needs; ``SLUG.csv`` has one's rows, and ``SLUG.svg`` a
    figure. Files are written whole.

    Raises:
        StoreError: a run's folder is damaged.
        UsageError: there can be no such folder.
    """
    _make(folder)
    wanted = [each for each in catalogue() if not only or each.slug in only]
    written: list[tuple[Exhibit, Sequence[str]]] = []
    parts = [f"# Exhibits of {escaped(', '.join(run.name for run in runs))}", ""]
    for exhibit in made(Evidence(runs, find_task, human), wanted):
        files = [f"{exhibit.slug}.csv"]
        write_atomic(folder / files[0], to_csv(exhibit).encode("utf-8"))
        if isinstance(exhibit, Figure):
            files.append(f"{exhibit.slug}.svg")
            write_atomic(folder / files[1], svg(exhibit, standalone=True).encode("utf-8"))
        parts += [markdown(exhibit, image=files[1] if len(files) > 1 else None)]
        written.append((exhibit, files))
    names = {exhibit.slug for exhibit, _files in written}
    absent = [each for each in wanted if each.slug not in names]
    if absent:
        parts += [
            "## Absent",
            "",
            *(f"- {each.name}, {escaped(each.title)}: needs {each.needs}." for each in absent),
            "",
        ]
    write_atomic(folder / PAGE, "\n".join(parts).encode("utf-8"))
    return Written(written, absent, [PAGE, *(name for _exhibit, files in written for name in files)])


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        mend = "give a folder in which you may write, or one that can be made"
        raise UsageError(
            f"no folder can be made here: {error.strerror}", file=str(folder), where="--out", mend=mend
        ) from error


def exhibit_document(exhibit: Exhibit, files: Sequence[str] = ()) -> dict[str, Any]:
    """One exhibit as plain JSON values. Rates are 0 to 1."""
    figure = isinstance(exhibit, Figure)
    table = exhibit.data if isinstance(exhibit, Figure) else exhibit
    return {
        "name": exhibit.name,
        "slug": exhibit.slug,
        "title": exhibit.title,
        "kind": "figure" if figure else "table",
        **({"alternative": exhibit.alternative} if isinstance(exhibit, Figure) else {}),
        "columns": [{"key": column.key, "title": column.title, "kind": column.kind} for column in table.columns],
        "rows": [{column.key: _cell(row[column.key]) for column in table.columns} for row in table.rows],
        "notes": list(exhibit.notes),
        "files": list(files),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    span = {"interval": [cell.span.low, cell.span.high]} if cell.span else {}
    return {"value": cell.value, **span, **({"why": cell.why} if cell.why else {})}


def listed_document(listed: Listed) -> dict[str, Any]:
    """One line of the catalogue as plain JSON values."""
    return {"name": listed.name, "slug": listed.slug, "title": listed.title, "needs": listed.needs}
