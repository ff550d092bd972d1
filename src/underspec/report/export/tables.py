"""Writing tables as Parquet, CSV and JSON lines: a bounded number of rows at a time, whatever the run's size."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol, Self

from underspec.report.export.columns import Column, TableName, columns_of
from underspec.report.export.inert import inert
from underspec.report.export.rows import Row

if TYPE_CHECKING:
    import pyarrow as pa

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = ("parquet", "csv", "jsonl")
_ROWS_AT_ONCE = 20_000


class _Writer(Protocol):
    def write(self, rows: Sequence[Row]) -> None: ...

    def close(self) -> None: ...


class _ParquetWriter:
    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        import pyarrow.parquet as pq

        self._schema = arrow_schema(columns)
        self._names = [column.name for column in columns]
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, rows: Sequence[Row]) -> None:
        import pyarrow as pa

        arrays = [
            pa.array([row.get(name) for row in rows], type=field.type)
            for name, field in zip(self._names, self._schema, strict=True)
        ]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


class _CsvWriter:
    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._stream: IO[str] = path.open("w", encoding="utf-8", newline="")
        self._names = [column.name for column in columns]
        self._writer = csv.writer(self._stream, lineterminator="\n")
        self._writer.writerow(self._names)

    def write(self, rows: Sequence[Row]) -> None:
        self._writer.writerows([_cell(row.get(name)) for name in self._names] for row in rows)

    def close(self) -> None:
        self._stream.close()


class _LinesWriter:
    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._stream = path.open("w", encoding="ascii")
        self._names = [column.name for column in columns]

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self._stream.write(json.dumps({name: row.get(name) for name in self._names}, ensure_ascii=True) + "\n")

    def close(self) -> None:
        self._stream.close()


_WRITERS: dict[Format, type[_ParquetWriter | _CsvWriter | _LinesWriter]] = {
    "parquet": _ParquetWriter,
    "csv": _CsvWriter,
    "jsonl": _LinesWriter,
}


class TableWriter:
    """One table in every wanted format, as ``<folder>/<table>.<format>``. Counts its ``rows``."""

    def __init__(self, folder: Path, table: TableName, formats: Sequence[Format], *, public: bool) -> None:
        self.rows = 0
        self.paths = [folder / f"{table}.{name}" for name in formats]
        self._waiting: list[Row] = []
        columns = columns_of(table, public=public)
        self._writers: list[_Writer] = [
            _WRITERS[name](path, columns) for name, path in zip(formats, self.paths, strict=True)
        ]

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows; they are written when there are enough of them."""
        self.rows += len(rows)
        self._waiting += rows
        if len(self._waiting) >= _ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            for writer in self._writers:
                writer.write(self._waiting)
            self._waiting = []

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        for writer in self._writers:
            writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def arrow_schema(columns: Sequence[Column]) -> pa.Schema:
    """The table's types in Parquet; each column's description is in its metadata."""
    import pyarrow as pa

    kinds = {
        "string": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "strings": pa.list_(pa.string()),
    }
    return pa.schema([pa.field(each.name, kinds[each.kind], metadata={"says": each.says}) for each in columns])


def _cell(value: Any) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    # A list is JSON, whose bracket no spreadsheet takes for a formula.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else inert(value)
