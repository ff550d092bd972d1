"""What a deliverable writes and prints is bounded, flagged, and costs the harness no memory (faults 4, 6, 10)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from underspec.artifact.outcomes import CaseOutcome, Outcomes, SuiteState
from underspec.grade.grader import grade_deliverable
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.protocol import Owner
from underspec.selftest.deliverables.outputs import sized
from underspec.selftest.deliverables.pairs import only, script, sh
from underspec.selftest.deliverables.toy import INPUTS, honest, join, toy_task, write
from underspec.task.model import Task

pytestmark = pytest.mark.sandbox

MIB = 1024**2
NATIVE = toy_task({"native": INPUTS["native"]}, suite_seconds=2)


def grade(deliverable: Path, task: Task = NATIVE) -> Outcomes:
    owner = Owner(run="tests", purpose="grade")
    return asyncio.run(grade_deliverable(task, deliverable, BubblewrapBackend(), image="host", owner=owner))


def test_an_output_at_the_limit_counts_and_one_byte_more_is_oversize(tmp_path: Path) -> None:
    sizes = (MIB - 1, MIB, MIB + 1)
    task = toy_task({"native": {"add": [join(["x" * size], "") for size in sizes]}})
    outcomes = grade(sized(tmp_path, sizes), task)
    assert [case.outcome for case in outcomes.cases] == [CaseOutcome.PASS, CaseOutcome.PASS, CaseOutcome.OVERSIZE]


def test_what_test_sh_prints_is_no_output_of_a_case(tmp_path: Path) -> None:
    limit = NATIVE.toml.limits.output_mb * MIB
    for place, size in enumerate((limit - 1, limit, limit + 1)):
        folder = tmp_path / str(place)
        honest(folder, test_sh=sh(f"yes | head -c {size}"))
        outcomes = grade(folder)
        assert outcomes.clean
        assert outcomes.suites[0].exit_code == 0
        assert outcomes.suites[0].states == ()


def test_a_hang_ends_at_the_limit_and_outputs_before_it_count(tmp_path: Path) -> None:
    honest(tmp_path, test_sh=sh("", "trap '' TERM INT HUP; while :; do sleep 100; done"))
    start = time.monotonic()
    outcomes = grade(tmp_path)
    assert time.monotonic() - start < 5
    assert outcomes.clean
    assert outcomes.suites[0].states == (SuiteState.EXEC_TIMEOUT,)
    assert (outcomes.suites[0].limit, outcomes.suites[0].layer) == ("time", "exec")


def test_a_process_left_in_the_background_is_not_waited_for(tmp_path: Path) -> None:
    honest(tmp_path, test_sh=sh("sleep 1000 & (setsid sleep 1000; true) &"))
    start = time.monotonic()
    outcomes = grade(tmp_path)
    assert outcomes.clean
    assert outcomes.suites[0].states == ()
    assert time.monotonic() - start < 1.9


def test_the_graded_folder_is_left_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "deliverable"
    honest(folder, test_sh=sh("", "rm -rf README.md; echo changed > app.py; mkdir new; exit 0"))
    write(folder, {"rcb_tests/test_cases/old.json": "{}", "rcb_tests/stdout/test_cases/old@0.txt": "x"})

    def state() -> dict[str, tuple[int, bytes]]:
        return {
            str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in sorted(folder.rglob("*"))
        }

    before = state()
    assert grade(folder).clean
    assert state() == before


def test_the_same_deliverable_twice_gives_the_same_artifact(tmp_path: Path) -> None:
    script(sh("echo $RANDOM; date", "kill -9 $$"))(tmp_path)
    assert grade(tmp_path).to_bytes() == grade(tmp_path).to_bytes()


_PEAK = """
import asyncio, json, pathlib, re, sys
sys.path.insert(0, sys.argv[1])
from underspec.selftest.deliverables.toy import INPUTS, toy_task
from underspec.grade.grader import grade_deliverable
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.protocol import Owner
task = toy_task({"native": INPUTS["native"]}, disk_mb=1024, memory_mb=2048, suite_seconds=60)
outcomes = asyncio.run(grade_deliverable(
    task, pathlib.Path(sys.argv[2]), BubblewrapBackend(), image="host", owner=Owner(run="tests", purpose="peak")))
status = pathlib.Path("/proc/self/status").read_text()
print(json.dumps({
    # Not ru_maxrss: that begins with what the process which started this one held.
    "peak": int(re.search(r"^VmHWM:\\s*([0-9]+) kB$", status, re.M)[1]) * 1024,
    "passed": outcomes.overall.passed, "outcomes": sorted(case.outcome for case in outcomes.cases)}))
"""


def peak_of(deliverable: Path) -> dict[str, object]:
    """Grade in a process of its own and say how much memory that took."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(root), str(deliverable)], stdout=subprocess.PIPE, check=True
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_one_gigabyte_on_standard_output_is_no_failure_and_takes_no_memory(tmp_path: Path) -> None:
    honest(tmp_path, test_sh=sh("head -c 1000000000 /dev/zero"))
    found = peak_of(tmp_path)
    assert found["passed"] == 6
    assert int(str(found["peak"])) < 200 * MIB


def test_giant_output_files_take_no_memory(tmp_path: Path) -> None:
    body = (
        'cd "rcb_tests/stdout/$2"; head -c 500000000 /dev/zero > add@000.txt; truncate -s 50G add@001.txt; '
        "head -c 1048576 /dev/zero > add@002.txt; for i in $(seq -w 0 199); do cp add@002.txt join@$i.txt; done"
    )
    honest(tmp_path, test_sh=only(body))
    found = peak_of(tmp_path)
    assert found["outcomes"] == ["mismatch"] * 4 + ["oversize"] * 2
    assert int(str(found["peak"])) < 200 * MIB


def test_a_shipped_binary_is_noted_and_changes_no_score(tmp_path: Path) -> None:
    write(honest(tmp_path), {"bin/tool": Path("/bin/true").read_bytes()})
    (tmp_path / "bin" / "tool").chmod(0o755)
    outcomes = grade(tmp_path)
    assert outcomes.clean
    assert len(outcomes.notes) == 1
    assert "bin/tool (ELF)" in outcomes.notes[0]


@pytest.mark.proof
def test_a_deliverable_full_of_stale_outputs_and_folders_is_graded_and_not_unscored(tmp_path: Path) -> None:
    honest(tmp_path)
    stale = tmp_path / "rcb_tests/stdout"
    stale.mkdir(exist_ok=True)
    for number in range(199_900):
        (stale / f"f{number}").touch()
    for number in range(15_000):
        (stale / f"d{number}").mkdir()
    assert grade(tmp_path).clean
