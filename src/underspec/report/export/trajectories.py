"""One line an item for people who train: what the builder said and saw, and what came of it.

Messages are those that the builder's own model was given or wrote. What the operator alone may see (records, drafts,
verdicts, answers of reference, expected outputs, a critic's words) is in none of them, and nothing of it is added. A
public export has neither messages nor questions: replies are the hidden records' own words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from underspec.report.export.conversations import Conversation
from underspec.report.export.evidence import Evidence, PhaseConversations
from underspec.report.export.rewards import Component, reward_of
from underspec.report.export.rows import ExportedItem, questions_seen

SCHEMA = 1
FILE = "trajectories.jsonl"


class TrajectoryWriter:
    """Writes lines as items come. Counts ``lines``, and phases without messages by reason."""

    def __init__(self, path: Path, weights: Mapping[Component, float], *, public: bool) -> None:
        self.lines = 0
        self.without: dict[str, int] = {}
        self.incomplete = 0
        self._weights = weights
        self._public = public
        self._stream = path.open("w", encoding="ascii")

    def add(self, one: ExportedItem, evidence: Evidence) -> None:
        """One item."""
        phases = evidence.phases(one.collected.item)
        for phase in phases:
            if phase.why is not None:
                self.without[phase.why] = self.without.get(phase.why, 0) + 1
            elif not phase.complete:
                self.incomplete += 1
        line = trajectory(one, phases, self._weights, public=self._public)
        self._stream.write(json.dumps(line, ensure_ascii=True) + "\n")
        self.lines += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


def trajectory(
    one: ExportedItem, phases: list[PhaseConversations], weights: Mapping[Component, float], *, public: bool
) -> dict[str, Any]:
    """The line of one item; docs/export.md says what each key means."""
    known = one.collected
    item, reward = known.item, reward_of(known, weights)
    graded = known.outcomes or (known.clarified.acceptance if known.clarified else None)
    return {
        "schema": SCHEMA,
        **one.place,
        "task_digest": graded.task_digest if graded else None,
        "epoch": item.epoch,
        "condition": {"id": item.condition.id, **item.condition.model_dump(mode="json")},
        "ended": known.end.ended if known.end else None,
        "deliverable": known.deliverable.sha256 if known.deliverable else None,
        "phases": [_phase(each) for each in phases],
        "questions": [] if public else questions_seen(known),
        "scored": known.scored,
        "unscored_boundary": known.boundary,
        "rewards": dict(reward.components),
        "missing": list(reward.missing),
        "reward": reward.scalar,
    }


def _phase(phase: PhaseConversations) -> dict[str, Any]:
    main = max(phase.conversations, key=lambda each: each.calls, default=None)
    others = [each for each in phase.conversations if each is not main]
    return {
        "phase": phase.phase,
        "attempt": phase.attempt,
        "messages": main.messages if main else None,
        "tools": main.tools if main else None,
        "calls": phase.calls,
        "complete": phase.complete,
        "why": phase.why,
        "others": [_other(each) for each in others],
    }


def _other(conversation: Conversation) -> dict[str, Any]:
    return {"messages": conversation.messages, "tools": conversation.tools, "calls": conversation.calls}
