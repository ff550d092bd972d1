"""What every row of arms begins with: who built, who answered, in which image, and how many items there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from underspec.artifact.condition import Condition
from underspec.report.exhibits.arms import Arm, word
from underspec.report.exhibits.cells import count, text
from underspec.report.exhibits.exhibit import Cell, Column
from underspec.report.exhibits.notes import accounting, boundaries

IDENTITY = (
    Column("model", "Model"),
    Column("agent", "Agent"),
    Column("setting", "Setting"),
    Column("router", "Answered by"),
    Column("image", "Image (graded in)"),
)
ITEMS = (Column("planned", "Items", "count"), Column("scored", "Scored", "count"))
_NAMED = frozenset(("agent", "command", "model", "router", "stakeholder_model"))


def identity(arm: Arm, found: Sequence[Arm], shown: Collection[str] = ()) -> dict[str, Cell]:
    """The cells of :data:`IDENTITY`. The setting is what else varies among the arms, and what is off its default, but
    for what is ``shown`` in a column of its own."""
    return {
        "model": text(arm.model),
        "agent": text(arm.agent),
        "setting": text(setting_text(arm.condition, [each.condition for each in found], shown)),
        "router": text(arm.router),
        "image": text(arm.image),
    }


def items(arm: Arm) -> dict[str, Cell]:
    """The cells of :data:`ITEMS`."""
    planned, scored = accounting(arm)
    return {"planned": count(planned), "scored": Cell(scored, why=boundaries(arm))}


def setting_text(condition: Condition, among: Iterable[Condition], shown: Collection[str] = ()) -> str:
    """Fields that vary among some conditions or are off their default, without those that columns have."""
    dumps = [each.model_dump(mode="json") for each in among]
    own = condition.model_dump(mode="json")
    kept = [
        name
        for name in own
        if name not in _NAMED
        and name not in shown
        and (name in condition.identity() or len({str(dump[name]) for dump in dumps}) > 1)
    ]
    return ", ".join(f"{name.replace('_', ' ')} {word(own[name])}" for name in kept)


def used(columns: Sequence[Column], rows: Sequence[Mapping[str, Cell]]) -> list[Column]:
    """The columns in which anything stands: those in which no row has a value, nor a reason, are left out."""
    return [column for column in columns if any(_stands(row.get(column.key)) for row in rows)]


def _stands(cell: Cell | None) -> bool:
    return cell is not None and cell.value not in (None, "")


def left_out(columns: Sequence[Column], rows: Sequence[Mapping[str, Cell]]) -> list[str]:
    """A note on the columns that no row has a value in, with the reasons."""
    kept = {column.key for column in used(columns, rows)}
    reasons: dict[str, list[str]] = {}
    for column in columns:
        if column.key not in kept:
            why = next((row[column.key].why for row in rows if column.key in row and row[column.key].why), None)
            if why:
                reasons.setdefault(why, []).append(column.title)
    return [f"No column {', '.join(titles)}: {why}." for why, titles in reasons.items()]
