"""Whatever is wrong with the input: a clear message, the right exit code, no traceback, nothing earned lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.command import Ran, underspec
from tests.task_factory import make_task

NATIVE = "hidden/cases/native/feature1_sum.json"


def _clear(ran: Ran, code: int, *named: str) -> None:
    text = ran.out + ran.err
    assert ran.code == code, text
    assert "Traceback" not in text
    for word in named:
        assert word in text, text


def _missing(task: Path) -> None:
    (task / "task.toml").unlink()


def _bad_json(task: Path) -> None:
    (task / NATIVE).write_text('{"description": "x", "cases": [')


def _wrong_type(task: Path) -> None:
    content = json.loads((task / NATIVE).read_text())
    content["cases"][1]["expected_output"] = 7
    (task / NATIVE).write_text(json.dumps(content))


def _no_expectation(task: Path) -> None:
    content = json.loads((task / NATIVE).read_text())
    del content["cases"][0]["expected_output"]
    (task / NATIVE).write_text(json.dumps(content))


def _binary(task: Path) -> None:
    (task / NATIVE).write_bytes(bytes(range(256)) * 10)


def _huge(task: Path) -> None:
    with (task / NATIVE).open("wb") as stream:
        stream.truncate(3 * 1024**3)


def _cyclic_link(task: Path) -> None:
    (task / NATIVE).unlink()
    (task / NATIVE).symlink_to(task / NATIVE)


def _link_to_itself_as_a_folder(task: Path) -> None:
    (task / "hidden" / "cases" / "native" / "loop").symlink_to(task / "hidden")


def _a_pipe(task: Path) -> None:
    (task / NATIVE).unlink()
    os.mkfifo(task / NATIVE)


def _a_folder(task: Path) -> None:
    (task / NATIVE).unlink()
    (task / NATIVE).mkdir()


DAMAGE: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "missing": (_missing, ("task.toml",)),
    "bad json": (_bad_json, (NATIVE,)),
    "wrong type": (_wrong_type, (NATIVE, "$.cases[1].expected_output")),
    "no expectation": (_no_expectation, (NATIVE, "$.cases[0]")),
    "binary": (_binary, (NATIVE,)),
    "huge": (_huge, (NATIVE,)),
    "cyclic link": (_cyclic_link, (NATIVE,)),
    "folder link": (_link_to_itself_as_a_folder, ("hidden/cases/native/loop",)),
    "pipe": (_a_pipe, (NATIVE,)),
    "folder": (_a_folder, (NATIVE,)),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_task_is_named_by_every_command(tmp_path: Path, kind: str) -> None:
    task = make_task(tmp_path)
    damage, named = DAMAGE[kind]
    damage(task)
    (tmp_path / "submission").mkdir()
    # A folder without task.toml is no task at all: naming it is wrong use.
    code = 2 if kind == "missing" else 1
    _clear(underspec("tasks", "validate", task), code, *named)
    document = underspec("tasks", "validate", task, "--json")
    assert document.code == code
    if kind != "missing":
        assert document.json()["valid"] is False
    _clear(underspec("grade", "--task", task, "--submission", tmp_path / "submission"), code, *named)
    _clear(underspec("run", "--task", task, "--agent", "nop", cwd=tmp_path), code, *named)
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be refused as another user")
def test_an_unreadable_task_is_named(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task / NATIVE).chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    code = (
        "from pathlib import Path; from underspec.errors import TaskError; from underspec.task.load import load_task\n"
        f"try: load_task(Path({str(task)!r}))\n"
        "except TaskError as error: print(error)"
    )
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env", "python3"]
    if subprocess.run([*command, "-c", "import underspec"], capture_output=True).returncode:
        pytest.skip("another user cannot run this interpreter")
    done = subprocess.run([*command, "-c", code], capture_output=True, text=True)
    assert NATIVE in done.stdout


@pytest.mark.sandbox
def test_a_submission_that_is_none_is_named(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("nothing", "file", "loop"):
        _clear(underspec("grade", "--task", task, "--submission", tmp_path / name), 2, name)


@pytest.mark.sandbox
def test_a_submission_with_links_pipes_and_binaries_is_graded_and_not_changed(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    submission = tmp_path / "submission"
    (submission / "rcb_tests").mkdir(parents=True)
    (submission / "rcb_tests" / "test.sh").write_bytes(b"\x00\xff\xfe not a script")
    (submission / "loop").symlink_to("loop")
    (submission / "up").symlink_to("/etc")
    os.mkfifo(submission / "pipe")
    before = sorted(str(path) for path in submission.rglob("*"))
    ran = underspec("grade", "--task", task, "--submission", submission, "--json")
    assert ran.code == 0, ran.err
    assert ran.json()["overall"]["passed"] == 0
    assert sorted(str(path) for path in submission.rglob("*")) == before


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["run"], ("--task", "--agent")),
        (["run", "--task", "data-sizes", "--agent", "nobody"], ("nobody", "asker")),
        (["run", "--task", "nothing", "--agent", "nop"], ("nothing", "data-sizes")),
        (["run", "--task", "data-sizes", "--agent", "nop", "--exposure", "L9"], ("exposure",)),
        (["run", "--task", "data-sizes", "--agent", "nop", "--budget", "-1"], ("budget",)),
        (["run", "--task", "data-sizes", "--agent", "nop", "--image", "provisioned"], ("provisioned",)),
        (["run", "--task", "data-sizes", "--agent", "nop", "--redo", "everything"], ("everything",)),
        (["run", "--task", "data-sizes", "--agent", "nop", "--run", "../up"], ("../up",)),
        (["run", "--task", "data-sizes", "--agent", "nop", "--sandbox", "none"], ("none", "bubblewrap")),
        (["run", "--experiment", "missing.toml"], ("missing.toml",)),
        (["run", "--task", "data-sizes", "--agent", "nop", "--epochs", "0"], ("epochs",)),
        (["report"], ("no run yet",)),
        (["report", "nothing"], ("nothing", "no run")),
        (["report", __file__], (__file__, "no run")),
        (["show", "--run", "nothing", "anything"], ("nothing", "no run")),
        (["show", "anything"], ("no run yet",)),
        (["stakeholder", "ask", "--task", "data-sizes", "--exposure", "ground", "why?"], ("ground", "L1")),
        (["prompts", "show", "nobody"], ("nobody",)),
        (["nonsense"], ("nonsense",)),
    ],
)
def test_wrong_use_is_explained_and_exits_with_2(tmp_path: Path, argv: list[str], named: tuple[str, ...]) -> None:
    _clear(underspec(*argv, cwd=tmp_path), 2, *named)
    assert not (tmp_path / "runs").exists()


@pytest.mark.sandbox
def test_a_folder_for_runs_that_cannot_be_one_is_named(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    ran = underspec("run", "--task", make_task(tmp_path), "--agent", "nop", "--runs", taken, cwd=tmp_path)
    _clear(ran, 2, str(taken), "Not a directory")
    assert taken.read_text() == "a file"


@pytest.mark.sandbox
def test_a_scripted_agent_without_a_solution_is_said_before_the_run(tmp_path: Path) -> None:
    ran = underspec("run", "--task", make_task(tmp_path), "--agent", "eager", cwd=tmp_path)
    _clear(ran, 2, "eager", "toy-sums", "data-sizes")


@pytest.mark.sandbox
def test_a_damaged_run_is_named_and_keeps_what_is_whole(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    argv: list[str | Path] = ["run", "--task", task, "--agent", "nop", "--budget", "0", "--run", "one"]
    assert underspec(*argv, cwd=tmp_path).code == 0
    run = tmp_path / "runs" / "one"
    outcomes = next(run.rglob("outcomes.json"))
    whole = outcomes.read_bytes()
    outcomes.write_bytes(whole[: len(whole) // 2])
    _clear(underspec("report", run, cwd=tmp_path), 1, "outcomes.json")
    outcomes.unlink()
    _clear(underspec("report", run, cwd=tmp_path), 1, "outcomes.json")
    shutil.rmtree(outcomes.parent)
    assert underspec(*argv, cwd=tmp_path).code == 0
    assert next(run.rglob("outcomes.json")).read_bytes() == whole
    (run / "run.toml").write_text("schema = [")
    _clear(underspec("report", run, cwd=tmp_path), 1, "run.toml")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip("this user may not mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.sandbox
def test_a_full_disk_is_said_and_nothing_half_written_stays(tmp_path: Path, small_disk: Path) -> None:
    task = make_task(tmp_path)
    argv: list[str | Path] = [
        "run",
        "--task",
        task,
        "--agent",
        "nop",
        "--budget",
        "0",
        "--run",
        "one",
        "--runs",
        small_disk / "runs",
    ]
    filler = small_disk / "filler"
    ended = []
    # A little more room each time, so that the disk is full at another step of the run.
    for spare in (0, 4, 12, 20, 28, 36):
        filler.write_bytes(b"x" * (1024 - spare) * 1024)
        ran = underspec(*argv, cwd=tmp_path)
        ended.append(ran.code)
        if ran.code == 0:
            break
        _clear(ran, 3, "no space left", "warning: only")
        assert list(small_disk.rglob("outcomes.json")) == []
        filler.unlink()
    assert ended.count(3) >= 3
    filler.unlink(missing_ok=True)
    ran = underspec(*argv, "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json()["scored"] == 1
