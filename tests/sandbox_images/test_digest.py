"""The digest: the same for the same content, another for any other."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.errors import SandboxError
from underspec.sandbox.images.digest import measure_tree, seal_tree

# Names and contents that could run into each other, were entries not set apart.
_NAMES = st.text(alphabet="ab-0.", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
_TREES = st.dictionaries(_NAMES, st.one_of(st.binary(max_size=3), st.dictionaries(_NAMES, st.binary(max_size=3))))


def write(folder: Path, tree: dict[str, object]) -> None:
    folder.mkdir()
    for name, value in tree.items():
        if isinstance(value, dict):
            write(folder / name, value)
        else:
            assert isinstance(value, bytes)
            (folder / name).write_bytes(value)


def make(root: Path) -> Path:
    write(root, {"a": {"b": b"one", "c": b"two"}, "d": b""})
    (root / "link").symlink_to("a/b")
    return root


@settings(deadline=None, max_examples=50)
@given(first=_TREES, second=_TREES)
def test_trees_have_one_digest_exactly_when_they_are_equal(
    tmp_path_factory: pytest.TempPathFactory, first: dict[str, object], second: dict[str, object]
) -> None:
    folder = tmp_path_factory.mktemp("trees")
    for name, tree in (("first", first), ("again", dict(reversed(first.items()))), ("second", second)):
        write(folder / name, tree)
    digest = measure_tree(folder / "first").digest
    assert measure_tree(folder / "again").digest == digest
    assert (measure_tree(folder / "second").digest == digest) == (first == second)
    shutil.rmtree(folder)


def test_times_and_places_do_not_count(tmp_path: Path) -> None:
    first, second = make(tmp_path / "first"), make(tmp_path / "second")
    os.utime(second / "d", (1, 1))
    assert measure_tree(first) == measure_tree(second)
    assert (measure_tree(first).files, measure_tree(first).bytes) == (4, 6)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a/b").write_bytes(b"onf"),
        lambda root: (root / "a/b").chmod(0o600),
        lambda root: (root / "a").chmod(0o700),
        lambda root: (root / "a/b").rename(root / "a/e"),
        lambda root: (root / "a/new").mkdir(),
        lambda root: ((root / "link").unlink(), (root / "link").symlink_to("a/c")),
        lambda root: ((root / "d").unlink(), (root / "d").mkdir()),
        lambda root: ((root / "link").unlink(), (root / "link").write_bytes(b"a/b")),
    ],
)
def test_every_change_gives_another_digest_and_breaks_the_seal(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    root = make(tmp_path / "root")
    digest, seal = measure_tree(root).digest, seal_tree(root)
    change(root)
    assert measure_tree(root).digest != digest
    assert seal_tree(root) != seal


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")
def test_owners_count(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    digest = measure_tree(root).digest
    os.chown(root / "d", 0, 42)
    assert measure_tree(root).digest != digest


def test_the_seal_sees_a_change_that_keeps_the_size(tmp_path: Path) -> None:
    root = make(tmp_path / "root")
    os.utime(root / "d", (1, 1))
    seal = seal_tree(root)
    assert seal_tree(root) == seal
    (root / "d").write_bytes(b"")
    assert seal_tree(root) != seal


def test_a_tree_that_is_not_there_is_no_empty_one(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="cannot be read"):
        measure_tree(tmp_path / "missing")
