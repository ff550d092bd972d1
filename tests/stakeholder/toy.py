"""Records, routers and sessions for tests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from underspec.artifact.session import Turn
from underspec.stakeholder.router import Routing
from underspec.stakeholder.session import Session
from underspec.task.model import LevelRecords, Record, RecordKind, RecordsFile


@cache
def table_records() -> LevelRecords:
    """The made-up task about printing tables."""
    path = Path(__file__).parent / "data" / "table_records.json"
    return RecordsFile.model_validate_json(path.read_bytes()).levels["L1"]


@cache
def sizes_records() -> LevelRecords:
    """The bundled task, least informative level."""
    path = resources.files("underspec.task") / "bundled" / "data-sizes" / "hidden" / "records.json"
    return RecordsFile.model_validate_json(path.read_bytes()).levels["L1"]


def small_records() -> LevelRecords:
    """Four records that say who they are."""
    return LevelRecords(
        records=tuple(
            Record(
                id=name,
                kind=RecordKind.CASE_FILE if name.startswith("TC") else RecordKind.CONSTRAINT,
                category="test",
                triggers=(f"trigger {name}",),
                response=f"Answer of {name}.\nSecond line.",
            )
            for name in ("C1", "C2", "C3", "TC_one")
        ),
        fallback="Nothing to say.",
    )


class FixedRouter:
    """Routes every question to the ids that stand in it; fails when told to."""

    name = "fixed"
    version = "1"

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.seen: list[tuple[str, int]] = []

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        self.seen.append((question, len(history)))
        if self.error is not None:
            raise self.error
        known = records.responses()
        return Routing(tuple(word for word in question.replace("?", "").split() if word in known))


def open_session(path: Path, *, router: FixedRouter | None = None, budget: int = 16, task: str = "toy") -> Session:
    """A session over :func:`small_records`."""
    return Session.open(
        path, task=task, level="L1", records=small_records(), router=router or FixedRouter(), budget=budget
    )
