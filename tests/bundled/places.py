"""Where the bundled things lie, and how a tree's cases are run."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.outcomes import SUITES
from underspec.grade.cases import SUBDIRS
from underspec.task.load import load_task
from underspec.task.release import expectations, grader_inputs

REPOSITORY = Path(__file__).resolve().parents[2]
DATA_SIZES = REPOSITORY / "src/underspec/task/bundled/data-sizes"
SOLUTIONS = REPOSITORY / "src/underspec/agent/solutions/data-sizes"
REFERENCE_IMPL = Path(__file__).resolve().parent / "reference_impl"


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


def run_tree(tree: Path, repository: Path, *, settings: dict[str, object] | None = None) -> Score:
    """Run our own tree (never anybody else's) on all suites, without a sandbox, and score native and enhanced."""
    task = load_task(DATA_SIZES)
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
        subprocess.run(command, cwd=repository, check=True, timeout=60)
        for stem, wanted in expectations(task, suite).items():
            for index, output in enumerate(wanted):
                place = repository / "rcb_tests/stdout" / SUBDIRS[suite] / f"{stem}@{index:03}.txt"
                right = place.is_file() and place.read_bytes() == output.encode()
                passed += right and suite != "public"
                if not right:
                    failed.append(f"{suite}/{stem}[{index}]")
    total = sum(task.suites[suite].total for suite in ("native", "enhanced"))
    return Score(passed, total, tuple(failed))
