"""A toy task in memory, its right program, and the honest deliverable that all others are made from.

The program answers ``{"op": "add", "a": 1, "b": 2}`` with ``3\\n`` and ``{"op": "join", "parts": [...], "with": s}``
with the parts joined by ``s``, nothing added; parts and separators hold CRLF, lone CR, BOM and U+FFFD.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from underspec.artifact.outcomes import SUITES, SuiteName
from underspec.task.model import Case, CaseFile, Source, Suite, Task, TaskLimits, TaskToml

CANARY = "underspec-canary-toy-hidden-7f3a"


def answer(request: Mapping[str, Any]) -> str:
    """What a right program prints."""
    if request["op"] == "add":
        return f"{request['a'] + request['b']}\n"
    return str(request["with"].join(request["parts"]))


def add(a: int, b: int) -> dict[str, Any]:
    return {"op": "add", "a": a, "b": b}


def join(parts: Sequence[str], by: str) -> dict[str, Any]:
    return {"op": "join", "parts": list(parts), "with": by}


PUBLIC: dict[str, list[dict[str, Any]]] = {"add": [add(1, 2)], "join": [join(["a", "b"], ", ")]}
NATIVE: dict[str, list[dict[str, Any]]] = {
    "add": [add(1, 2), add(-4, 4), add(20, 22)],
    "join": [join(["a", "b"], ", "), join(["a", "b", ""], "\r\n"), join(["a", "b"], "\r")],
}
ENHANCED: dict[str, list[dict[str, Any]]] = {
    "add": [add(10**20, 1), add(0, -1)],
    "join": [join([], "x"), join(["\ufeffa", "\ufffd"], ""), join(["é", "日本"], "\t")],
}
INPUTS: dict[SuiteName, dict[str, list[dict[str, Any]]]] = {"public": PUBLIC, "native": NATIVE, "enhanced": ENHANCED}
TOTALS: dict[str, int] = {name: sum(map(len, files.values())) for name, files in INPUTS.items()}


def toy_task(inputs: Mapping[SuiteName, Mapping[str, Sequence[Mapping[str, Any]]]] = INPUTS, **limits: Any) -> Task:
    """The toy task, or one of the same program with other inputs; ``limits`` are fields of ``TaskLimits``."""
    suites = {
        name: Suite(
            name=name,
            files={
                stem: CaseFile(
                    canary=CANARY,
                    description=f"Cases of {stem}.",
                    cases=tuple(Case(input=dict(one), expected_output=answer(one)) for one in cases),
                )
                for stem, cases in inputs.get(name, {}).items()
            },
        )
        for name in SUITES
    }
    bounds = {"suite_seconds": 20, "memory_mb": 256, "disk_mb": 64, "processes": 64, "case_output_mb": 1, **limits}
    return Task(
        path=Path("/nonexistent/toy"),
        digest="0" * 64,
        toml=TaskToml(
            contract=1,
            id="toy",
            title="Toy",
            family="repository",
            category="test",
            language="python",
            source=Source(url="https://example.org/toy", license="MIT", version="1", files=1, lines=10),
            limits=TaskLimits(**bounds),
        ),
        requests={},
        records=None,
        suites=suites,
        golden=None,
    )


APP = '''"""Answers one request, a JSON object on standard input."""

import json
import sys


def answer(request):
    if request["op"] == "add":
        return f"{request['a'] + request['b']}\\n"
    return request["with"].join(request["parts"])


if __name__ == "__main__":
    sys.stdout.buffer.write(answer(json.load(sys.stdin)).encode())
'''

# Every case in one process, which makes tests fast. ``FIRST`` and ``PAD`` name the outputs.
RUN = '''"""Runs all cases of a folder and writes their outputs."""

import json
import pathlib
import sys

import app

FIRST, PAD = 0, 3


def run(suite):
    here = pathlib.Path(__file__).resolve().parent
    out = here / "rcb_tests" / "stdout" / suite
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted((here / "rcb_tests" / suite).glob("*.json")):
        for index, case in enumerate(json.loads(file.read_text())["cases"]):
            name = f"{file.stem}@{index + FIRST:0{PAD}}.txt"
            (out / name).write_bytes(app.answer(case["input"]).encode())


if __name__ == "__main__":
    run(sys.argv[1])
'''

TEST_SH = """#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/.."
python3 run.py "$2"
"""


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below ``root``; ``.sh`` files become executable."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        if path.endswith(".sh"):
            target.chmod(0o755)
    return root


def honest(root: Path, **changed: str | bytes) -> Path:
    """The honest deliverable. ``app``, ``run`` and ``test_sh`` replace one of its files."""
    return write(
        root,
        {
            "app.py": changed.get("app", APP),
            "run.py": changed.get("run", RUN),
            "rcb_tests/test.sh": changed.get("test_sh", TEST_SH),
            "README.md": "# Toy\n\nRun `bash rcb_tests/test.sh --cases-dir DIR`.\n",
        },
    )


def link(root: Path, path: str, target: str) -> None:
    """Make ``path`` a symbolic link."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
