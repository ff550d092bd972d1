"""The whole published size at once: 480 tasks of three levels, made up here, imported and validated by the commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.task.icae.synthetic import make_large_checkout

TASKS = 480
MOST_SECONDS, MOST_MEGABYTES = 60, 500


@dataclass(frozen=True)
class Used:
    """What one command used, and printed."""

    seconds: float
    megabytes: float
    document: Any


# A process's ru_maxrss begins with what its starter held; the high-water mark in /proc does not.
_MEASURED = """
import atexit, pathlib, sys
peak = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: peak.write_text(
    next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:"))))
from underspec.cli import main
main()
"""


def used(out: Path, *argv: str | Path) -> Used:
    """Run a command. Its processor time counts, so that what else this machine does makes no difference."""
    peak = out.with_suffix(".peak")
    start = time.monotonic()
    with out.open("wb") as stdout:
        process = subprocess.Popen([sys.executable, "-c", _MEASURED, str(peak), *map(str, argv)], stdout=stdout)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds = usage.ru_utime + usage.ru_stime
    wall = time.monotonic() - start
    megabytes = int(peak.read_text()) / 1024
    print(f"{argv[1]}: {seconds:.1f} s of processor time, {wall:.1f} s, {megabytes:.0f} MB at most")
    return Used(seconds, megabytes, json.loads(out.read_text("utf-8")))


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_480_tasks_are_imported_and_validated_within_a_minute_and_500_megabytes(tmp_path: Path) -> None:
    source = make_large_checkout(tmp_path, TASKS)
    made = used(tmp_path / "imported.json", "tasks", "import-icae", source, "--out", tmp_path / "out", "--json")
    checked = used(tmp_path / "validated.json", "tasks", "validate", tmp_path / "out", "--json")
    assert len(made.document["imported"]) == len(checked.document["tasks"]) == TASKS
    assert made.document["failed"] == []
    assert checked.document["valid"] is True
    assert made.seconds + checked.seconds < MOST_SECONDS
    assert max(made.megabytes, checked.megabytes) < MOST_MEGABYTES
