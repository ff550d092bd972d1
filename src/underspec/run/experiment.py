"""Experiments: which tasks, under which conditions, how often. From flags or from an ``experiment.toml`` grid."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from underspec.artifact.base import json_path
from underspec.artifact.condition import Condition
from underspec.errors import UsageError
from underspec.model.spec import ModelSpec
from underspec.task.catalog import is_bundled


class Experiment(BaseModel):
    """``experiment.toml``.

    ``condition`` holds fields that are the same everywhere, ``grid`` lists of values; every combination is run.
    ``variants`` changes one thing at a time: each is a table of fields that replace those of ``condition``, and all
    combinations of ``grid`` are run under each. ``preset`` names settings that all of these change.
    ``models`` describes models by names of one's own, which conditions may then use: endpoints, options, retries.
    ``prompts`` is a folder of prompts, as ``client/rules.md``, that stand in place of the packaged ones.

    ``structure``: deliverables are compared with golden sources, where a task has any. ``critic_model`` reviews them
    beside these, ``critic_repeats`` times each. Neither is part of a condition, nor of the plan: both are found out
    after the scores, and whoever asks for them later goes on with the same run.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    name: str = Field(default="run", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    tasks: tuple[str, ...] = Field(min_length=1)
    epochs: int = Field(default=1, ge=1, le=1000)
    condition: dict[str, Any] = {}
    grid: dict[str, list[Any]] = {}
    variants: list[dict[str, Any]] = []
    preset: str | None = None
    models: dict[str, ModelSpec] = {}
    prompts: str | None = Field(default=None, min_length=1)
    structure: bool = True
    critic_model: str | None = Field(default=None, min_length=1)
    critic_repeats: int = Field(default=1, ge=1, le=100)

    def conditions(self) -> list[Condition]:
        """Every combination of the grid, in the order in which it is written, without repetitions.

        Raises:
            UsageError: a field or value is not one of a condition.
        """
        both = sorted(set(self.condition) & set(self.grid))
        if both:
            raise UsageError(f"{both[0]!r} stands both under [condition] and under [grid]", mend="keep one of them")
        empty = [name for name, values in self.grid.items() if not values]
        if empty:
            raise UsageError(f"the grid's {empty[0]!r} is an empty list", mend="give it at least one value")
        for variant in self.variants:
            if twice := sorted(set(variant) & set(self.grid)):
                raise UsageError(f"{twice[0]!r} stands both in a variant and under [grid]", mend="keep one of them")
        found: dict[str, Condition] = {}
        for variant, values in itertools.product(self.variants or [{}], itertools.product(*self.grid.values())):
            condition = make_condition({**self.condition, **variant, **dict(zip(self.grid, values, strict=True))})
            found.setdefault(condition.id, condition)
        return list(found.values())


def make_condition(fields: Mapping[str, Any]) -> Condition:
    """A condition from plain values. An empty text stands for none: TOML has no other word for it.

    Raises:
        UsageError: names the field and what it may be.
    """
    try:
        return Condition.model_validate({name: None if value == "" else value for name, value in fields.items()})
    except ValidationError as error:
        raise _usage(error, "the condition", known=sorted(Condition.model_fields)) from error


def read_experiment(path: Path, **changes: Any) -> Experiment:
    """Read an ``experiment.toml``; ``changes`` that are not None replace what it says.

    Folders that it names (``tasks``, ``prompts``) are beside it. One that is not there is looked for where the command
    was started.

    Raises:
        UsageError: names the file, the field and the mend.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError("no such file", file=str(path), mend="give the path of an experiment.toml") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", file=str(path), mend="give a readable TOML text file") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"not valid TOML: {error}", file=str(path), mend="mend the syntax there") from error
    tasks = document.get("tasks")
    if isinstance(tasks, list):
        document["tasks"] = [_beside(path, each, "$.tasks", is_id=is_bundled(each)) for each in tasks]
    document |= {"prompts": _beside(path, document["prompts"], "$.prompts")} if "prompts" in document else {}
    return make_experiment(
        {**document, **{name: value for name, value in changes.items() if value is not None}}, str(path)
    )


def _beside(origin: Path, named: Any, where: str, *, is_id: bool = False) -> Any:
    """A folder that a file names, as a path from where the command was started; anything else as it is."""
    if not isinstance(named, str) or not named or "\0" in named or is_id or Path(named).is_absolute():
        return named
    there, here = origin.parent / named, Path(named)
    if not there.is_dir():
        return named
    if here.is_dir() and here.resolve() != there.resolve():
        message = f"{named!a} is a folder both beside this file and where the command was started"
        raise UsageError(message, file=str(origin), where=where, mend="write the whole path")
    return str(there)


def make_experiment(document: Mapping[str, Any], origin: str = "the command line") -> Experiment:
    """An experiment from plain values.

    Raises:
        UsageError: names the field and the mend.
    """
    try:
        return Experiment.model_validate(dict(document))
    except ValidationError as error:
        raise _usage(error, origin, known=sorted(Experiment.model_fields)) from error


def _usage(error: ValidationError, origin: str, known: Sequence[str]) -> UsageError:
    first: Any = error.errors()[0]
    mend = f"known fields: {', '.join(known)}" if first["type"] == "extra_forbidden" else None
    message = "is not a known field" if first["type"] == "extra_forbidden" else str(first["msg"])
    return UsageError(message, file=origin, where=json_path(first["loc"]), mend=mend)
