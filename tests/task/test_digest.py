"""The digest changes when, and only when, a path, an executable bit or a byte does; the manifest says where."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.task_factory import SUM, make_task
from underspec.errors import TaskError
from underspec.task.digest import check_manifest, task_digest, write_manifest

NATIVE = f"hidden/cases/native/{SUM}.json"

_NAME = st.text(alphabet="abAB01_ äπ.-", min_size=1, max_size=6).filter(lambda name: name.strip(".") == name)
_PATH = st.lists(_NAME, min_size=1, max_size=3).map("/".join)
_FILES = st.dictionaries(_PATH, st.tuples(st.binary(max_size=20), st.booleans()), max_size=6).filter(
    lambda files: not any(one != other and other.startswith(one + "/") for one in files for other in files)
)


def _digest(files: dict[str, tuple[bytes, bool]], order: bool = False) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for path, (content, executable) in sorted(files.items(), reverse=order):
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if executable else 0o640)
        return task_digest(Path(folder))


@settings(max_examples=60, deadline=None)
@given(one=_FILES, other=_FILES)
def test_two_folders_share_a_digest_exactly_when_they_hold_the_same(
    one: dict[str, tuple[bytes, bool]], other: dict[str, tuple[bytes, bool]]
) -> None:
    assert (_digest(one) == _digest(other, order=True)) == (one == other)
    assert _digest(one) == _digest(one, order=True)


@settings(max_examples=60, deadline=None)
@given(files=_FILES.filter(bool), data=st.data())
def test_one_small_change_changes_the_digest(files: dict[str, tuple[bytes, bool]], data: st.DataObject) -> None:
    before = _digest(files)
    path = data.draw(st.sampled_from(sorted(files)))
    content, executable = files[path]
    changed = data.draw(st.sampled_from(["byte", "bit", "gone", "name"]))
    after = dict(files)
    del after[path]
    if changed == "byte":
        after[path] = (content + b"x", executable)
    elif changed == "bit":
        after[path] = (content, not executable)
    elif changed == "name":
        after[path + "x"] = (content, executable)
    if changed != "name" or path + "x" not in files:
        assert _digest(after) != before


def test_times_and_empty_folders_do_not_count(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    before = task_digest(task)
    (task / "visible/workspace/empty").mkdir(parents=True)
    (task / NATIVE).touch()
    assert task_digest(task) == before


def test_the_manifest_itself_does_not_count(tmp_path: Path) -> None:
    task = make_task(tmp_path, manifest=False)
    before = task_digest(task)
    write_manifest(task)
    assert task_digest(task) == before
    assert check_manifest(task) == []


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_sha256sum_reads_our_manifest_and_we_read_its(tmp_path: Path) -> None:
    task = make_task(tmp_path, files={"visible/workspace/a b ä.txt": "x"})
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "MANIFEST.sha256"], cwd=task, check=True)
    files = sorted(path.relative_to(task).as_posix() for path in task.rglob("*") if path.is_file())
    files.remove("MANIFEST.sha256")
    theirs = subprocess.run(["sha256sum", "--binary", *files], cwd=task, check=True, capture_output=True).stdout
    (task / "MANIFEST.sha256").write_bytes(theirs)
    assert check_manifest(task) == []


def test_every_difference_from_the_manifest_is_named(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task / NATIVE).write_text("{}")
    (task / "hidden/requests/L1.md").unlink()
    (task / "hidden/units.json").write_text("[]")
    found = {finding.file: finding.message for finding in check_manifest(task)}
    assert set(found) == {NATIVE, "MANIFEST.sha256", "hidden/units.json"}
    assert "hidden/requests/L1.md" in found["MANIFEST.sha256"]
    assert all(finding.severity == "error" and finding.mend for finding in check_manifest(task))


@pytest.mark.parametrize("line", ["garbage", "0" * 64, f"{'g' * 64}  task.toml", f"{'0' * 63}  task.toml", "\xff"])
def test_a_damaged_manifest_is_named_by_line(tmp_path: Path, line: str) -> None:
    task = make_task(tmp_path)
    manifest = task / "MANIFEST.sha256"
    manifest.write_bytes(manifest.read_bytes() + line.encode("latin-1") + b"\n")
    (finding,) = check_manifest(task)
    assert finding.file == "MANIFEST.sha256"
    assert finding.where
    assert finding.where.startswith("line ")


def test_a_file_named_twice_and_a_path_outside_are_errors(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    manifest = task / "MANIFEST.sha256"
    first = manifest.read_text().splitlines()[0]
    manifest.write_text(manifest.read_text() + f"{first}\n{'0' * 64}  ../../etc/passwd\n")
    assert ["twice" in finding.message or "not there" in finding.message for finding in check_manifest(task)] == [
        True
    ] * 2


def test_a_folder_with_a_link_has_no_digest_and_gets_no_manifest(tmp_path: Path) -> None:
    task = make_task(tmp_path, manifest=False)
    (task / "visible").symlink_to("/etc")
    for use in (task_digest, write_manifest, check_manifest):
        with pytest.raises(TaskError, match="symbolic link"):
            use(task)
    assert not (task / "MANIFEST.sha256").exists()
