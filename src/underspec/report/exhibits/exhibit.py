"""What a table and a figure are, for whatever medium shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "count", "percent", "points", "number", "money", "seconds", "tokens"]


@dataclass(frozen=True)
class Span:
    """An interval around a figure, in the unit of its column."""

    low: float
    high: float


@dataclass(frozen=True)
class Column:
    """One column.

    ``percent`` cells are rates from 0 to 1 (ratios may exceed 1), ``points`` their differences from -1 to 1; media show
    both times 100. ``money`` is in dollars.
    """

    key: str
    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Cell:
    """One figure; ``value`` is None where nothing was scored, and then ``why`` says so in a few words."""

    value: str | float | int | None
    span: Span | None = None
    why: str | None = None


@dataclass(frozen=True)
class Table:
    """A table of a paper, made from one's own runs.

    ``name`` is the paper's, such as ``ICAE Table VI``; ``slug`` is unique and names files. ``notes`` say what a reader
    must know: which runs, what was left out, how intervals were made. ``rows`` map column keys to cells.
    """

    name: str
    slug: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[dict[str, Cell]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Figure:
    """A figure of a paper. ``spec`` is Vega-Lite without colours of its own; ``data`` is what it draws, one row a mark.

    ``alternative`` says in words what the figure shows, with its figures, for those who do not see it.
    """

    name: str
    slug: str
    title: str
    spec: dict[str, Any]
    data: Table
    alternative: str
    notes: Sequence[str] = field(default=())


Exhibit = Table | Figure
