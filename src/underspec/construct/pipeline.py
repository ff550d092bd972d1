"""Which stages a construction goes through, in order. Each name is an object that is a :class:`Stage`."""

from __future__ import annotations

import importlib
import importlib.util

from underspec.construct.project import Kind
from underspec.construct.stage import Stage
from underspec.errors import HarnessError

STAGES: dict[Kind, tuple[str, ...]] = {
    "repository": (
        "underspec.construct.select:SELECT",
        "underspec.construct.refactor:REFACTOR",
        "underspec.construct.ground:GROUND",
        "underspec.construct.enhance:ENHANCE",
        "underspec.construct.fuzz:FUZZ",
        "underspec.construct.image:IMAGE",
        "underspec.construct.verify:VERIFY",
    ),
    "commission": ("underspec.construct.commission:STAGES",),
}


def stages_of(kind: Kind) -> tuple[Stage, ...]:
    """The stages of a pipeline, loaded.

    Raises:
        HarnessError: one is not there.
    """
    found: list[Stage] = []
    for place in STAGES[kind]:
        module, _, name = place.partition(":")
        if importlib.util.find_spec(module) is None:
            raise HarnessError(f"the stage {place} is not there")
        loaded = getattr(importlib.import_module(module), name)
        found.extend(loaded if isinstance(loaded, tuple) else (loaded,))
    return tuple(found)
