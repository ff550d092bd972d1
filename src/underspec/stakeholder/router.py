"""The Router protocol: which records does a question ask for?

A router returns *record ids* and nothing else, so whatever answers a question can add no text of its own
(design section 5). It sees the question, the records and the turns so far; never the task's source, tests or name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from underspec.artifact.session import Turn
from underspec.errors import EnvironmentLacksError, UsageError
from underspec.task.model import LevelRecords

if TYPE_CHECKING:
    from inspect_ai.model import Model

ENTRY_POINTS = "underspec.routers"


@dataclass(frozen=True)
class Routing:
    """What a router found.

    ``ids`` would be answered, in the order in which their points were asked, not yet capped; empty when the question is
    refused. ``ranking`` holds the five best before refusal, best first, for measuring the router. ``default_proposed``:
    the question offers a concrete default.
    """

    ids: tuple[str, ...]
    ranking: tuple[str, ...] = ()
    default_proposed: bool = False


class Router(Protocol):
    """Finds records. Found by entry point group ``underspec.routers``; made without arguments.

    ``version`` stands in the key of every phase that asks: raise it when the router's behaviour changes.
    """

    name: str
    version: str

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        """Route one question. Anything raised counts as the stakeholder's failure; the question is not charged."""


@runtime_checkable
class RouterWithModel(Router, Protocol):
    """A router that asks a model. As loaded it has none; ``with_model`` makes one that has."""

    def with_model(self, model: Model, /) -> Router:
        """A router of its own that asks ``model``, opened for the role *router*."""


@runtime_checkable
class RouterWithPrompts(Router, Protocol):
    """A router that tells a model what to do, in words that can be replaced."""

    def with_prompts(self, prompts: Path, /) -> Router:
        """The same with a user's folder of prompts, and therefore of another version."""


def load_router(name: str) -> Router:
    """Make the router that an installed package offers under ``name``.

    Raises:
        UsageError: no package offers it.
        EnvironmentLacksError: its package cannot be imported.
    """
    found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in found:
        known = ", ".join(sorted(found)) or "none"
        raise UsageError(f"no router is called {name!r}", mend=f"installed routers: {known}")
    try:
        make = found[name].load()
    except (ImportError, AttributeError) as error:
        mend = f"install what {found[name].value} needs"
        raise EnvironmentLacksError(f"the router {name!r} cannot be loaded: {error}", mend=mend) from error
    router: Router = make()
    return router
