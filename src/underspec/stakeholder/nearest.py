"""Baselines: the record with the trigger phrase nearest to the question, and nothing else. They never refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from underspec.artifact.session import Turn
from underspec.artifact.threads import in_thread
from underspec.stakeholder import encoders
from underspec.stakeholder.encoders import Encoder
from underspec.stakeholder.router import Routing
from underspec.stakeholder.texts import findables
from underspec.task.model import LevelRecords

RANKED = 5


class _Nearest:
    name: ClassVar[str]
    version = "1"

    def _encoder(self) -> Encoder:
        raise NotImplementedError

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        """See :class:`underspec.stakeholder.router.Router`."""
        return await in_thread(self.route_now, question, records)

    def route_now(self, question: str, records: LevelRecords) -> Routing:
        """The same without a loop."""
        encode = self._encoder()
        vector = encode([question])[0]
        found = tuple(findables(records))
        if not found:
            return Routing(())
        scores = np.array([(encode(one.phrases) @ vector).max() for one in found])
        ranking = tuple(found[place].id for place in np.argsort(-scores, kind="stable")[:RANKED])
        return Routing(ranking[:1], ranking)


class NearestMiniLM(_Nearest):
    """By all-MiniLM-L6-v2."""

    name = "nearest-minilm"

    def _encoder(self) -> Encoder:
        return encoders.minilm()


class NearestStatic(_Nearest):
    """By WordLlama's averaged word vectors."""

    name = "nearest-static"

    def _encoder(self) -> Encoder:
        return encoders.static()
