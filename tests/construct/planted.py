"""Small repositories with planted faults, and the means to run stages on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from underspec.construct.findings import GateFinding, Verdict
from underspec.construct.materials import case_bytes
from underspec.construct.project import Project
from underspec.construct.runner import Runner
from underspec.construct.stage import Stage, Work
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import SandboxBackend

LICENCE = """MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software.
"""
LIBRARY = '''"""Adds numbers up, and says how many."""


def add_everything_up_exactly_once(numbers):
    total_of_all_numbers = 0
    for one_number_after_another in numbers:
        total_of_all_numbers += one_number_after_another
    return total_of_all_numbers


def number_that_is_the_largest_of_all(numbers):
    if len(numbers) == 0:
        raise ValueError("there is no number among these numbers")
    return max(numbers)
'''
TESTS = """import unittest

from tallybox import add_everything_up_exactly_once, number_that_is_the_largest_of_all


class Sums(unittest.TestCase):
    def test_three_numbers_are_added_up_to_their_total(self):
        self.assertEqual(add_everything_up_exactly_once([1, 2, 3]), 6)

    def test_the_largest_of_several_numbers_is_found(self):
        self.assertEqual(number_that_is_the_largest_of_all([4, 9, 2]), 9)

    def test_there_is_no_largest_of_no_numbers_at_all(self):
        with self.assertRaises(ValueError):
            number_that_is_the_largest_of_all([])
"""
DISPATCHER = """import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor" / "golden"))

import tallybox  # noqa: E402


def respond(text):
    request = json.loads(text)
    if request.get("action") == "total":
        return f"total={tallybox.add_everything_up_exactly_once(request['numbers'])}\\n"
    try:
        return f"largest={tallybox.number_that_is_the_largest_of_all(request['numbers'])}\\n"
    except ValueError:
        return "error=nothing_given\\n"
"""
IDS = tuple(
    f"test_tallybox.Sums::{name}"
    for name in (
        "test_the_largest_of_several_numbers_is_found",
        "test_there_is_no_largest_of_no_numbers_at_all",
        "test_three_numbers_are_added_up_to_their_total",
    )
)


def backend() -> SandboxBackend:
    return load_backend("bubblewrap")


class NoSandbox:
    """Stands where a backend is named and none is used."""

    def create(self, spec: object) -> None:
        raise AssertionError("no sandbox is needed here")


def nobody() -> SandboxBackend:
    return cast("SandboxBackend", NoSandbox())


def repository(folder: Path, **changed: str) -> Path:
    """A sound little repository; ``changed`` are other texts of its files, by name with ``_`` for ``.`` and ``-``."""
    files = {"tallybox.py": LIBRARY, "test_tallybox.py": TESTS, "LICENSE": LICENCE, "README.md": "# Tallybox\n"}
    named = {name.replace(".", "_"): name for name in files}
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    for name, text in changed.items():
        (folder / named.get(name, name)).write_text(text)
    return folder


def project(tmp_path: Path, source: Path | str = "nothing", **fields: Any) -> Project:
    """A project whose working folder is ``tmp_path/work``."""
    known = {"kind": "repository", "task": "tally", "source": str(source), "out": str(tmp_path / "out"), "repairs": 0}
    return Project.model_validate({**known, **fields})


def runner(tmp_path: Path, chosen: Project, stages: Sequence[Stage], *, sandboxes: bool = False) -> Runner:
    root = tmp_path / "work"
    root.mkdir(exist_ok=True)
    return Runner(root, chosen, stages, backend if sandboxes else nobody)


def run(chosen: Runner, **options: Any) -> bool:
    return asyncio.run(chosen.run(**options))


def kinds(chosen: Runner, stage: str, severity: str = "error") -> set[str]:
    """Kinds of what a gate found."""
    verdict = chosen.folder(stage).state().verdict
    assert verdict is not None
    return {finding.kind for finding in verdict.findings if finding.severity == severity}


def found(chosen: Runner, stage: str, kind: str) -> list[GateFinding]:
    verdict = chosen.folder(stage).state().verdict
    assert verdict is not None
    return [finding for finding in verdict.findings if finding.kind == kind]


class Laid:
    """A stage that lays out fixed files, and whose gate is open."""

    version = 1
    prompts: tuple[str, ...] = ()
    files: Mapping[str, str] = {}
    calls = 0

    def __init__(self, name: str, content: Mapping[str, str | bytes], needs: tuple[str, ...] = ()) -> None:
        self.name, self.content, self.needs = name, dict(content), needs

    def reads(self, project: Project) -> dict[str, str]:
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        for path, text in self.content.items():
            target = work.out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text if isinstance(text, bytes) else text.encode())
            if path.endswith(".sh"):
                target.chmod(0o755)

    async def gate(self, work: Work) -> Verdict:
        return Verdict()


def selected(library: str = LIBRARY, tests: Sequence[str] = IDS, **fields: Any) -> Laid:
    """What select would have left of the repository."""
    selection = {
        **{"name": "tallybox", "version": "1", "url": "https://example.invalid/tallybox", "language": "Python"},
        **{"license": "MIT", "files": 1, "lines": 11, "test_command": ["none"], "test_paths": ["test_tallybox.py"]},
        **{"identity": ["tallybox"], "tests": list(tests), **fields},
    }
    golden = 'registry = "pypi"\nname = "tallybox"\nversion = "1"\nfilename = "tallybox-1.tar.gz"\n'
    return Laid(
        "select",
        {
            "selection.json": json.dumps(selection),
            "golden.toml": f'{golden}sha256 = "{"0" * 64}"\n',
            "golden/tallybox.py": library,
            "source/tallybox.py": library,
            "source/test_tallybox.py": TESTS,
        },
    )


CONTRACT = {
    "features": [
        {"id": "total", "title": "Totals", "summary": "Adds numbers up."},
        {"id": "largest", "title": "Largest numbers", "summary": "Finds the largest number."},
    ],
    "errors": [{"category": "nothing_given", "meaning": "there is no number", "raised": ["ValueError"]}],
    "actions": ["total", "largest"],
    "words": ["numbers"],
}
TOTAL = [{"input": {"action": "total", "numbers": [1, 2, 3]}, "expected_output": "total=6\n"}]
LARGEST = [
    {"input": {"action": "largest", "numbers": [4, 9, 2]}, "expected_output": "largest=9\n"},
    {"input": {"action": "largest", "numbers": []}, "expected_output": "error=nothing_given\n"},
]
MAP = {
    "kept": [
        {"test": IDS[0], "cases": [{"file": "largest", "index": 0}]},
        {"test": IDS[1], "cases": [{"file": "largest", "index": 1}]},
        {"test": IDS[2], "cases": [{"file": "total", "index": 0}]},
    ]
}


def refactored(**changed: str | bytes) -> dict[str, str | bytes]:
    """What refactor would have left, by path; ``changed`` are paths with ``__`` for ``/`` and other contents."""
    from underspec.construct.harnesses import harness_files

    files: dict[str, str | bytes] = {
        "contract.json": json.dumps(CONTRACT),
        "tests.json": json.dumps(MAP),
        "native/total.json": case_bytes("Totals", TOTAL),
        "native/largest.json": case_bytes("Largest", LARGEST),
        "reference/dispatcher.py": DISPATCHER,
        **{f"reference/{path}": content for path, content in harness_files("python").items()},
    }
    return {**files, **changed}
