"""The golden implementation: fetched by hash through the package managers, kept, repaired, composed; never guessed."""

from __future__ import annotations

import errno
import hashlib
import io
import itertools
import multiprocessing
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.task_factory import WHEEL_NAME, golden_wheel, make_golden_wheel, make_task, task_files
from underspec.errors import GoldenError, HostExhaustedError
from underspec.task import fetch, golden
from underspec.task.golden import (
    archive_place,
    compose_golden,
    fetch_golden,
    golden_library,
    golden_sources,
    golden_tree,
)
from underspec.task.load import load_task
from underspec.task.model import GoldenToml, Task


def named(**fields: str) -> GoldenToml:
    known = {key: value for key, value in task_files()["hidden/golden.toml"].items() if key != "canary"}
    return GoldenToml.model_validate({**known, **fields})


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load_task(make_task(tmp_path))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache folder in which the archive lies already."""
    cache = tmp_path / "cache"
    make_golden_wheel(archive_place(named(), cache).parent)
    return cache


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip, with no other index, looks for wheels."""
    folder = tmp_path / "index"
    make_golden_wheel(folder)
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def no_package_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to download fails the test."""
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **options: pytest.fail(f"ran {arguments}"))


# --- fetching with pip ---


def test_pip_fetches_the_wheel_that_the_hash_names(index: Path, tmp_path: Path) -> None:
    tree = fetch_golden(named(), tmp_path / "cache")
    assert (tree / "figurecrate/__init__.py").is_file()
    assert archive_place(named(), tmp_path / "cache").read_bytes() == golden_wheel()


def test_a_constraint_of_this_machine_does_not_stand_in_the_way(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "constraints.txt").write_text("figurecrate==0.1\n")
    monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "constraints.txt"))
    assert fetch_golden(named(), tmp_path / "cache").is_dir()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"version": "9.9"}, "could not fetch figurecrate 9.9"),
        ({"name": "no-such-crate"}, "could not fetch no-such-crate"),
        ({"sha256": "0" * 64}, "could not fetch figurecrate 3.1.4"),
        ({"filename": "figurecrate-3.1.4-py2-none-any.whl"}, "not figurecrate-3.1.4-py2"),
    ],
)
def test_what_pip_cannot_give_is_an_error_that_says_which_file_to_put_where(
    index: Path, tmp_path: Path, fields: dict[str, str], says: str
) -> None:
    wanted = named(**fields)
    with pytest.raises(GoldenError, match=says) as raised:
        fetch_golden(wanted, tmp_path / "cache")
    assert raised.value.file == "hidden/golden.toml"
    assert str(archive_place(wanted, tmp_path / "cache")) in (raised.value.mend or "")
    assert wanted.sha256 in (raised.value.mend or "")
    assert not (tmp_path / "cache/golden" / wanted.sha256).exists()
    assert not list(archive_place(wanted, tmp_path / "cache").parent.iterdir())


def test_a_source_archive_is_never_built(tmp_path: Path, no_package_manager: None) -> None:
    with pytest.raises(GoldenError, match="build code") as raised:
        fetch_golden(named(filename="figurecrate-3.1.4.tar.gz"), tmp_path)
    assert raised.value.where == "$.filename"


def test_without_pip_the_mend_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_package_manager: None
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(GoldenError, match="pip is missing") as raised:
        fetch_golden(named(), tmp_path)
    assert "ensurepip" in (raised.value.mend or "")


def test_a_package_manager_that_hangs_or_cannot_start_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(GoldenError, match="cannot be started"):
        fetch_golden(named(), tmp_path)
    monkeypatch.setattr(fetch, "_SECONDS", 0.2)
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\nexec sleep 60\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(sleeper))
    with pytest.raises(GoldenError, match="did not end"):
        fetch_golden(named(), tmp_path)


def test_what_is_only_compared_with_is_given_up_soon(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: Path
) -> None:
    real, seen = subprocess.run, []

    def run(command: list[str], **options: Any) -> Any:
        seen.append((command, options["timeout"]))
        return real(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    assert (golden_sources(task, tmp_path / "hasty") / "figurecrate/__init__.py").is_file()
    golden_library(task, tmp_path / "patient")
    (hasty, soon), (patient, late) = seen
    assert "--retries" in hasty
    assert "--retries" not in patient
    assert soon < late


def test_a_wheel_for_one_platform_is_asked_for_as_such(tmp_path: Path) -> None:
    wheel = named(filename="figurecrate-3.1.4-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
    command = fetch._pip(wheel, tmp_path, tmp_path / "place")
    pairs = list(itertools.pairwise(command))
    assert ("--python-version", "312") in pairs
    assert ("--implementation", "cp") in pairs
    assert ("--abi", "cp312") in pairs
    assert ("--platform", "manylinux_2_17_x86_64") in pairs
    assert ("--platform", "manylinux2014_x86_64") in pairs
    assert "--platform" not in fetch._pip(named(), tmp_path, tmp_path)


# --- fetching with npm ---


def npm_archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo("package/index.js")
        info.size = 2
        archive.addfile(info, io.BytesIO(b"1;"))
    return buffer.getvalue()


def fake_npm(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder.mkdir()
    (folder / "npm").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_npm_packs_without_scripts_and_the_root_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = npm_archive()
    (tmp_path / "served.tgz").write_bytes(data)
    script = f'echo "$@" > {tmp_path}/asked; cp {tmp_path}/served.tgz "$4/scope-lib-1.0.0.tgz"'
    fake_npm(tmp_path / "bin", monkeypatch, script)
    wanted = named(
        registry="npm",
        name="@scope/lib",
        version="1.0.0",
        filename="scope-lib-1.0.0.tgz",
        sha256=hashlib.sha256(data).hexdigest(),
        root="package",
    )
    assert [path.name for path in fetch_golden(wanted, tmp_path / "cache").iterdir()] == ["index.js"]
    asked = (tmp_path / "asked").read_text()
    assert "pack --ignore-scripts" in asked
    assert asked.strip().endswith("@scope/lib@1.0.0")


@pytest.mark.parametrize("served", [b"", b"other", npm_archive() + b"\0"])
def test_an_archive_of_another_hash_is_refused_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: bytes
) -> None:
    (tmp_path / "served.tgz").write_bytes(served)
    fake_npm(tmp_path / "bin", monkeypatch, f'cp {tmp_path}/served.tgz "$4/lib-1.0.0.tgz"')
    wanted = named(registry="npm", name="lib", version="1.0.0", filename="lib-1.0.0.tgz", sha256="1" * 64)
    with pytest.raises(GoldenError, match=hashlib.sha256(served).hexdigest()) as raised:
        fetch_golden(wanted, tmp_path / "cache")
    assert raised.value.where == "$.sha256"
    assert not archive_place(wanted, tmp_path / "cache").exists()


def test_npm_that_fails_or_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = named(registry="npm", name="lib", version="1.0.0", filename="lib-1.0.0.tgz", sha256="1" * 64)
    fake_npm(tmp_path / "bin", monkeypatch, "printf 'npm error \\033[31m404\\n' >&2; exit 1")
    with pytest.raises(GoldenError, match="404") as raised:
        fetch_golden(wanted, tmp_path / "cache")
    assert str(raised.value).isprintable()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(GoldenError, match="npm is missing"):
        fetch_golden(wanted, tmp_path / "cache")


# --- keeping ---


def test_offline_once_the_archive_is_put_in_place(cache: Path, no_package_manager: None) -> None:
    tree = fetch_golden(named(), cache)
    assert (tree / "figurecrate/__init__.py").is_file()
    assert tree == cache / "golden" / named().sha256 / "tree"


def test_a_wrong_file_in_place_is_named_and_not_replaced(cache: Path, no_package_manager: None) -> None:
    archive_place(named(), cache).write_bytes(b"other")
    with pytest.raises(GoldenError, match="is not the archive") as raised:
        fetch_golden(named(), cache)
    assert "remove that file" in (raised.value.mend or "")


def test_the_second_call_reads_no_archive(cache: Path, no_package_manager: None) -> None:
    fetch_golden(named(), cache)
    archive_place(named(), cache).unlink()
    assert fetch_golden(named(), cache).is_dir()


def test_byte_code_made_by_a_reader_does_no_harm(cache: Path, no_package_manager: None) -> None:
    tree = fetch_golden(named(), cache)
    archive_place(named(), cache).unlink()
    (tree / "figurecrate/__pycache__").mkdir()
    (tree / "figurecrate/__pycache__/x.pyc").write_bytes(b"\0")
    assert fetch_golden(named(), cache) == tree


@pytest.mark.parametrize("damage", ["changed", "removed", "added", "link", "half", "seal", "bit"])
def test_a_damaged_copy_is_made_anew(cache: Path, damage: str, no_package_manager: None) -> None:
    tree = fetch_golden(named(), cache)
    module = tree / "figurecrate/__init__.py"
    honest = module.read_bytes()
    match damage:
        case "changed":
            module.write_bytes(honest + b"# 1")
        case "removed":
            module.unlink()
        case "added":
            (tree / "sitecustomize.py").write_text("evil")
        case "link":
            (tree / "link").symlink_to("/etc")
        case "half":
            tree.rename(tree.with_name("gone"))
        case "seal":
            (tree.parent / "tree.digest").write_bytes(b"\xff")
        case "bit":
            module.chmod(0o755)
    again = fetch_golden(named(), cache)
    assert (again / "figurecrate/__init__.py").read_bytes() == honest
    assert not (again / "sitecustomize.py").exists()
    assert not (again / "link").is_symlink()
    assert not [path for path in (cache / "golden").iterdir() if ".tmp" in path.name or "damaged" in path.name]


def _fetch_in_another_process(cache: Path, gate: object, results: object) -> None:
    gate.wait()  # type: ignore[attr-defined]
    tree = fetch_golden(named(), cache)
    results.put((tree / "figurecrate/__init__.py").read_bytes())  # type: ignore[attr-defined]


def test_processes_that_fetch_at_once_all_get_it(cache: Path) -> None:
    context = multiprocessing.get_context("fork")
    gate, results = context.Barrier(6), context.Queue()
    workers = [context.Process(target=_fetch_in_another_process, args=(cache, gate, results)) for _ in range(6)]
    for worker in workers:
        worker.start()
    got = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(60)
    assert len(set(got)) == 1
    assert [worker.exitcode for worker in workers] == [0] * 6


def test_what_a_killed_process_left_is_cleared_away(index: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    left = [
        cache / "golden" / f".{named().sha256}.0123456789ab.tmp" / "tree",
        archive_place(named(), cache).parent / ".fetch-xyz",
    ]
    for folder in left:
        folder.mkdir(parents=True)
        (folder / "half").write_text("half")
    fetch_golden(named(), cache)
    assert not any(folder.exists() for folder in left)
    assert [path.name for path in (cache / "golden").iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_the_hosts_fault_and_leaves_nothing_half(
    cache: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    real: Any = Path.open

    def full(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if "x" in mode and path.suffix == ".py":
            raise OSError(code, os.strerror(code), str(path))
        return real(path, mode, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        with pytest.raises(HostExhaustedError):
            fetch_golden(named(), cache)
    assert not (cache / "golden" / named().sha256).exists()
    assert (fetch_golden(named(), cache) / "figurecrate/__init__.py").is_file()


def test_a_root_that_is_not_there_is_named_with_those_that_are(cache: Path) -> None:
    with pytest.raises(GoldenError, match="no folder 'src'") as raised:
        fetch_golden(named(root="src"), cache)
    assert "figurecrate" in (raised.value.mend or "")


def test_a_cache_that_cannot_be_used_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GoldenError, match="cache folder cannot be used") as raised:
        fetch_golden(named(), tmp_path / "file")
    assert "UNDERSPEC_HOME" in (raised.value.mend or "")


def test_the_cache_is_where_the_environment_says(
    cache: Path, monkeypatch: pytest.MonkeyPatch, no_package_manager: None
) -> None:
    monkeypatch.setenv("UNDERSPEC_HOME", str(cache))
    assert fetch_golden(named()).is_relative_to(cache)


def test_without_the_variable_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("UNDERSPEC_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert archive_place(named()).is_relative_to(tmp_path / ".cache/underspec/golden")


# --- composing ---


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_the_golden_deliverable_is_the_reference_with_the_library_in_it(
    task: Task, cache: Path, tmp_path: Path, mask: int
) -> None:
    into = tmp_path / "deliverable"
    into.mkdir()
    before = os.umask(mask)
    try:
        compose_golden(task, into, cache)
    finally:
        os.umask(before)
    files = {path.relative_to(into).as_posix(): path for path in into.rglob("*") if path.is_file()}
    assert set(files) >= {"dispatch.py", "rcb_tests/test.sh", "vendor/golden/figurecrate/__init__.py"}
    assert stat.S_IMODE(files["rcb_tests/test.sh"].stat().st_mode) == 0o755
    assert stat.S_IMODE(files["dispatch.py"].stat().st_mode) == 0o644
    assert {stat.S_IMODE(path.stat().st_mode) for path in into.rglob("*") if path.is_dir()} == {0o755}
    run = [sys.executable, "-I", str(into / "dispatch.py")]
    done = subprocess.run(run, input=b'{"action": "mean", "numbers": [1, 2]}', capture_output=True, check=True)
    assert done.stdout == b"1.5\n"


def test_a_composed_tree_is_kept_and_follows_the_reference(tmp_path: Path, cache: Path) -> None:
    one = load_task(make_task(tmp_path / "one"))
    other = load_task(make_task(tmp_path / "other", files={"hidden/variants/reference/dispatch.py": "print(1)"}))
    assert golden_tree(one, cache) == golden_tree(one, cache) != golden_tree(other, cache)
    assert (golden_tree(other, cache) / "dispatch.py").read_text() == "print(1)"


def test_a_task_without_golden_or_reference_cannot_be_composed(tmp_path: Path, cache: Path) -> None:
    bare = load_task(make_task(tmp_path / "a", files={"hidden/golden.toml": None}))
    headless = load_task(make_task(tmp_path / "b", files={"hidden/variants/reference/rcb_tests/test.sh": None}))
    for use in (lambda task: compose_golden(task, tmp_path, cache), lambda task: golden_tree(task, cache)):
        with pytest.raises(GoldenError, match="names no golden implementation"):
            use(bare)
        with pytest.raises(GoldenError, match="no reference overlay"):
            use(headless)


def test_a_reference_that_holds_the_library_already_is_refused(tmp_path: Path, cache: Path) -> None:
    path = "hidden/variants/reference/vendor/golden/figurecrate/__init__.py"
    (tmp_path / "into").mkdir()
    task = load_task(make_task(tmp_path, files={path: "forged"}))
    with pytest.raises(GoldenError, match="stands where another file goes"):
        compose_golden(task, tmp_path / "into", cache)


def test_a_link_in_the_reference_is_not_followed(task: Task, cache: Path, tmp_path: Path) -> None:
    (task.path / "hidden/variants/reference/leak").symlink_to("/etc/passwd")
    (tmp_path / "into").mkdir()
    for use in (lambda: compose_golden(task, tmp_path / "into", cache), lambda: golden_tree(task, cache)):
        with pytest.raises(GoldenError, match="symbolic link") as raised:
            use()
        assert raised.value.file == "hidden/variants/reference/leak"


def test_the_archive_is_limited(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden, "MAX_ARCHIVE_BYTES", 10)
    with pytest.raises(GoldenError, match="larger than"):
        fetch_golden(named(), tmp_path / "cache")


def test_the_toy_wheel_is_the_one_that_the_toy_task_names(task: Task) -> None:
    assert task.golden
    assert task.golden.sha256 == hashlib.sha256(golden_wheel()).hexdigest()
    assert task.golden.filename == WHEEL_NAME
