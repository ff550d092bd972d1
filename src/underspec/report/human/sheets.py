"""Sheets for annotators: which cells there are, in which order, as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from underspec.artifact.canonical import digest_of
from underspec.artifact.human import AnnotationKey, Sample, StudyKind
from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.errors import UsageError

FIXED = ("study", "annotator", "sample")
COLUMNS: dict[StudyKind, tuple[str, ...]] = {
    "critic": (*FIXED, *CRITIC_DIMENSIONS, "note"),
    "judge": (*FIXED, "unit", "label", "note"),
}
"""Every column of a sheet, in order. Annotators fill in what stands after ``sample``, or ``unit``."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


def check_annotators(names: Sequence[str]) -> tuple[str, ...]:
    """Names that can stand in file names, each once.

    Raises:
        UsageError: one cannot, or comes twice.
    """
    for name in names:
        if not _NAME.fullmatch(name):
            mend = "use letters, digits, dots, dashes and underscores, at most 40; no real names are needed"
            raise UsageError(f"{name[:80]!a} cannot name an annotator", where="--annotator", mend=mend)
    if twice := [name for name in names if sum(each.lower() == name.lower() for each in names) > 1]:
        raise UsageError(f"two annotators are called {twice[0]}", where="--annotator", mend="give each their own name")
    return tuple(names)


def ordered(key: AnnotationKey, annotator: str) -> list[Sample]:
    """The samples in this annotator's own order, so that no two people tire at the same ones."""
    return sorted(key.samples, key=lambda each: digest_of([key.seed, key.study, annotator, each.id]))


def sheet_rows(key: AnnotationKey, annotator: str) -> list[tuple[str, ...]]:
    """The fixed cells of each row: one a sample, or one an answer."""
    rows: list[tuple[str, ...]] = []
    for sample in ordered(key, annotator):
        begin = (key.study, annotator, sample.id)
        rows += [begin] if key.kind == "critic" else [(*begin, unit) for unit in sample.units]
    return rows


def sheet_csv(key: AnnotationKey, annotator: str) -> bytes:
    """An empty sheet: UTF-8 with the mark by which spreadsheets know it."""
    columns = COLUMNS[key.kind]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([*row, *[""] * (len(columns) - len(row))] for row in sheet_rows(key, annotator))
    return text.getvalue().encode("utf-8-sig")
