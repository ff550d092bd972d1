"""Presets: the named conditions that match a paper. What a user says besides changes them."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from pydantic import BaseModel, ConfigDict

from underspec.errors import UsageError
from underspec.run.experiment import Experiment

FILE = "presets.toml"


class Preset(BaseModel):
    """One of ``presets.toml``: where its settings come from, and the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    says: str
    condition: dict[str, Any]


def load_presets() -> dict[str, Preset]:
    """The packaged presets by name."""
    text = (resources.files(__package__) / FILE).read_text("utf-8")
    return {name: Preset.model_validate(fields) for name, fields in tomllib.loads(text).items()}


def with_preset(experiment: Experiment, name: str | None) -> Experiment:
    """The experiment with what the preset sets and the experiment does not. Without a name, its own preset counts.

    Raises:
        UsageError: there is no such preset; names those there are.
    """
    name = name or experiment.preset
    if name is None:
        return experiment
    presets = load_presets()
    if name not in presets:
        known = "; ".join(f"{each}: {preset.says}" for each, preset in presets.items())
        raise UsageError(f"there is no preset {name!r}", mend=f"known presets: {known}")
    said = {**experiment.condition, **experiment.grid}
    settings = {key: value for key, value in presets[name].condition.items() if key not in said}
    return experiment.model_copy(update={"condition": {**settings, **experiment.condition}})
