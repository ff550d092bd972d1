"""Tasks and deliverables made for measuring: as plain as can be, so that what is measured is the harness."""

from __future__ import annotations

import json
from pathlib import Path

import tomli_w

from underspec.task.digest import write_manifest
from underspec.task.load import load_task
from underspec.task.model import Task

_RECORD = {
    "id": "C001",
    "kind": "constraint",
    "category": "format",
    "triggers": ["output", "format", "newline", "text", "print"],
    "response": "Print the text and a newline.",
}

# One shell, no other program: the deliverable's own time is as small as it can be.
ECHO = r"""#!/bin/bash
here="${BASH_SOURCE[0]%/*}"
mkdir -p "$here/stdout/$2"
for file in "$here/$2"/*.json; do
  stem="${file##*/}"; stem="${stem%.json}"
  for index in {0..19}; do printf 'ok\n' > "$here/stdout/$2/$stem@$(printf %03d $index).txt"; done
done
"""

# A program a case, as real deliverables do.
_PYTHON = r"""#!/bin/bash
here="${BASH_SOURCE[0]%/*}"
mkdir -p "$here/stdout/$2"
for file in "$here/$2"/*.json; do
  stem="${file##*/}"; stem="${stem%.json}"
  for index in {0..19}; do
    /usr/bin/python3 -S -c 'print("ok")' < /dev/null > "$here/stdout/$2/$stem@$(printf %03d $index).txt"
  done
done
"""

_LOUD = r"""#!/bin/bash
head -c 1000000000 /dev/zero
"""


def echo_task(folder: Path, cases: int = 20) -> Task:
    """Three suites of ``cases`` cases each; the right output is always ``ok``."""
    path = folder / "bench-echo"
    hidden = path / "hidden"
    for suite, start in (("public", 0), ("native", 0), ("enhanced", 1000)):
        (hidden / "cases" / suite).mkdir(parents=True)
        file = {
            "description": "says ok",
            "cases": [{"input": {"number": start + each}, "expected_output": "ok\n"} for each in range(cases)],
        }
        (hidden / "cases" / suite / "echo.json").write_text(json.dumps(file))
    (hidden / "requests").mkdir()
    for name in ("ground", "L1", "L2", "L3"):
        (hidden / "requests" / f"{name}.md").write_text("Say ok.\n")
    level = {"records": [_RECORD], "pointers": [], "signature": None, "fallback": "Nothing to say on that."}
    (hidden / "records.json").write_text(json.dumps({"levels": {"L1": level, "L2": level, "L3": level}}))
    toml = {
        "contract": 1,
        "id": "bench-echo",
        "title": "Says ok",
        "family": "repository",
        "category": "bench",
        "language": "Python",
        "source": {"url": "https://example.invalid", "license": "MIT", "version": "1", "files": 1, "lines": 1},
    }
    (path / "task.toml").write_text(tomli_w.dumps(toml))
    write_manifest(path)
    return load_task(path)


def _deliverable(folder: Path, script: str) -> Path:
    (folder / "rcb_tests").mkdir(parents=True)
    (folder / "rcb_tests" / "test.sh").write_text(script)
    return folder


def echo_deliverable(folder: Path) -> Path:
    """Right on every case, within one shell."""
    return _deliverable(folder, ECHO)


def program_deliverable(folder: Path) -> Path:
    """Right on every case, with an interpreter started for each."""
    return _deliverable(folder, _PYTHON)


def loud_deliverable(folder: Path) -> Path:
    """Prints 1 GB and writes nothing."""
    return _deliverable(folder, _LOUD)


def add_files(folder: Path, *, files: int, total_bytes: int) -> None:
    """Fill a deliverable up with ``files`` files of ``total_bytes`` together, a hundred in a folder."""
    content = b"x" * (total_bytes // files)
    for number in range(files):
        if number % 100 == 0:
            (folder / "lib" / f"{number // 100:04}").mkdir(parents=True)
        (folder / "lib" / f"{number // 100:04}" / f"{number:06}.dat").write_bytes(content)
