"""Labelled questions for measuring routers: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from underspec.errors import TaskError, UsageError
from underspec.task.model import Level


class Labelled(BaseModel):
    """A question with the ids that a careful human would answer it with.

    ``gold``: each answers a point that was asked; empty where nothing may be given. ``also_ok``: may be given too.
    ``level``: the exposure whose records are meant; None stands for the one that was asked for.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    task: str | None = None
    question: str = Field(min_length=1)
    gold: list[str]
    also_ok: list[str] = []
    kind: str | None = None
    level: Level | None = None


@dataclass(frozen=True)
class Placed:
    """A labelled question and its line, counted from 1."""

    line: int
    labelled: Labelled


def read_questions(path: Path) -> list[Placed]:
    """All questions of a file; blank lines are none.

    Raises:
        UsageError: there is no such file, or it cannot be read.
        TaskError: a line is no labelled question, or the file holds none; names the line.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as problem:
        reason = "is no UTF-8 text" if isinstance(problem, UnicodeDecodeError) else "cannot be read"
        raise UsageError(reason, file=str(path), mend="give a file with one JSON object a line") from problem
    found = [
        Placed(number, _parsed(line, str(path), number))
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not found:
        raise TaskError("holds no question", file=str(path), mend="write one JSON object a line")
    return found


def check_labels(found: Collection[Placed], known: Mapping[Level, Collection[str]], default: Level, file: str) -> None:
    """Check that every label is an id of the records that the question is put to.

    Raises:
        TaskError: it is not; names line and id.
    """
    for placed in found:
        level = placed.labelled.level or default
        for name in (*placed.labelled.gold, *placed.labelled.also_ok):
            if name not in known[level]:
                raise TaskError(
                    f"the records of {level} have no id {name[:80]!a}",
                    file=file,
                    where=f"line {placed.line}",
                    mend="pointers are P0, P1, ... by position and the signature is SIG; check task and level too",
                )


def _parsed(line: str, file: str, number: int) -> Labelled:
    where = f"line {number}"
    mend = 'write {"task", "question", "gold": [ids], "also_ok": [ids], "kind"}'
    try:
        document: Any = json.loads(line)
        return Labelled.model_validate(document)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise TaskError(
            f"{place + ': ' if place else ''}{first['msg']}", file=file, where=where, mend=mend
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise TaskError(f"is no JSON: {problem}", file=file, where=where, mend=mend) from problem
