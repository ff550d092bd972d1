"""Line coverage of the golden code by a suite: coverage.py for Python, V8's own for JavaScript; none for others yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.construct.golden_run import FOLDER, PLAIN, Inputs, lay_cases
from underspec.construct.sources_shown import source_paths
from underspec.construct.stage import Work
from underspec.construct.tools import COVERAGE, KIT_INSIDE, kit_mounted, wheels_mounted
from underspec.errors import AgentError
from underspec.grade.structure.languages import find_language
from underspec.sandbox.protocol import WORKSPACE, Limits, Sandbox
from underspec.task.layout import VENDORED_GOLDEN

TOOLS = {"python": "coverage.py", "javascript": "V8"}
_FOLDER = "/tmp/coverage"
_SECONDS = 1200.0
_MOST = 64 * 1024**2
_GOLDEN_URL = re.compile(rf"^file://{WORKSPACE}/{VENDORED_GOLDEN}/(.+)$")

Lines = dict[str, frozenset[int]]
"""Line numbers, from 1, by path below the golden library."""


@dataclass(frozen=True)
class Covered:
    """Lines that hold code, and those of them that ran."""

    code: Lines
    ran: Lines

    @property
    def share(self) -> float:
        """Of all lines with code, how many ran."""
        total = sum(len(lines) for lines in self.code.values())
        return (
            sum(len(lines & self.code.get(path, frozenset())) for path, lines in self.ran.items()) / total
            if total
            else 0.0
        )

    def and_also(self, other: Covered) -> Covered:
        """What two suites cover together."""
        return Covered(_joined(self.code, other.code), _joined(self.ran, other.ran))

    def document(self) -> dict[str, Any]:
        """For people: the share, and counts by file."""
        return {
            "share": round(self.share, 4),
            "files": {path: [len(self.ran.get(path, ())), len(lines)] for path, lines in sorted(self.code.items())},
        }


def _joined(one: Lines, other: Lines) -> Lines:
    return {path: one.get(path, frozenset()) | other.get(path, frozenset()) for path in one.keys() | other.keys()}


def tool_of(language: str) -> str | None:
    """What measures a language here; None where nothing does."""
    found = find_language(language)
    return TOOLS.get(found.key) if found else None


async def measure(work: Work, tree: Path, golden: Path, inputs: Inputs, language: str, *, image: str) -> Covered | None:
    """Run a suite's inputs once and say which golden lines ran; None where that cannot be measured.

    Raises:
        SandboxError: the sandbox failed.
        GoldenError: coverage.py cannot be fetched.
    """
    found = find_language(language)
    if found is None or found.key not in TOOLS:
        return None
    paths = source_paths(golden, language)
    lay_cases(tree, inputs)
    mounts, python_path = wheels_mounted(COVERAGE) if found.key == "python" else ((), "")
    env = {
        **PLAIN.environment(),
        "COVERAGE_PROCESS_START": f"{KIT_INSIDE}/coverage/coveragerc",
        "PYTHONPATH": f"{KIT_INSIDE}/coverage:{python_path}",
        "NODE_V8_COVERAGE": _FOLDER,
    }
    limits = Limits(memory=2 * 1024**3, processes=128)
    async with work.sandbox(image=image, lower=tree, mounts=(*mounts, kit_mounted()), limits=limits) as sandbox:
        await sandbox.exec(["mkdir", "-p", _FOLDER], cwd="/")
        await sandbox.exec(
            ["bash", "rcb_tests/test.sh", "--cases-dir", FOLDER], env=env, timeout=_SECONDS, end_on_output_limit=False
        )
        if found.key == "python":
            return await _python(sandbox, {**env, "COVERAGE_PROCESS_START": ""}, paths)
        return await _v8(sandbox, golden, paths)


async def _python(sandbox: Sandbox, env: Mapping[str, str], paths: Iterable[str]) -> Covered | None:
    config = f"--rcfile={KIT_INSIDE}/coverage/coveragerc"
    for step in (["combine", "-q", config], ["json", "-q", "-o", "/tmp/lines.json", config]):
        await sandbox.exec(
            ["python3", "-m", "coverage", *step],
            cwd=_FOLDER,
            env={**env, "PYTHONPATH": _without_kit(env)},
            timeout=_SECONDS,
        )
    try:
        document = json.loads(await sandbox.get("/tmp/lines.json", max_bytes=_MOST))
        files = document["files"]
        code, ran = {}, {}
        for path in paths:
            one = files.get(f"{WORKSPACE}/{VENDORED_GOLDEN}/{path}") or files.get(f"{VENDORED_GOLDEN}/{path}")
            if one is not None:
                ran[path] = frozenset(int(line) for line in one["executed_lines"])
                code[path] = ran[path] | frozenset(int(line) for line in one["missing_lines"])
    except (AgentError, ValueError, KeyError, TypeError):
        return None
    return Covered(code, ran) if code else None


def _without_kit(env: Mapping[str, str]) -> str:
    return ":".join(part for part in env["PYTHONPATH"].split(":") if not part.startswith(KIT_INSIDE))


async def _v8(sandbox: Sandbox, golden: Path, paths: Iterable[str]) -> Covered | None:
    files = await sandbox.collect(
        _FOLDER, max_file=_MOST, max_files=200, max_total=4 * _MOST, pattern="coverage-*.json"
    )
    functions: dict[str, list[Any]] = {}
    for file in files:
        try:
            for script in json.loads(file.content or b"{}").get("result", ()):
                if match := _GOLDEN_URL.match(str(script["url"])):
                    functions.setdefault(match[1], []).append(script["functions"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return None
    code, ran = {}, {}
    for path in paths:
        text = (golden / path).read_text(encoding="utf-8", errors="replace")
        code[path] = code_lines(text)
        seen: frozenset[int] = frozenset()
        for one in functions.get(path, ()):
            seen |= code[path] - lines_not_run(text, one)
        ran[path] = seen
    return Covered(code, ran) if functions and code else None


def code_lines(text: str) -> frozenset[int]:
    """Lines of a JavaScript file that hold more than white space, braces and line comments."""
    return frozenset(
        number
        for number, line in enumerate(text.splitlines(), start=1)
        if (stripped := line.strip())
        and not re.fullmatch(r"[\s{}()\[\];,]*", stripped)
        and not stripped.startswith(("//", "*", "/*"))
    )


def lines_not_run(text: str, functions: Any) -> frozenset[int]:
    """Lines on which no character ran, from V8's ranges: an inner range overrules the one around it."""
    units = text.encode("utf-16-le")
    count = [1] * (len(units) // 2)
    ranges = [one for function in functions for one in function["ranges"]]
    for one in sorted(ranges, key=lambda each: (each["startOffset"], -each["endOffset"])):
        start, end = max(0, one["startOffset"]), min(len(count), one["endOffset"])
        count[start:end] = [one["count"]] * max(0, end - start)
    found = set()
    place = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        size = len(line.encode("utf-16-le")) // 2
        marks = [ran for ran, letter in zip(count[place : place + size], line, strict=False) if not letter.isspace()]
        if marks and not any(marks):
            found.add(number)
        place += size
    return frozenset(found)
