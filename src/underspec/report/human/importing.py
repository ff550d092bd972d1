"""Reading sheets that came back: strictly, so that no cell is misread, and without losing what was there before."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from underspec.artifact.canonical import sha256_hex
from underspec.artifact.files import NotRegularError, read_regular
from underspec.artifact.human import (
    MOST_NOTE,
    AnnotationKey,
    AnswerLabel,
    HumanScores,
    ImportedSheet,
    Rating,
    Superseded,
)
from underspec.artifact.judgements import Label
from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.report.export.inert import active
from underspec.report.human.sheets import COLUMNS, FIXED

MOST_BYTES = 20_000_000
_LABELS = [str(label) for label in Label]
_DECIMAL_COMMA = re.compile(r"[0-9]{1,3},[0-9]{1,2}")
"""Spreadsheets of many countries write decimals so. A thousand would be no score."""
_SAVE = "save the sheet as CSV in UTF-8"
Cells = dict[tuple[str, ...], dict[str, str]]
"""What a sheet says: values that are not empty by column, for each place (sample, or sample and unit)."""


@dataclass(frozen=True)
class SheetError:
    """One thing that is wrong with a sheet. ``row`` counts from 1, the header's; None where it is the whole file."""

    file: str
    message: str
    mend: str
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        place = f"{f', row {self.row}' if self.row else ''}{f', column {self.column}' if self.column else ''}"
        return f"{self.file}{place}: {self.message} ({self.mend})"


@dataclass
class ReadSheet:
    """A sheet as read; of use only where there are no ``errors``."""

    file: str
    data: bytes = b""
    annotator: str = ""
    rows: int = 0
    cells: Cells = field(default_factory=dict)
    errors: list[SheetError] = field(default_factory=list)

    def fault(self, message: str, mend: str, row: int | None = None, column: str | None = None) -> None:
        """Something is wrong."""
        self.errors.append(SheetError(self.file, message, mend, row, column))


def read_sheet(key: AnnotationKey, path: Path, annotators: Collection[str] = ()) -> ReadSheet:
    """Read one sheet. Whatever is wrong with it is in ``errors``, all of it at once.

    ``annotators`` are those for whom there are sheets; anybody where it is empty.
    """
    sheet = ReadSheet(path.name)
    text = _text(sheet, path)
    if text is None:
        return sheet
    columns = COLUMNS[key.kind]
    rows = _rows(text)
    header: list[str] = []
    row = 0
    try:
        for row, values in rows:
            if header:
                break
            header = [name.strip().lower() for name in values]
            if problem := _header_problem(header, columns):
                sheet.fault(problem, f"the first row must be: {', '.join(columns)}", row=row)
                return sheet
            reader = _Rows(key, sheet, header, annotators)
            for row, each in rows:
                reader.take(row, each)
    except csv.Error as error:
        sheet.fault(f"cannot be read as CSV after this: {error}", _SAVE, row=row or 1)
    if not sheet.rows and not sheet.errors:
        sheet.fault("has no row", f"name a sheet that was filled in; its first row is: {', '.join(columns)}")
    return sheet


def _text(sheet: ReadSheet, path: Path) -> str | None:
    try:
        sheet.data = read_regular(path)
        text = sheet.data.decode("utf-8-sig")
    except FileNotFoundError:
        sheet.fault("there is no such file", "name a sheet that came back")
    except (OSError, NotRegularError):
        sheet.fault("cannot be read as a file", "name a CSV file that you may read")
    except UnicodeDecodeError as error:
        sheet.fault(f"byte {error.start} is no UTF-8", _SAVE, row=sheet.data[: error.start].count(b"\n") + 1)
    else:
        if len(sheet.data) <= MOST_BYTES and "\0" not in text:
            return text
        sheet.fault("is no CSV file", _SAVE)
    return None


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, each with its number as a spreadsheet has it. Spreadsheets of some countries write
    semicolons, or tabs."""
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    return ((row, values) for row, values in enumerate(reader, 1) if any(value.strip() for value in values))


def _header_problem(header: Sequence[str], columns: Sequence[str]) -> str | None:
    twice = [name for name, number in Counter(header).items() if number > 1 and name]
    if twice:
        return f"the column {twice[0]} comes twice"
    if missing := [name for name in columns if name not in header]:
        return f"the column {missing[0]} is missing"
    unknown = [name for name in header if name and name not in columns]
    return f"there is no column {unknown[0]!a}" if unknown else None


class _Rows:
    """Takes the rows of one sheet, checking each against the key."""

    def __init__(self, key: AnnotationKey, sheet: ReadSheet, header: Sequence[str], people: Collection[str]) -> None:
        self._key = key
        self._sheet = sheet
        self._header = header
        self._people = people
        self._units = {sample.id: frozenset(sample.units) for sample in key.samples}
        self._seen: dict[tuple[str, ...], int] = {}

    def take(self, row: int, values: Sequence[str]) -> None:
        """One row below the header."""
        header = self._header
        if len(values) > len(header) and any(value.strip() for value in values[len(header) :]):
            self._sheet.fault(
                f"has {len(values)} cells, not {len(header)}", "put text with commas into quotation marks", row
            )
            return
        cells = {name: value.strip() for name, value in zip(header, values, strict=False) if name}
        for name in COLUMNS[self._key.kind]:
            cells.setdefault(name, "")
        place = self._place(row, cells)
        if place is None:
            return
        given = {name: value for name in self._columns() if (value := self._value(row, name, cells[name])) is not None}
        self._sheet.rows += 1
        self._sheet.cells[place] = given

    def _columns(self) -> tuple[str, ...]:
        return (*CRITIC_DIMENSIONS, "note") if self._key.kind == "critic" else ("label", "note")

    def _place(self, row: int, cells: dict[str, str]) -> tuple[str, ...] | None:
        key, sheet = self._key, self._sheet
        if cells["study"] != key.study:
            mend = f"this study is {key.study}; put the cell back, or import the sheet where it belongs"
            self._sheet.fault(f"{cells['study'][:40]!a} is another study", mend, row, "study")
            return None
        if not cells["annotator"]:
            self._sheet.fault("nobody's name stands here", "put the annotator's name back", row, "annotator")
            return None
        if self._people and cells["annotator"] not in self._people:
            mend = f"there are sheets for {', '.join(sorted(self._people))}"
            self._sheet.fault(f"there is no sheet for {cells['annotator'][:40]!a}", mend, row, "annotator")
            return None
        sheet.annotator = sheet.annotator or cells["annotator"]
        if cells["annotator"] != sheet.annotator:
            mend = f"a sheet is one person's; the rows above are {sheet.annotator}'s"
            self._sheet.fault(f"{cells['annotator'][:40]!a} is somebody else", mend, row, "annotator")
            return None
        units = self._units.get(cells["sample"])
        if units is None:
            mend = "put back the id that the sheet had"
            self._sheet.fault(f"there is no sample {cells['sample'][:40]!a}", mend, row, "sample")
            return None
        place: tuple[str, ...] = (cells["sample"],)
        if key.kind == "judge":
            if cells["unit"] not in units:
                mend = f"the sample has {', '.join(sorted(units))}"
                self._sheet.fault(f"the sample has no unit {cells['unit'][:40]!a}", mend, row, "unit")
                return None
            place = (cells["sample"], cells["unit"])
        if place in self._seen:
            column = FIXED[2] if key.kind == "critic" else "unit"
            self._sheet.fault(
                f"{'/'.join(place)} stood in row {self._seen[place]}", "keep one of the two rows", row, column
            )
            return None
        self._seen[place] = row
        return place

    def _value(self, row: int, column: str, text: str) -> str | None:
        """The value of a cell in its one spelling; None where it is empty or wrong."""
        if not text:
            return None
        if column == "note":
            if len(text) > MOST_NOTE:
                self._sheet.fault(f"has {len(text)} characters", f"shorten it to {MOST_NOTE}", row, column)
                return None
            return active(text)
        if column == "label":
            if text.lower() not in _LABELS:
                self._sheet.fault(f"{text[:40]!a} is no label", f"write {', '.join(_LABELS)}, or nothing", row, column)
                return None
            return text.lower()
        return self._points(row, column, text)

    def _points(self, row: int, column: str, text: str) -> str | None:
        mend = "write a number from 0 to 100, with a point before decimals, or nothing"
        if _DECIMAL_COMMA.fullmatch(text):
            text = text.replace(",", ".")
        # float() also takes "nan", "1_0" and digits of other scripts.
        if not text.isascii() or any(each not in "0123456789.+-" for each in text):
            self._sheet.fault(f"{text[:40]!a} is no number", mend, row, column)
            return None
        try:
            number = float(text)
        except ValueError:
            self._sheet.fault(f"{text[:40]!a} is no number", mend, row, column)
            return None
        if not 0 <= number <= 100:
            self._sheet.fault(f"{text[:40]} is not between 0 and 100", mend, row, column)
            return None
        return repr(number)


@dataclass(frozen=True)
class Merged:
    """Scores with a sheet in them: how many cells are new, the same as before, and changed."""

    scores: HumanScores
    new: int
    same: int
    changed: int


def merge(key: AnnotationKey, known: HumanScores, sheet: ReadSheet) -> Merged:
    """Add a sheet. An empty cell takes nothing away; a changed one replaces, and what it said before is kept."""
    digest = sha256_hex(sheet.data)
    if any(each.sha256 == digest for each in known.sheets):
        # It was newer once; what came since is not undone by it.
        return Merged(known, 0, sum(len(given) for given in sheet.cells.values()), 0)
    cells = _cells_of(known, sheet.annotator)
    superseded: list[Superseded] = []
    new = same = 0
    for place, given in sheet.cells.items():
        before = cells.setdefault(place, {})
        for column, value in given.items():
            if column not in before:
                new += 1
            elif before[column] == value:
                same += 1
            else:
                told = {"place": "/".join(place), "column": column, "value": before[column]}
                superseded.append(Superseded(annotator=sheet.annotator, sheet=digest, **told))
            before[column] = value
    filled = sum(_is_filled(key, given) for given in sheet.cells.values())
    own = ImportedSheet(sha256=digest, annotator=sheet.annotator, rows=sheet.rows, filled=filled)
    merged = known.model_copy(
        update={"sheets": (*known.sheets, own), "superseded": (*known.superseded, *superseded)}
        | _rows_of(key, known, sheet.annotator, cells)
    )
    return Merged(HumanScores.model_validate(merged.model_dump()), new, same, len(superseded))


def _is_filled(key: AnnotationKey, given: dict[str, str]) -> bool:
    return all(name in given for name in CRITIC_DIMENSIONS) if key.kind == "critic" else "label" in given


def _cells_of(known: HumanScores, annotator: str) -> Cells:
    cells: Cells = {}
    for rating in known.ratings:
        if rating.annotator == annotator:
            scores = {name: repr(score) for name in CRITIC_DIMENSIONS if (score := rating.score(name)) is not None}
            cells[rating.sample,] = scores | ({"note": rating.note} if rating.note else {})
    for label in known.labels:
        if label.annotator == annotator:
            given = {"label": str(label.label)} if label.label is not None else {}
            cells[label.sample, label.unit] = given | ({"note": label.note} if label.note else {})
    return cells


def _rows_of(key: AnnotationKey, known: HumanScores, annotator: str, cells: Cells) -> dict[str, object]:
    given = {place: values for place, values in cells.items() if values}
    if key.kind == "critic":
        kept = [each for each in known.ratings if each.annotator != annotator]
        own = [
            Rating(
                sample=place[0],
                annotator=annotator,
                note=values.get("note", ""),
                **{name: float(values[name]) for name in CRITIC_DIMENSIONS if name in values},
            )
            for place, values in given.items()
        ]
        return {"ratings": tuple(sorted([*kept, *own], key=lambda each: (each.sample, each.annotator)))}
    others = [each for each in known.labels if each.annotator != annotator]
    labels = [
        AnswerLabel(
            sample=place[0],
            unit=place[1],
            annotator=annotator,
            label=Label(values["label"]) if "label" in values else None,
            note=values.get("note", ""),
        )
        for place, values in given.items()
    ]
    ordered = sorted([*others, *labels], key=lambda each: (each.sample, each.unit, each.annotator))
    return {"labels": tuple(ordered)}
