"""One run of cases through the golden implementation in a sandbox, under chosen surroundings.

It goes the way of every deliverable: ``bash rcb_tests/test.sh --cases-dir test_cases`` in the composed tree.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.construct.stage import Work
from underspec.construct.tools import clock_mounted
from underspec.grade.compare import split_name
from underspec.grade.text import printable
from underspec.sandbox.protocol import WORKSPACE, Limits, Mount, Sandbox
from underspec.task.layout import VENDORED_GOLDEN
from underspec.task.model import CaseFile

Key = tuple[str, int]
Inputs = Mapping[str, Sequence[Any]]
FOLDER = "test_cases"
SECONDS = 600.0
_MOST_OUTPUT = 4 * 1024**2
_ELSEWHERE = "/tmp/some where/else"  # a place of another depth, with a blank in it


@dataclass(frozen=True)
class Surroundings:
    """What a sound case does not depend on. ``clock`` is what libfaketime takes (``+400d``, ``@2028-02-29 23:59:30``,
    or a date alone, at which it then stands still)."""

    name: str
    env: Mapping[str, str] = field(default_factory=dict)
    clock: str | None = None
    elsewhere: bool = False
    reverse: bool = False

    def environment(self) -> dict[str, str]:
        """Variables, those of the plain surroundings where nothing else is said."""
        plain = {"TZ": "UTC0", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "HOME": "/tmp"}
        return {**plain, "PYTHONDONTWRITEBYTECODE": "1", **self.env}


PLAIN = Surroundings("plain")


@dataclass(frozen=True)
class GoldenRun:
    """What came out, by case; cases without an output are missing. ``stderr`` is for a reader."""

    outputs: dict[Key, bytes]
    ended: str
    ok: bool
    stderr: str
    seconds: float


def inputs_of(files: Mapping[str, CaseFile]) -> dict[str, list[Any]]:
    """Inputs by stem."""
    return {stem: [case.input for case in file.cases] for stem, file in files.items()}


@contextlib.contextmanager
def composed(reference: Path, golden: Path) -> Iterator[Path]:
    """The golden deliverable in a folder of its own, as a task would compose it."""
    with tempfile.TemporaryDirectory(prefix="underspec-composed-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(reference, tree)
        shutil.copytree(golden, tree / VENDORED_GOLDEN)
        yield tree


def lay_cases(tree: Path, inputs: Inputs, *, reverse: bool = False) -> None:
    """Write inputs where ``test.sh`` looks for them, without any expectation."""
    tests = tree / "rcb_tests"
    for name in (FOLDER, "stdout"):
        shutil.rmtree(tests / name, ignore_errors=True)
    (tests / FOLDER).mkdir(parents=True)
    for stem, values in inputs.items():
        ordered = list(reversed(values)) if reverse else list(values)
        document = {"description": stem, "cases": [{"input": value} for value in ordered]}
        (tests / FOLDER / f"{stem}.json").write_text(json.dumps(document), encoding="utf-8")


async def run_golden(
    work: Work,
    tree: Path,
    inputs: Inputs,
    surroundings: Surroundings = PLAIN,
    *,
    image: str = "host",
    mounts: tuple[Mount, ...] = (),
    seconds: float = SECONDS,
) -> GoldenRun:
    """Run every input once. ``tree`` is a composed tree, whose cases are replaced.

    Raises:
        SandboxError: the sandbox failed.
    """
    lay_cases(tree, inputs, reverse=surroundings.reverse)
    env = surroundings.environment()
    if surroundings.clock is not None:
        found = clock_mounted()
        if found is not None:
            mounts = (*mounts, found[0])
            env |= {"LD_PRELOAD": found[1], "FAKETIME": surroundings.clock, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    limits = Limits(memory=1024**3, processes=128)
    async with work.sandbox(image=image, lower=tree, mounts=mounts, limits=limits) as sandbox:
        place = WORKSPACE
        if surroundings.elsewhere:
            place = _ELSEWHERE
            await sandbox.exec(["mkdir", "-p", place], cwd="/")
            await sandbox.exec(["cp", "-R", f"{WORKSPACE}/.", place], cwd="/", timeout=seconds)
        return await run_once(sandbox, place, inputs, env, seconds=seconds, reverse=surroundings.reverse)


async def run_once(
    sandbox: Sandbox,
    place: str,
    inputs: Inputs,
    env: Mapping[str, str],
    *,
    seconds: float = SECONDS,
    reverse: bool = False,
) -> GoldenRun:
    """Run ``test.sh`` in a started sandbox that holds the tree at ``place``, and collect what it leaves."""
    end = await sandbox.exec(
        ["bash", "rcb_tests/test.sh", "--cases-dir", FOLDER],
        cwd=place,
        env=env,
        timeout=seconds,
        end_on_output_limit=False,
    )
    number = sum(len(values) for values in inputs.values())
    files = await sandbox.collect(
        f"{place}/rcb_tests/stdout/{FOLDER}",
        max_file=_MOST_OUTPUT,
        max_files=10 * number + 100,
        max_total=256 * 1024**2,
        pattern="*@*.txt",
    )
    outputs: dict[Key, bytes] = {}
    for file in files:
        key = split_name(file.name)
        if key is None or file.content is None or key[0] not in inputs:
            continue
        stem, index = key
        last = len(inputs[stem]) - 1
        outputs[stem, last - index if reverse else index] = file.content
    ended = f"limit on {end.limit}" if end.limit else f"exit code {end.exit_code}, signal {end.signal}"
    return GoldenRun(outputs, ended, end.ok, printable(end.stderr[-1500:], most=3000), end.seconds)
