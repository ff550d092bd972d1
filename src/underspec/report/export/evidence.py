"""The builder's conversations, from the evidence that the engine logged (its public reading functions only).

A log has one sample an item, with every call that any role made while the item was worked on. What counts here are the
builder's, within the attempt that made the artifact which the item goes by.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from underspec.artifact.files import read_regular
from underspec.artifact.ledger import BUILDER, read_ledger
from underspec.errors import EnvironmentLacksError, StoreError
from underspec.model.engine import MEND, require_engine
from underspec.model.ledger import FILE as LEDGER_FILE
from underspec.report.export.conversations import Conversation, joined
from underspec.run.executor import EVIDENCE
from underspec.run.item import Item
from underspec.run.store import PhaseFolder, RunStore

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

LOG = "log.jsonl"
BUILDING = {"build": ("build",), "clarify-first": ("clarify", "implement"), "continued": ("implement",)}
"""The phases in which a builder works, by protocol. What it answers to requirement questions is no part of them."""
NO_CALL = "the agent called no model"
NO_EVIDENCE = "no log has these calls"
NOT_MADE = "there is no such artifact yet"
LEFT_OUT = "messages were not asked for"
_BYTES_AHEAD = 8_000_000
_MOST_AHEAD = 32
_UNREAD = {"messages", "store", "output", "scores"}


@dataclass(frozen=True)
class PhaseConversations:
    """What the builder said and saw in one phase. ``why`` says why there is nothing. ``complete``: the log has as many
    calls as the ledger counts as answered."""

    phase: str
    attempt: int | None
    conversations: list[Conversation] = field(default_factory=list)
    calls: int = 0
    complete: bool = True
    why: str | None = None


@dataclass
class Evidence:
    """The logs of one run, read in the ``order`` in which items will be asked for. ``unreadable`` are those that could
    not be read, with the reason."""

    store: RunStore
    order: Sequence[Item] = ()
    messages: bool = True
    unreadable: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        folder = self.store.path / EVIDENCE
        self.logs = sorted(folder.rglob("*.eval")) if folder.is_dir() else []
        self._samples: dict[str, list[LoggedSample]] | None = None
        self._places = {item.folder: place for place, item in enumerate(self.order)}
        self._ahead: dict[LoggedSample, EvalSample] = {}
        self._alone: set[Path] = set()

    def phases(self, item: Item) -> list[PhaseConversations]:
        """The conversations of an item, phase by phase.

        Raises:
            EnvironmentLacksError: there are logs, and the engine that reads them is not installed.
            StoreError: an attempt's log or ledger is damaged.
        """
        return list(self._phases(item))

    def _phases(self, item: Item) -> Iterator[PhaseConversations]:
        asks = item.condition.asks
        for phase in BUILDING[item.condition.protocol]:
            if phase == "clarify" and not asks:
                continue
            span = published_span(self.store.phase(item, phase))
            if span is None:
                yield PhaseConversations(phase, None, why=NOT_MADE)
                continue
            answered = sum(
                call.role == BUILDER and call.outcome in ("ok", "refused") and call.kind == "generate"
                for call in read_ledger(span.folder / LEDGER_FILE)
            )
            if not answered:
                yield PhaseConversations(phase, span.number, why=NO_CALL)
            elif not self.messages:
                yield PhaseConversations(phase, span.number, calls=answered, complete=False, why=LEFT_OUT)
            else:
                yield self._read(item, phase, span, answered)

    def _read(self, item: Item, phase: str, span: Span, answered: int) -> PhaseConversations:
        for logged in self._logged().get(item.folder, []):
            found = self._conversations(logged, span)
            if found is not None:
                conversations, calls = found
                return PhaseConversations(phase, span.number, conversations, calls, complete=calls == answered)
        return PhaseConversations(phase, span.number, complete=False, why=NO_EVIDENCE)

    def _conversations(self, logged: LoggedSample, span: Span) -> tuple[list[Conversation], int] | None:
        from inspect_ai.event import ModelEvent

        sample = self._sample(logged)
        if sample is None:
            return None
        events = [
            event
            for event in sample.events
            if isinstance(event, ModelEvent) and event.role == BUILDER and span.holds(event.timestamp.timestamp())
        ]
        made = joined(events, sample.attachments)
        return (made.conversations, made.calls) if made.calls else None

    def _sample(self, logged: LoggedSample) -> EvalSample | None:
        """One sample, and those that will be asked for next with it, as far as they are small: each opening of a log
        reads its whole table of contents."""
        if logged in self._ahead:
            return self._ahead[logged]
        from inspect_ai.log import read_eval_log_samples_by_id

        wanted = self._next(logged)
        try:
            read = read_eval_log_samples_by_id(
                str(logged.log), [(each.id, each.epoch) for each in wanted], concurrency=1, exclude_fields=_UNREAD
            )
        except Exception as error:  # noqa: BLE001  # whatever a damaged archive raises; it is reported
            if len(wanted) > 1:
                # One of them is damaged: each by itself, then.
                self._alone.add(logged.log)
                return self._sample(logged)
            self.unreadable[logged.log.name] = f"{type(error).__name__}: {error}".splitlines()[0]
            return None
        self._ahead = dict(zip(wanted, read, strict=True))
        return self._ahead[logged]

    def _next(self, logged: LoggedSample) -> list[LoggedSample]:
        first = self._places.get(logged.id)
        if first is None or logged.log in self._alone:
            return [logged]
        found, room = [logged], _BYTES_AHEAD - logged.size
        for item in self.order[first + 1 : first + _MOST_AHEAD]:
            following = next((each for each in self._logged().get(item.folder, []) if each.log == logged.log), None)
            if following is None:
                continue
            room -= following.size
            if room < 0:
                break
            found.append(following)
        return found

    def _logged(self) -> dict[str, list[LoggedSample]]:
        """Where each item's samples are, newest log first."""
        if self._samples is not None:
            return self._samples
        self._samples = {}
        if not self.logs:
            return self._samples
        try:
            require_engine()
        except EnvironmentLacksError as error:
            mend = f"{MEND}, or leave the messages out with --no-messages"
            raise EnvironmentLacksError(error.message, file=str(self.logs[0]), mend=mend) from error
        from inspect_ai.log import read_eval_log_sample_summaries

        for log in reversed(self.logs):
            try:
                summaries, sizes = read_eval_log_sample_summaries(str(log)), _sizes(log)
            except Exception as error:  # noqa: BLE001  # as above
                self.unreadable[log.name] = f"{type(error).__name__}: {error}".splitlines()[0]
                continue
            for each in summaries:
                size = sizes.get(f"samples/{each.id}_epoch_{each.epoch}.json", _BYTES_AHEAD)
                found = LoggedSample(log, str(each.id), each.epoch, size)
                self._samples.setdefault(found.id, []).append(found)
        return self._samples


@dataclass(frozen=True)
class LoggedSample:
    """One sample of one log; ``size`` are the bytes of its JSON."""

    log: Path
    id: str
    epoch: int
    size: int


def _sizes(log: Path) -> dict[str, int]:
    with zipfile.ZipFile(log) as archive:
        return {each.filename: each.file_size for each in archive.infolist()}


@dataclass(frozen=True)
class Span:
    """The attempt that made an artifact, and when it was at work."""

    folder: Path
    number: int
    begin: float
    end: float

    def holds(self, time: float) -> bool:
        """Whether something happened in it."""
        return self.begin <= time <= self.end


def published_span(phase: PhaseFolder) -> Span | None:
    """The attempt behind the artifact that the item goes by; None where there is none.

    Raises:
        StoreError: its log is damaged.
    """
    choice = phase.chosen()
    for attempt in reversed(phase.attempts()) if choice else ():
        events = _events(attempt / LOG)
        if events and events[-1][1] == "published" and events[-1][2] == choice.key:  # type: ignore[union-attr]
            return Span(attempt, int(attempt.name), events[0][0], events[-1][0])
    return None


def _events(path: Path) -> list[tuple[float, str, str | None]]:
    """Time, event and key of each line; a torn last one, which a kill leaves, is none."""
    try:
        data = read_regular(path)
    except FileNotFoundError:
        return []
    try:
        lines = [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
        return [(float(line["time"]), str(line["event"]), line.get("key")) for line in lines]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError("not a log", file=str(path), mend="remove this file; times are all it is read for") from error
