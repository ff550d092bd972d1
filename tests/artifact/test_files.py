"""Files are whole or absent, whoever else writes and whatever goes wrong."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from underspec.artifact.files import create_if_absent, publish_folder, write_atomic
from underspec.errors import HostExhaustedError


def test_a_written_file_replaces_the_earlier_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "folder" / "file"
    write_atomic(target, b"one")
    write_atomic(target, b"two")
    assert target.read_bytes() == b"two"
    assert [entry.name for entry in target.parent.iterdir()] == ["file"]


def test_only_the_first_of_many_creators_wins(tmp_path: Path) -> None:
    target = tmp_path / "claim"
    won: list[bytes] = []
    start = threading.Barrier(8)

    def create(content: bytes) -> None:
        start.wait()
        if create_if_absent(target, content):
            won.append(content)

    workers = [threading.Thread(target=create, args=(bytes([65 + number]) * 100,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(won) == 1
    assert target.read_bytes() == won[0]
    assert [entry.name for entry in tmp_path.iterdir()] == ["claim"]


def test_a_published_folder_is_never_replaced(tmp_path: Path) -> None:
    for content in ("first", "second"):
        (tmp_path / content).mkdir()
        (tmp_path / content / "artifact").write_text(content)
    assert publish_folder(tmp_path / "first", tmp_path / "target")
    assert not publish_folder(tmp_path / "second", tmp_path / "target")
    assert (tmp_path / "target" / "artifact").read_text() == "first"
    assert not (tmp_path / "second").exists()


def test_an_empty_folder_is_not_published(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="nothing to publish"):
        publish_folder(tmp_path / "empty", tmp_path / "target")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_the_hosts_failure_and_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    target = tmp_path / "file"
    write_atomic(target, b"earned")

    def full(handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("underspec.artifact.files.os.fsync", full)
    with pytest.raises(HostExhaustedError) as caught:
        write_atomic(target, b"later")
    monkeypatch.undo()
    assert str(target) in str(caught.value)
    assert target.read_bytes() == b"earned"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_another_error_stays_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        write_atomic(tmp_path / "file" / "below", b"")
