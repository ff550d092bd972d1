"""A repository's own tests: which command runs them, and what one run of them in a sandbox says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from underspec.artifact.acceptance import TestVerdict
from underspec.construct.numbers import whole_of
from underspec.construct.stage import Work
from underspec.construct.tools import KIT_INSIDE, PYTEST, kit_mounted, wheels_mounted
from underspec.errors import AgentError, TaskError, UsageError
from underspec.grade.acceptance.junit import MOST_BYTES, DamagedReportError, Reported, read_report
from underspec.grade.structure.languages import Language
from underspec.grade.text import printable
from underspec.sandbox.protocol import Limits
from underspec.task.model import GoldenToml

REPORT = "/tmp/report.xml"
SECONDS = 900
_TEST_FILE = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)(?:test_?[^/]*|[^/]*[_.-](?:test|spec))\.[a-z]+$")
_PYTEST = re.compile(rb"^\s*(?:import pytest|from pytest)|^(?:async )?def test_", re.MULTILINE)


@dataclass(frozen=True)
class TestPlan:
    """How a repository's tests are run in its own folder. ``{report}`` in ``command`` is where a JUnit report goes."""

    __test__ = False

    command: tuple[str, ...]
    paths: tuple[str, ...]
    wheels: tuple[GoldenToml, ...] = ()
    image: str = "host"
    seconds: int = SECONDS

    @property
    def reports(self) -> bool:
        """Whether a report tells the tests apart."""
        return any("{report}" in word for word in self.command)


@dataclass(frozen=True)
class TestRun:
    """One run. ``tests`` is None where there is no report that can be read."""

    __test__ = False

    tests: dict[str, Reported] | None
    ok: bool
    ended: str
    seconds: float
    output: str

    def bad(self) -> dict[str, Reported]:
        """Tests that failed or broke."""
        wrong = (TestVerdict.FAILED, TestVerdict.ERROR)
        return {name: one for name, one in (self.tests or {}).items() if one.verdict in wrong}


def test_files(root: Path, language: Language) -> list[str]:
    """Paths of what looks like tests, by the usual names of files and folders."""
    found = []
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root).as_posix()
        if path.is_file() and path.suffix in language.endings and _TEST_FILE.search(relative):
            found.append(relative)
    return found


test_files.__test__ = False  # type: ignore[attr-defined]  # not a test, whatever its name


def plan_of(root: Path, language: Language, options: Mapping[str, Any]) -> TestPlan | None:
    """The command that runs a repository's tests: ``test_command`` of the options, or the usual one of its language.

    Raises:
        UsageError: an option is wrong.
    """
    paths = tuple(options.get("test_paths") or test_files(root, language))
    try:
        wheels = tuple(GoldenToml(registry="pypi", **one) for one in options.get("wheels", ()))
    except (TypeError, ValidationError) as error:
        mend = "a wheel has name, version, filename and sha256"
        raise UsageError(f"a wheel is not named as it must be: {error}", where="$.select.wheels", mend=mend) from error
    command = options.get("test_command")
    if command is None:
        command = _usual(root, language, paths)
    if not command:
        return None
    if language.key == "python" and "pytest" in command:
        wheels += tuple(one for one in PYTEST if one.name not in {given.name for given in wheels})
    image, seconds = str(options.get("image", "host")), whole_of(options, "select", "seconds", SECONDS)
    return TestPlan(tuple(command), paths, wheels, image, seconds)


def _usual(root: Path, language: Language, paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    if language.key == "python":
        modules = [_module(root, path) for path in paths if Path(path).name not in ("__init__.py", "conftest.py")]
        bare = any(_PYTEST.search((root / path).read_bytes()) for path in paths)
        if not bare and modules and all(modules):
            return ["python3", f"{KIT_INSIDE}/unittests.py", "{report}", *(module or "" for module in modules)]
        folders = sorted({path.split("/")[0] if "/" in path else path for path in paths})
        options = ["-q", "-p", "no:cacheprovider", "--junitxml={report}"]
        return ["python3", "-m", "pytest", *options, *folders]
    if language.key == "javascript":
        options = ["--test-reporter=junit", "--test-reporter-destination={report}"]
        return ["node", "--test", *options, *paths]
    return []


def _module(root: Path, path: str) -> str | None:
    """The dotted name of a Python file that can be imported from the top; None where a folder is no package."""
    folders = path.split("/")[:-1]
    if all((root / "/".join(folders[: count + 1]) / "__init__.py").is_file() for count in range(len(folders))):
        return path.removesuffix(".py").replace("/", ".")
    return None


async def run_tests(work: Work, source: Path, plan: TestPlan, env: Mapping[str, str]) -> TestRun:
    """Run them once, in a fresh sandbox without a network.

    Raises:
        SandboxError: the sandbox failed, so nothing is known of the tests.
        GoldenError: a wheel that they need cannot be fetched.
    """
    mounts, python_path = wheels_mounted(plan.wheels)
    searched = ":".join(part for part in ("/workspace", "/workspace/src", python_path) if part)
    environment = {"PYTHONPATH": searched, "PYTHONDONTWRITEBYTECODE": "1", "CI": "true", **env}
    limits = Limits(memory=2 * 1024**3, processes=256)
    async with work.sandbox(
        image=plan.image, lower=source, mounts=(*mounts, kit_mounted()), env=environment, limits=limits
    ) as sandbox:
        command = [word.replace("{report}", REPORT) for word in plan.command]
        end = await sandbox.exec(command, timeout=float(plan.seconds), end_on_output_limit=False)
        await_report = plan.reports and end.limit is None
        try:
            report = await sandbox.get(REPORT, max_bytes=MOST_BYTES) if await_report else b""
        except AgentError:
            report = b""
    try:
        tests = read_report(report) if report else None
    except (DamagedReportError, TaskError):
        tests = None
    ended = f"limit on {end.limit}" if end.limit else f"exit code {end.exit_code}, signal {end.signal}"
    output = printable((end.stderr or end.stdout)[-2000:], most=4000)
    return TestRun(tests, end.ok, ended, end.seconds, output)
