"""A second import changes nothing; a killed one leaves nothing that anybody takes for a task."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.task.icae.check import import_all, imported
from tests.task.icae.synthetic import ALIAS, TASK, level_document, make_checkout, make_large_checkout
from tests.task_factory import make_task
from underspec.task.catalog import find_tasks
from underspec.task.digest import check_manifest, task_digest
from underspec.task.icae.importing import import_checkout
from underspec.task.load import load_task

L1 = f"prd_json/{ALIAS}.json"


def content(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_second_import_touches_nothing(tmp_path: Path) -> None:
    assert imported(tmp_path).state == "new"
    before = content(tmp_path / "out")
    assert imported(tmp_path).state == "unchanged"
    assert content(tmp_path / "out") == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == [TASK]


def test_two_imports_of_the_same_data_are_the_same_task(tmp_path: Path) -> None:
    shutil.copytree(make_checkout(tmp_path / "a"), tmp_path / "b")
    first = import_checkout(tmp_path / "a" / "published", tmp_path / "one").imported[0]
    second = import_checkout(tmp_path / "b", tmp_path / "two").imported[0]
    assert task_digest(first.path) == task_digest(second.path)


def test_changed_data_replaces_the_earlier_import(tmp_path: Path) -> None:
    imported(tmp_path)
    (tmp_path / "out" / TASK / "stray.txt").write_text("x")
    assert imported(tmp_path, {L1: level_document("L1", fuzzy_prd="# New\n")}).state == "replaced"
    task = load_task(tmp_path / "out" / TASK)
    assert task.requests["L1"] == "# New\n"
    assert not (tmp_path / "out" / TASK / "stray.txt").exists()
    assert check_manifest(task.path) == []
    assert [path.name for path in (tmp_path / "out").iterdir()] == [TASK]


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a changed request": lambda task: (task / "hidden/requests/L1.md").write_text("x"),
    "a missing file": lambda task: (task / "hidden/requests/L1.md").unlink(),
    "a changed manifest": lambda task: (task / "MANIFEST.sha256").write_text(""),
    "a link": lambda task: (task / "hidden/x").symlink_to("/etc/passwd"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_earlier_import_is_renewed(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    whole = task_digest(imported(tmp_path).path)
    damage(tmp_path / "out" / TASK)
    assert imported(tmp_path).state == "replaced"
    assert task_digest(tmp_path / "out" / TASK) == whole
    assert check_manifest(tmp_path / "out" / TASK) == []


def own_task(out: Path) -> None:
    make_task(out, name=TASK, toml={"id": TASK})


def other_task(out: Path) -> None:
    make_task(out, name=TASK, toml={"origin": "icae"})


def file(out: Path) -> None:
    (out / TASK).write_text("mine")


def folder(out: Path) -> None:
    (out / TASK).mkdir()
    (out / TASK / "notes.txt").write_text("mine")


def link(out: Path) -> None:
    (out.parent / "elsewhere").mkdir()
    (out / TASK).symlink_to(out.parent / "elsewhere")


def link_to_nothing(out: Path) -> None:
    (out / TASK).symlink_to("nowhere")


@pytest.mark.parametrize("occupy", [own_task, other_task, file, folder, link, link_to_nothing])
def test_what_is_no_earlier_import_is_never_replaced(tmp_path: Path, occupy: Callable[[Path], None]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    occupy(out)
    before = sorted(path.relative_to(tmp_path / "out").as_posix() for path in out.rglob("*"))
    (failure,) = import_all(tmp_path).failed
    assert (failure.error.file, "is no imported task" in failure.error.message) == (str(out / TASK), True)
    assert sorted(path.relative_to(tmp_path / "out").as_posix() for path in out.rglob("*")) == before


def test_a_failed_renewal_leaves_the_earlier_import(tmp_path: Path) -> None:
    imported(tmp_path)
    before = content(tmp_path / "out")
    assert import_all(tmp_path, {L1: "{"}).failed
    assert content(tmp_path / "out") == before


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_not(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in (".import-dead", ".import-living"):
        (out / name / TASK).mkdir(parents=True)
    (out / ".import-file").write_text("x")
    handle = os.open(out / ".import-living", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        imported(tmp_path)
    finally:
        os.close(handle)
    assert sorted(path.name for path in out.iterdir()) == [".import-file", ".import-living", TASK]


def test_an_import_that_is_killed_leaves_whole_tasks_only_and_the_next_one_goes_on(tmp_path: Path) -> None:
    source, out = make_large_checkout(tmp_path, 12), tmp_path / "out"
    work = f"import sys; sys.path[:] = {sys.path!r}; from pathlib import Path\n"
    work += "from underspec.task.icae.importing import import_checkout\n"
    work += f"import_checkout(Path({str(source)!r}), Path({str(out)!r}))"
    for wanted in (1, 4):
        process = subprocess.Popen([sys.executable, "-c", work])
        deadline = time.monotonic() + 60
        while len(list(out.glob("realcode-*"))) < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        made = find_tasks([str(out)]) if list(out.glob("realcode-*")) else []
        assert all(path.parent == out for path in made)
        for path in made:
            assert load_task(path)
            assert check_manifest(path) == []
    result = import_checkout(source, out)
    assert len(result.imported) == 12
    assert {one.state for one in result.imported} <= {"new", "unchanged"}
    assert sorted(path.name for path in out.iterdir()) == [f"realcode-{number:03}" for number in range(1, 13)]
