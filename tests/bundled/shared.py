"""Where the bundled things lie, how trees of our own are built and run, and the tool that renews cases."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from underspec.artifact.outcomes import SUITES
from underspec.grade.cases import SUBDIRS
from underspec.task.load import load_task
from underspec.task.model import Case, Task
from underspec.task.release import expectations, grader_inputs

REPOSITORY = Path(__file__).resolve().parents[2]
TASKS = REPOSITORY / "src/underspec/task/bundled"
SOLUTIONS = REPOSITORY / "src/underspec/agent/solutions"


def load_tool() -> ModuleType:
    """``tools/regenerate_cases.py``, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("regenerate_cases", REPOSITORY / "tools/regenerate_cases.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool: Any = load_tool()


def read(path: Path) -> Any:
    """What a JSON file holds."""
    return json.loads(path.read_bytes())


def cases(task: Task, *suites: str) -> list[Case]:
    """All cases of these suites."""
    return [
        case for name in SUITES if name in suites for file in task.suites[name].files.values() for case in file.cases
    ]


def need(program: str) -> None:
    """Skip the test when this machine lacks ``program``."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


@dataclass(frozen=True)
class Score:
    """Cases passed and all, for native and enhanced together; ``failed`` names those that did not pass."""

    passed: int
    total: int
    failed: tuple[str, ...]

    @property
    def rate(self) -> float:
        """Overall, as the papers count it."""
        return self.passed / self.total


def run_tree(
    task_folder: Path, tree: Path, repository: Path, *, patience: int, settings: dict[str, object] | None = None
) -> Score:
    """Run our own tree (never anybody else's) on all suites, without a sandbox, and score native and enhanced.

    ``patience`` is in seconds, for each suite.
    """
    task = load_task(task_folder)
    # Times are kept, so that what is built already is not built again.
    shutil.copytree(tree, repository, ignore=shutil.ignore_patterns("__pycache__"))
    if settings is not None:
        (repository / "settings.json").write_text(json.dumps(settings))
    failed, passed = [], 0
    for suite in SUITES:
        folder = repository / "rcb_tests" / SUBDIRS[suite]
        folder.mkdir()
        for name, content in grader_inputs(task, suite).items():
            (folder / name).write_bytes(content)
        command = ["bash", "rcb_tests/test.sh", "--cases-dir", SUBDIRS[suite]]
        subprocess.run(command, cwd=repository, check=True, timeout=patience)
        for stem, wanted in expectations(task, suite).items():
            for index, output in enumerate(wanted):
                place = repository / "rcb_tests/stdout" / SUBDIRS[suite] / f"{stem}@{index:03}.txt"
                right = place.is_file() and place.read_bytes() == output.encode()
                passed += right and suite != "public"
                if not right:
                    failed.append(f"{suite}/{stem}[{index}]")
    total = sum(task.suites[suite].total for suite in ("native", "enhanced"))
    return Score(passed, total, tuple(failed))
