"""A tiny, valid task of the repository family, for tests of every room.

``make_task(tmp_path)`` writes the folder ``tmp_path/toy-sums`` and returns it: 2 public, 4 native (the public ones
among them) and 3 enhanced cases in 2 files, records for three levels, all requests, a reference overlay, a manifest.
The program of the task adds and averages numbers:

    {"action": "sum",  "numbers": [1, 2, 3]} -> "6\\n"
    {"action": "mean", "numbers": [1, 2]}    -> "1.5\\n"

The golden library ``figurecrate`` exists in no registry; ``make_golden_wheel`` writes its wheel, whose hash the task
names. Change a part with ``files`` (relative path to text, bytes, JSON value, or None to leave the file out) and fields
of ``task.toml`` with ``toml``.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from underspec.task.digest import write_manifest

TASK_ID = "toy-sums"
GOLDEN_NAME = "figurecrate"
GOLDEN_VERSION = "3.1.4"
WHEEL_NAME = f"{GOLDEN_NAME}-{GOLDEN_VERSION}-py3-none-any.whl"

SUM, MEAN = "feature1_sum", "feature2_mean"

SIGNATURE = "total(numbers: list[int | float]) -> str\naverage(numbers: list[int | float]) -> str"
FALLBACK = "I have no preference on that; choose what is sensible."

_GOLDEN_CODE = '''"""Sums and means of lists of numbers."""


def total(numbers):
    return f"{sum(numbers)}\\n"


def average(numbers):
    if not numbers:
        return "error: empty\\n"
    mean = sum(numbers) / len(numbers)
    return f"{int(mean) if mean == int(mean) else mean}\\n"
'''

_DISPATCHER = '''# canary underspec-canary-toy-sums-0010
"""Reads one JSON object and prints what the library makes of it."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor" / "golden"))

import figurecrate

request = json.load(sys.stdin)
run = {"sum": figurecrate.total, "mean": figurecrate.average}[request["action"]]
sys.stdout.write(run(request["numbers"]))
'''

_TEST_SH = r"""#!/usr/bin/env bash
# canary underspec-canary-toy-sums-0011
set -u
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
python3 - "$here" "$2" <<'PYTHON'
import json, pathlib, subprocess, sys
here, suite = pathlib.Path(sys.argv[1]), sys.argv[2]
out = here / "stdout" / suite
out.mkdir(parents=True, exist_ok=True)
for file in sorted((here / suite).glob("*.json")):
    for index, case in enumerate(json.loads(file.read_text())["cases"]):
        program = [sys.executable, here.parent / "dispatch.py"]
        done = subprocess.run(program, input=json.dumps(case["input"]).encode(), stdout=subprocess.PIPE)
        (out / f"{file.stem}@{index:03}.txt").write_bytes(done.stdout)
PYTHON
"""


def canary(number: int) -> str:
    """The canary that the toy task's hidden file of that number carries."""
    return f"underspec-canary-toy-sums-{number:04}"


def _case(action: str, numbers: list[Any], expected: str) -> dict[str, Any]:
    return {"input": {"action": action, "numbers": numbers}, "expected_output": expected}


CASES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "public": {SUM: [_case("sum", [1, 2, 3], "6\n")], MEAN: [_case("mean", [1, 2], "1.5\n")]},
    "native": {
        SUM: [_case("sum", [1, 2, 3], "6\n"), _case("sum", [10, -4], "6\n")],
        MEAN: [_case("mean", [1, 2], "1.5\n"), _case("mean", [7], "7\n")],
    },
    "enhanced": {
        SUM: [_case("sum", [], "0\n"), _case("sum", [10**15, 1], "1000000000000001\n")],
        MEAN: [_case("mean", [], "error: empty\n")],
    },
}
DESCRIPTIONS = {SUM: "Adds numbers.", MEAN: "Averages numbers."}


def _case_files() -> dict[str, Any]:
    files: dict[str, Any] = {}
    for number, (suite, stems) in enumerate(CASES.items()):
        for place, (stem, cases) in enumerate(stems.items()):
            files[f"hidden/cases/{suite}/{stem}.json"] = {
                "canary": canary(20 + 2 * number + place),
                "description": DESCRIPTIONS[stem],
                "cases": cases,
            }
    return files


def _record(id_: str, kind: str, category: str, triggers: list[str], response: str) -> dict[str, Any]:
    return {"id": id_, "kind": kind, "category": category, "triggers": triggers, "response": response}


def _case_file_record(stem: str, words: str) -> dict[str, Any]:
    shown = json.dumps({"description": DESCRIPTIONS[stem], "cases": CASES["public"][stem]}, indent=2)
    triggers = [
        f"{lead} {words}"
        for lead in ("examples of", "test cases for", "sample output of", "public cases of", "show me")
    ]
    return _record(
        f"TC_{stem}", "case_file", "cases", triggers, f"Here are the public test cases for {words}:\n{shown}"
    )


def _level(*, with_cases: bool) -> dict[str, Any]:
    records = [
        _record(
            "C001",
            "constraint",
            "edge",
            ["empty list", "no numbers", "nothing to add", "zero elements", "list is empty"],
            "An empty list sums to 0; its mean is the line `error: empty`.",
        ),
        _record(
            "C002",
            "constraint",
            "format",
            ["whole mean", "decimal point", "rounding", "number format", "trailing zero"],
            "A mean that is a whole number is printed without a decimal point.",
        ),
        _record(
            "ARCH001",
            "architecture",
            "structure",
            ["code organisation", "which modules", "project layout", "file structure", "where to put code"],
            "Keep the arithmetic in a module of its own, apart from input and output.",
        ),
        _record(
            "HARNESS001",
            "harness",
            "invocation",
            ["how is it run", "test.sh", "command line", "how is it invoked", "standard input"],
            "`bash rcb_tests/test.sh --cases-dir DIR` runs each case: one JSON object on standard input, raw output.",
        ),
    ]
    if with_cases:
        records += [_case_file_record(SUM, "summing"), _case_file_record(MEAN, "averaging")]
    return {
        "records": records,
        "pointers": [{"reference": "the usual way", "meaning": "addition from left to right"}],
        "signature": SIGNATURE,
        "fallback": FALLBACK,
    }


def _shown_cases() -> str:
    blocks = [
        f"```json\n{json.dumps({'description': DESCRIPTIONS[stem], 'cases': cases}, indent=2)}\n```"
        for stem, cases in CASES["public"].items()
    ]
    return "\n\n".join(blocks)


def _requests() -> dict[str, str]:
    fuzzy = "# Toy sums\n\nWrite a program that adds and averages lists of numbers, the usual way.\n"
    medium = fuzzy + "\nIt reads one JSON object with `action` and `numbers`.\n"
    easy = medium + f"\nThe actions are `sum` and `mean`; an empty mean is an error.\n\n{_shown_cases()}\n"
    ground = easy + f"\n```\n{SIGNATURE}\n```\n\nAn empty list sums to 0. A whole mean has no decimal point.\n"
    texts = {"L1": fuzzy, "L2": medium, "L3": easy, "ground": ground}
    return {
        f"hidden/requests/{name}.md": f"<!-- canary {canary(number)} -->\n\n{text}"
        for number, (name, text) in enumerate(texts.items(), start=1)
    }


def golden_wheel() -> bytes:
    """The golden library's wheel; the same bytes at each call."""
    buffer = io.BytesIO()
    info = f"{GOLDEN_NAME}-{GOLDEN_VERSION}.dist-info"
    members = {
        f"{GOLDEN_NAME}/__init__.py": _GOLDEN_CODE,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {GOLDEN_NAME}\nVersion: {GOLDEN_VERSION}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            member = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            member.external_attr = 0o644 << 16
            archive.writestr(member, text)
    return buffer.getvalue()


def make_golden_wheel(folder: Path) -> Path:
    """Write the golden library's wheel into ``folder``, under the name that the task gives."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / WHEEL_NAME
    path.write_bytes(golden_wheel())
    return path


def _toml(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "contract": 1,
        "id": TASK_ID,
        "title": "Sums and means of lists",
        "family": "repository",
        "category": "data",
        "language": "python",
        "source": {
            "url": "https://example.org/abacusworks/figurecrate",
            "license": "MIT",
            "version": GOLDEN_VERSION,
            "files": 1,
            "lines": 12,
        },
        "identity": ["abacusworks__figurecrate"],
        **changes,
    }


def task_files(toml: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Every file of the toy task by relative path, as text, bytes or a JSON (for ``.toml``: TOML) value."""
    return {
        "task.toml": _toml(toml or {}),
        **_requests(),
        "hidden/records.json": {
            "canary": canary(5),
            "levels": {level: _level(with_cases=level != "L3") for level in ("L1", "L2", "L3")},
        },
        **_case_files(),
        "hidden/golden.toml": {
            "canary": canary(6),
            "registry": "pypi",
            "name": GOLDEN_NAME,
            "version": GOLDEN_VERSION,
            "filename": WHEEL_NAME,
            "sha256": hashlib.sha256(golden_wheel()).hexdigest(),
        },
        "hidden/variants/reference/dispatch.py": _DISPATCHER,
        "hidden/variants/reference/rcb_tests/test.sh": _TEST_SH,
    }


def _encode(path: str, content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    if path.endswith(".toml"):
        return tomli_w.dumps(content).encode()
    return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"


def make_task(
    folder: Path,
    *,
    name: str = TASK_ID,
    toml: Mapping[str, Any] | None = None,
    files: Mapping[str, Any] | None = None,
    manifest: bool = True,
) -> Path:
    """Write the toy task into ``folder/name`` and return that path.

    Args:
        folder: where the task folder is made.
        name: the task folder's name.
        toml: fields of ``task.toml`` to set.
        files: parts to set, by relative path: text, bytes, a JSON or TOML value, or None to leave the file out.
        manifest: whether to write ``MANIFEST.sha256``. Leave it out for folders that cannot be hashed.
    """
    root = folder / name
    for path, content in {**task_files(toml), **(files or {})}.items():
        if content is None:
            continue
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_encode(path, content))
        target.chmod(0o755 if path.endswith(".sh") else 0o644)
    if manifest:
        write_manifest(root)
    return root
