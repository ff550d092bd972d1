"""The third bundled task, its solutions, and how their trees are run."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.bundled.places import REPOSITORY, Score
from underspec.artifact.outcomes import SUITES
from underspec.grade.cases import SUBDIRS
from underspec.task.load import load_task
from underspec.task.release import expectations, grader_inputs

MOVING_MARKS = REPOSITORY / "src/underspec/task/bundled/moving-marks"
SOLUTIONS = REPOSITORY / "src/underspec/agent/solutions/moving-marks"
REFERENCE_IMPL = Path(__file__).resolve().parent / "marks_impl"


def run_tree(tree: Path, repository: Path, *, settings: dict[str, object] | None = None) -> Score:
    """Run our own tree (never anybody else's) on all suites, without a sandbox, and score native and enhanced."""
    task = load_task(MOVING_MARKS)
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
        subprocess.run(command, cwd=repository, check=True, timeout=120)
        for stem, wanted in expectations(task, suite).items():
            for index, output in enumerate(wanted):
                place = repository / "rcb_tests/stdout" / SUBDIRS[suite] / f"{stem}@{index:03}.txt"
                right = place.is_file() and place.read_bytes() == output.encode()
                passed += right and suite != "public"
                if not right:
                    failed.append(f"{suite}/{stem}[{index}]")
    total = sum(task.suites[suite].total for suite in ("native", "enhanced"))
    return Score(passed, total, tuple(failed))
