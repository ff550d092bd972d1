"""How long the builder worked, from the logs of attempts, where all times are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from underspec.artifact.files import read_regular
from underspec.errors import StoreError
from underspec.run.item import Item
from underspec.run.store import PhaseFolder, RunStore

LOG = "log.jsonl"


def builder_seconds(store: RunStore, item: Item) -> float | None:
    """Wall time of the attempts that made what the item's score is of: the build, or clarification and implementation.

    Attempts that came to nothing do not count. None where a phase was not published, or its log is gone.
    """
    names = ("build",) if item.condition.protocol == "build" else ("clarify", "implement")
    taken = [_published_seconds(store.phase(item, name)) for name in names]
    known = [seconds for seconds in taken if seconds is not None]
    return sum(known) if len(known) == len(taken) else None


def _published_seconds(phase: PhaseFolder) -> float | None:
    choice = phase.chosen()
    if choice is None:
        return None
    for attempt in reversed(phase.attempts()):
        events = _events(attempt / LOG)
        if events and events[-1]["event"] == "published" and events[-1].get("key") == choice.key:
            return max(0.0, float(events[-1]["time"]) - float(events[0]["time"]))
    return None


def _events(path: Path) -> list[dict[str, Any]]:
    """The lines of a log; a torn last one, which a kill leaves, is none."""
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return []
    try:
        events = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
        return [{**each, "event": str(each["event"]), "time": float(each["time"])} for each in events]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError("not a log", file=str(path), mend="remove this file; times are all it is read for") from error
