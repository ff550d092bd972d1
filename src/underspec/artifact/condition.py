"""The condition: everything that is varied between items, and the identity made of it (design sections 1 and 9)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.canonical import digest_of

Exposure = Literal["L1", "L2", "L3", "ground", "recovered"]
Network = Literal["none", "registries", "open"]
Protocol = Literal["build", "clarify-first", "continued"]
Information = Literal["none", "standard", "complete"]


class Condition(Artifact):
    """One cell of an experiment.

    A field at its default leaves no trace in the identity, so new fields never change old ids; a default's meaning
    must therefore never change.

    ``protocol``: ``build`` (ask while building), ``clarify-first`` (ask, freeze, build and answer apart) or
    ``continued`` (ask while building, then freeze and answer). For the latter two: ``information`` is what the agent
    learns (nothing but the request; what it asks for; the complete requirement at once), ``most_rounds`` bounds its
    questions and ``most_revisions`` the revisions of one reply, ``native_history`` lets an agent build on from its own
    messages in place of the frozen context, ``judge_model`` labels answers, ``judge_reviews`` times each.

    ``command`` is what the agent of that name runs. ``thinking`` is ``off``, ``adaptive``, a number of tokens at most
    or ``max``; None is the provider's own default. ``max_tokens``, ``max_turns`` and ``max_cost`` (dollars) bound what
    the builder's model may be used in one build.
    """

    protocol: Protocol = "build"
    agent: str = Field(min_length=1)
    command: str | None = Field(default=None, min_length=1)
    model: str | None = Field(default=None, min_length=1)
    thinking: str | None = Field(default=None, pattern=r"^(off|adaptive|max|[1-9][0-9]{0,8})$")
    exposure: Exposure = "L1"
    stakeholder: Literal["user-agent", "nobody"] = "user-agent"
    router: str = "embedded"
    stakeholder_model: str | None = Field(default=None, min_length=1)
    budget: int = Field(default=16, ge=0, le=10_000)
    scaffold: bool = False
    image: Literal["base", "provisioned"] = "base"
    language: str | None = None
    network: Network = "none"
    grade_network: Network = "none"
    build_seconds: int = Field(default=7200, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_turns: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    information: Information = "standard"
    most_rounds: int | None = Field(default=None, ge=1, le=10_000)
    most_revisions: int = Field(default=3, ge=0, le=100)
    native_history: bool = False
    judge_model: str | None = Field(default=None, min_length=1)
    judge_reviews: int = Field(default=1, ge=1, le=99)

    def identity(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def id(self) -> str:
        """SHA-256 of the canonical JSON of :meth:`identity`."""
        return _id_of(self)

    @property
    def asks(self) -> bool:
        """Whether the agent may ask anybody anything. ``ground`` and ``recovered`` hide nothing: nobody is asked."""
        if self.protocol != "build":
            return self.information == "standard"
        return self.stakeholder != "nobody" and self.budget > 0 and self.exposure in ("L1", "L2", "L3")


# By value, so that a copy with another field never has the id of what it was copied from.
@lru_cache(maxsize=4096)
def _id_of(condition: Condition) -> str:
    return digest_of(condition.identity())
