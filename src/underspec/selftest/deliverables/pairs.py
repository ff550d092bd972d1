"""Honest and hostile deliverables side by side, by kind of fault, with what each deserves.

``Deliverable.deserves`` gives, for each suite, how many cases must pass; ``FULL`` is all of them. A test grades both of
a pair and wants exactly that, so a defence that costs an honest deliverable a case fails as one that lets a hostile
one through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.artifact.outcomes import SUITES, SuiteName
from underspec.selftest.deliverables.toy import RUN, TOTALS, answer, honest, write

FULL: dict[str, int] = dict(TOTALS)
NOTHING: dict[str, int] = dict.fromkeys(TOTALS, 0)

MISSING, NO_TEST, MISMATCH = "missing", "no_test", "mismatch"
BUILD, RUN_, TIMEOUT, MEMORY = "exec:build", "exec:run", "exec:timeout", "exec:memory"


@dataclass(frozen=True)
class Deliverable:
    """A builder, what it deserves by suite, and the states that each suite must then show (None: not looked at)."""

    build: Callable[[Path], object]
    deserves: Mapping[str, int] = field(default_factory=lambda: FULL)
    states: frozenset[str] | None = None


@dataclass(frozen=True)
class Pair:
    """``name`` says what the hostile one does; ``limits`` change the task's. Two suites show most kinds of fault."""

    name: str
    hostile: Deliverable
    honest: Deliverable
    limits: Mapping[str, Any] = field(default_factory=dict)
    suites: tuple[SuiteName, ...] = ("native", "enhanced")


def sh(body: str, after: str = "") -> str:
    """A ``test.sh`` that does something before (and after) the honest run."""
    return f'#!/usr/bin/env bash\ncd "$(dirname "$0")/.."\n{body}\npython3 run.py "$2"\n{after}\n'


def only(body: str) -> str:
    """A ``test.sh`` that does nothing else."""
    return f'#!/usr/bin/env bash\ncd "$(dirname "$0")/.."\n{body}\n'


def run_with(after_each: str = "", at_end: str = "pass", first: int = 0, pad: int = 3) -> str:
    """``run.py`` with statements after each case (``out``, ``name``, ``index`` in scope) and at its end."""
    text = RUN.replace("FIRST, PAD = 0, 3", f"FIRST, PAD = {first}, {pad}")
    if after_each:
        text = text.replace(
            'answer(case["input"]).encode())\n', f'answer(case["input"]).encode())\n            {after_each}\n'
        )
    return text.replace("    run(sys.argv[1])\n", f"    run(sys.argv[1])\n    {at_end}\n")


def stale(root: Path, suites: Mapping[str, Mapping[str, list[dict[str, Any]]]]) -> None:
    """Right outputs of an earlier run, as the deliverable would carry them."""
    for suite, files in suites.items():
        for stem, cases in files.items():
            for index, case in enumerate(cases):
                write(root, {f"rcb_tests/stdout/{suite}/{stem}@{index:03}.txt": answer(case).encode()})


def less(**missing: int) -> dict[str, int]:
    """All passes but so many of each suite."""
    return {name: total - missing.get(name, 0) for name, total in FULL.items()}


HONEST = Deliverable(honest, FULL, frozenset())
ALL = SUITES


def app(text: str) -> Callable[[Path], object]:
    """The honest deliverable with another program."""
    return lambda root: honest(root, app=text)


def runner(text: str) -> Callable[[Path], object]:
    """The honest deliverable with another ``run.py``."""
    return lambda root: honest(root, run=text)


def script(text: str, **files: str | bytes) -> Callable[[Path], Path]:
    """The honest deliverable with another ``test.sh`` and further files."""
    return lambda root: write(honest(root, test_sh=text), files)
