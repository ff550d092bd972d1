"""Something else in a file's place: it is named, and nothing waits for it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from underspec.artifact.condition import Condition
from underspec.artifact.files import NotRegularError, read_regular
from underspec.errors import StoreError
from underspec.run.claim import Claim
from underspec.run.item import Item
from underspec.run.manifest import read_manifest
from underspec.run.store import RunStore


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def a_device(path: Path) -> None:
    path.symlink_to("/dev/null")


PLANTED = {"pipe": os.mkfifo, "socket": a_socket, "device": a_device}


@pytest.fixture(params=sorted(PLANTED))
def planted(request: pytest.FixtureRequest) -> Callable[[Path], object]:
    return PLANTED[request.param]


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    assert read_regular(tmp_path / "file") == b"content"


def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)


@pytest.mark.timeout(20)
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, planted: Callable[[Path], object]) -> None:
    planted(tmp_path / "file")
    with pytest.raises(NotRegularError):
        read_regular(tmp_path / "file")


@pytest.mark.timeout(20)
def test_a_manifest_that_is_none_is_named(tmp_path: Path, planted: Callable[[Path], object]) -> None:
    planted(tmp_path / "run.toml")
    with pytest.raises(StoreError, match=r"run\.toml"):
        read_manifest(tmp_path)


@pytest.mark.timeout(20)
def test_an_item_that_is_none_stops_the_listing_by_name(tmp_path: Path) -> None:
    item = Item(task="toy", condition=Condition(agent="nop"), epoch=1)
    folder = tmp_path / "items" / item.folder
    (folder / "item.json").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"item\.json"):
        item.read(folder / "item.json")
    (folder / "item.json").rmdir()
    os.mkfifo(folder / "item.json")
    assert RunStore(tmp_path).items() == []  # as a folder whose file has not been written yet


@pytest.mark.timeout(20)
def test_a_claim_that_is_none_can_be_taken(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "claim")
    assert Claim(tmp_path / "claim").acquire() is False
