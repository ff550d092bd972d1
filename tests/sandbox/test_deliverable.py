"""Sealing and unpacking on the host: laws, and damaged or hostile tars."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.errors import DeliverableTooLargeError, HarnessError, HostExhaustedError, StoreError
from underspec.sandbox.deliverable import extract_deliverable, seal_folder, seal_within

NAMES = st.binary(min_size=1, max_size=120).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..", b".git")
)
TIMES = st.integers(min_value=-(10**18), max_value=4 * 10**18)
FILE = st.tuples(st.just("file"), st.binary(max_size=2000), st.sampled_from([0o644, 0o755, 0o600, 0o711, 0o444]), TIMES)
LINK = st.tuples(
    st.just("link"), st.binary(min_size=1, max_size=200).filter(lambda t: b"\0" not in t), st.just(0), TIMES
)
TREES = st.recursive(
    st.dictionaries(NAMES, FILE | LINK, max_size=4),
    lambda children: st.dictionaries(NAMES, children | FILE, max_size=4),
    max_leaves=12,
)


def lay(folder: Path, tree: dict[bytes, object]) -> None:
    for name, what in tree.items():
        path = folder / os.fsdecode(name)
        if isinstance(what, dict):
            path.mkdir()
            lay(path, what)
        elif isinstance(what, tuple):
            kind, content, mode, mtime = what
            if kind == "link":
                path.symlink_to(os.fsdecode(content))
            else:
                path.write_bytes(content)
                path.chmod(mode)
            os.utime(path, ns=(mtime, mtime), follow_symlinks=False)


def describe(top: Path) -> list[tuple[bytes, int, bytes, int]]:
    """Every entry, in the order of its path's bytes: path, kind and executable bits, content or target, time."""
    found = []
    for folder, folders, files in os.walk(top):
        for path in (Path(folder) / name for name in folders + files):
            status = path.lstat()
            content = b""
            if path.is_symlink():
                content = os.fsencode(path.readlink())
            elif path.is_file():
                content = path.read_bytes()
            time_ns = 0 if path.is_dir() and not path.is_symlink() else status.st_mtime_ns
            found.append((os.fsencode(path.relative_to(top)), status.st_mode & 0o170111, content, time_ns))
    return sorted(found)


@settings(max_examples=60, deadline=None)
@given(tree=TREES)
def test_unpacking_and_sealing_again_gives_the_same_deliverable(tree: dict[bytes, object]) -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "in").mkdir()
        lay(home / "in", tree)
        sealed = seal_folder(home / "in", home / "1.tar")
        extract_deliverable(home / "1.tar", home / "out")
        assert describe(home / "out") == describe(home / "in")
        assert seal_folder(home / "out", home / "2.tar") == sealed
        with tarfile.open(home / "1.tar") as tar:
            names = [member.name.encode(errors="surrogateescape") for member in tar]
        assert names == [path for path, *_ in describe(home / "in")]


def test_git_devices_and_pipes_are_dropped_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "in/a/.git").mkdir(parents=True)
    (tmp_path / "in/a/.git/config").write_text("x")
    (tmp_path / "in/.gitignore").write_text("kept")
    os.mkfifo(tmp_path / "in/pipe")
    sealed = seal_folder(tmp_path / "in", tmp_path / "d.tar")
    assert [(entry.path, entry.reason) for entry in sealed.dropped] == [("a/.git", "git"), ("pipe", "fifo")]
    assert sealed.files == 1


def test_files_links_and_folders_with_too_long_a_path_are_dropped_each_and_listed_and_cost_nothing_else(
    tmp_path: Path,
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/kept").write_text("x")
    here = os.open(tmp_path / "in", os.O_RDONLY)
    for _ in range(20):
        os.mkdir("n" * 199, dir_fd=here)
        below = os.open("n" * 199, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    # 4000 bytes lead here, and a path has 4095 at most. A folder's content needs a slash more.
    for length in (95, 96):
        os.symlink("elsewhere", "l" * length, dir_fd=here)
        os.close(os.open("f" * length, os.O_WRONLY | os.O_CREAT, dir_fd=here))
    for length in (94, 95, 96):
        os.mkdir("d" * length, dir_fd=here)
    os.close(here)
    sealed = seal_folder(tmp_path / "in", tmp_path / "d.tar")
    dropped = [(entry.path.rpartition("/")[2], entry.reason) for entry in sealed.dropped]
    assert dropped == [(kind * length, "unreadable") for kind, length in (("d", 95), ("d", 96), ("f", 96), ("l", 96))]
    assert sealed.files == 3
    extract_deliverable(tmp_path / "d.tar", tmp_path / "out")
    assert seal_folder(tmp_path / "out", tmp_path / "again.tar").sha256 == sealed.sha256


def test_bounds_hold_to_the_byte_and_the_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in "abc":
        (tmp_path / "in" / name).write_bytes(b"x" * 10)
    assert seal_within(tmp_path / "in", tmp_path / "d.tar", max_bytes=30, max_files=3).bytes == 30
    for bounds in ({"max_bytes": 29, "max_files": 3}, {"max_bytes": 30, "max_files": 2}):
        with pytest.raises(DeliverableTooLargeError):
            seal_within(tmp_path / "in", tmp_path / "e.tar", **bounds)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.tar", "in"]
    for number in range(3):
        (tmp_path / f"in/folder{number}").mkdir()
    with pytest.raises(DeliverableTooLargeError):
        seal_within(tmp_path / "in", tmp_path / "e.tar", max_bytes=30, max_files=2)


def test_a_sparse_terabyte_is_refused_without_being_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with (tmp_path / "in/huge").open("wb") as stream:
        stream.truncate(1024**4)
    began = time.monotonic()
    with pytest.raises(DeliverableTooLargeError):
        seal_folder(tmp_path / "in", tmp_path / "d.tar")
    assert time.monotonic() - began < 1


def test_a_target_must_be_empty(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    seal_folder(tmp_path / "in", tmp_path / "d.tar")
    with pytest.raises(HarnessError):
        extract_deliverable(tmp_path / "d.tar", tmp_path)


def hostile(path: Path, *members: tuple[str, bytes, str]) -> Path:
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, target in members:
            member = tarfile.TarInfo(name)
            member.type = kind
            member.linkname = target
            member.size = 3 if kind == tarfile.REGTYPE else 0
            tar.addfile(member, io.BytesIO(b"bad"))
    return path


@pytest.mark.parametrize(
    "members",
    [
        [("../out", tarfile.REGTYPE, "")],
        [("/absolute", tarfile.REGTYPE, "")],
        [("a/../../out", tarfile.REGTYPE, "")],
        [("link", tarfile.SYMTYPE, ".."), ("link/out", tarfile.REGTYPE, "")],
        [("link", tarfile.SYMTYPE, ".."), ("link", tarfile.DIRTYPE, ""), ("link/out", tarfile.REGTYPE, "")],
        [("link", tarfile.SYMTYPE, "../out"), ("link", tarfile.REGTYPE, "")],
        [("hard", tarfile.LNKTYPE, "../victim")],
        [("device", tarfile.CHRTYPE, "")],
        [("fifo", tarfile.FIFOTYPE, "")],
        [("missing/parent", tarfile.REGTYPE, "")],
        [(".", tarfile.DIRTYPE, "")],
        [("twice", tarfile.REGTYPE, ""), ("twice", tarfile.REGTYPE, "")],
    ],
)
def test_a_tar_that_is_not_ours_writes_nothing_outside(tmp_path: Path, members: list[tuple[str, bytes, str]]) -> None:
    (tmp_path / "victim").write_text("safe")
    tar = hostile(tmp_path / "d.tar", *members)
    with pytest.raises(StoreError):
        extract_deliverable(tar, tmp_path / "into/deeper")
    assert (tmp_path / "victim").read_text() == "safe"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.tar", "into", "victim"]
    assert [path.name for path in (tmp_path / "into").iterdir()] == ["deeper"]


def test_every_cut_and_flipped_header_byte_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/file").write_bytes(b"content")
    seal_folder(tmp_path / "in", tmp_path / "d.tar")
    whole = (tmp_path / "d.tar").read_bytes()
    damaged = [whole[:cut] for cut in range(0, len(whole) - 512, 97)]
    header = whole.index(b"file\0")
    places = [place for place in range(header, header + 270) if place - header not in (154, 155)]  # ends of the sum
    damaged += [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in places]
    for number, data in enumerate(damaged):
        (tmp_path / "e.tar").write_bytes(data)
        with pytest.raises(StoreError, match=r"e\.tar"):
            extract_deliverable(tmp_path / "e.tar", tmp_path / f"out{number}")


def test_no_room_on_the_host_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/file").write_bytes(b"x" * 3_000_000)
    from underspec.sandbox import deliverable

    with Path("/dev/full").open("wb") as full, pytest.MonkeyPatch.context() as patch:
        patch.setattr(deliverable.os, "open", lambda *_, **__: os.dup(full.fileno()))  # type: ignore[attr-defined]
        with pytest.raises(HostExhaustedError), deliverable.sealed_file(tmp_path / "d.tar") as descriptor:
            os.write(descriptor, b"x")


def test_names_that_look_like_escapes_are_names(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a\\0b", "%00", "\\x00", "-", "~", " ", "\n"):
        (tmp_path / "in" / name).write_text(name)
    seal_folder(tmp_path / "in", tmp_path / "d.tar")
    extract_deliverable(tmp_path / "d.tar", tmp_path / "out")
    assert {path.name: path.read_text() for path in (tmp_path / "out").iterdir()} == {
        path.name: path.name for path in (tmp_path / "in").iterdir()
    }


def test_thousands_of_files_are_sealed_and_unpacked_in_seconds(tmp_path: Path) -> None:
    for number in range(2_000):
        if number % 200 == 0:
            (tmp_path / f"in/{number // 200}").mkdir(parents=True)
        (tmp_path / f"in/{number // 200}/{number}").write_bytes(b"x" * 1000)
    began = time.monotonic()
    sealed = seal_folder(tmp_path / "in", tmp_path / "d.tar")
    extract_deliverable(tmp_path / "d.tar", tmp_path / "out")
    assert time.monotonic() - began < 10
    assert sealed.files == 2_000
