"""The run store keeps what was earned, forgets what was half-made, and names what is damaged."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from underspec.artifact.condition import Condition
from underspec.errors import Boundary, ClaimLostError, SandboxError, StoreError, TaskError, UsageError
from underspec.run.item import Item
from underspec.run.removal import remove_tree
from underspec.run.store import MAX_ATTEMPTS, Choice, PhaseFolder, RunStore

KEY, OTHER = "a" * 64, "b" * 64
ITEM = Item(task="toy-sums", condition=Condition(agent="nop"), epoch=1)


def _publish(folder: PhaseFolder, key: str, content: str) -> None:
    claim = folder.claim()
    assert claim.acquire()
    attempt = folder.new_attempt(key)
    (attempt.artifact / "file").write_text(content)
    folder.publish(attempt, key, claim)
    claim.release()


def test_a_published_artifact_is_found_under_its_key_only(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    _publish(folder, KEY, "one")
    found = folder.artifact(KEY)
    assert found is not None
    assert (found / "file").read_text() == "one"
    assert folder.artifact(OTHER) is None


def test_artifacts_come_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    for key in (OTHER, KEY, "0" * 64):
        _publish(folder, key, key)
    assert [each.name for each in folder.artifacts()] == [OTHER, KEY, "0" * 64]


def test_an_attempt_that_died_leaves_no_artifact_and_is_wiped_by_the_next(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    assert folder.claim().acquire()
    dead = folder.new_attempt(KEY)
    (dead.artifact / "half").write_text("made")
    (folder.scratch / "big").mkdir()
    (folder.scratch / "big").chmod(0)
    assert folder.artifact(KEY) is None
    living = folder.new_attempt(KEY)
    assert living.number == dead.number + 1
    assert not dead.artifact.exists()
    assert list(folder.scratch.iterdir()) == []
    assert folder.failures(KEY) == []


def test_nothing_is_published_once_the_claim_is_lost(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    claim = folder.claim()
    assert claim.acquire()
    attempt = folder.new_attempt(KEY)
    (attempt.artifact / "file").write_text("late")
    claim.path.write_text(json.dumps({"owner": "another"}))
    with pytest.raises(ClaimLostError):
        folder.publish(attempt, KEY, claim)
    assert folder.artifact(KEY) is None


def test_failures_count_under_their_own_key_until_they_are_forgiven(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    for _ in range(2):
        folder.new_attempt(KEY).fail(SandboxError("the engine went away"))
    assert [(each.boundary, each.reason) for each in folder.failures(KEY)] == [
        (Boundary.SANDBOX, "the engine went away")
    ] * 2
    assert folder.failures(OTHER) == []
    folder.forgive()
    assert folder.failures(KEY) == []
    assert len(folder.attempts()) == 2


def test_a_phase_is_given_up_after_five_failures_or_one_that_is_final(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "structure")
    for number in range(1, MAX_ATTEMPTS + 1):
        folder.new_attempt(KEY).fail(SandboxError(f"number {number}"))
        given_up = folder.given_up(KEY)
        assert (given_up.number if given_up else None) == (number if number == MAX_ATTEMPTS else None)
    folder.new_attempt(OTHER).fail(TaskError("no such package"), final=True)
    given_up = folder.given_up(OTHER)
    assert given_up is not None
    assert (given_up.boundary, given_up.reason, given_up.final) == (Boundary.TASK, "no such package", True)
    folder.forgive()
    assert folder.given_up(KEY) is folder.given_up(OTHER) is None


def test_a_choice_that_is_taken_back_leaves_none(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "structure")
    folder.choose(None)
    folder.path.mkdir()
    folder.choose(Choice(KEY, stale=False))
    folder.choose(None)
    assert folder.chosen() is None


def test_a_choice_is_remembered_until_another_is_made(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    assert folder.chosen() is None
    for choice in (Choice(KEY, stale=False), Choice(OTHER, stale=True), Choice(OTHER, stale=True)):
        folder.choose(choice)
        assert folder.chosen() == choice
    assert folder.artifacts() == []


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"key": "a"}', "\x00", "[" * 100_000, '{"key": "../../..", "stale": false}', '{"key": 1, "stale": 1}'],
    ids=range(7),
)
def test_a_damaged_choice_is_named(tmp_path: Path, content: str) -> None:
    folder = PhaseFolder(tmp_path)
    (tmp_path / "chosen").write_text(content)
    with pytest.raises(StoreError) as caught:
        folder.chosen()
    assert caught.value.file == str(tmp_path / "chosen")


def test_folders_among_the_attempts_that_are_none_do_not_count(tmp_path: Path) -> None:
    folder = PhaseFolder(tmp_path / "build")
    for name in ("²", "٣", "1x", "9" * 200):
        (tmp_path / "build/attempts" / name).mkdir(parents=True)
    assert folder.attempts() == []
    assert folder.new_attempt(KEY).number == 1


@contextlib.contextmanager
def _as_ordinary_user() -> Iterator[None]:
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


def test_a_tree_with_closed_folders_and_links_out_of_it_is_removed_by_an_ordinary_user() -> None:
    with _as_ordinary_user(), tempfile.TemporaryDirectory(dir="/tmp") as name:
        tree, outside = Path(name) / "tree", Path(name) / "outside"
        (tree / "shut" / "shut").mkdir(parents=True)
        (tree / "shut" / "shut" / "file").write_text("x")
        outside.mkdir()
        outside.chmod(0o500)
        (tree / "link").symlink_to(outside)
        for folder in (tree / "shut" / "shut", tree / "shut", tree):
            folder.chmod(0)
        remove_tree(tree)
        assert not tree.exists()
        assert outside.stat().st_mode & 0o777 == 0o500


def test_a_tree_deeper_than_a_path_is_long_is_removed(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    here = os.open(tmp_path / "tree", os.O_RDONLY)
    for _ in range(3000):
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
        os.mkdir("dd", dir_fd=here)
        below = os.open("dd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove_tree(tmp_path / "tree")
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_a_tree_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside" / "kept").mkdir(parents=True)
    (tmp_path / "outside" / "kept").chmod(0o550)
    (tmp_path / "tree").symlink_to(tmp_path / "outside")
    remove_tree(tmp_path / "tree")
    assert [each.name for each in tmp_path.iterdir()] == ["outside"]
    assert (tmp_path / "outside" / "kept").stat().st_mode & 0o777 == 0o550
    remove_tree(tmp_path / "missing" / "tree")


@pytest.mark.parametrize("content", ['{"boundary": "nobody"}', "[" * 100_000], ids=range(2))
def test_a_damaged_failure_record_is_named(tmp_path: Path, content: str) -> None:
    folder = PhaseFolder(tmp_path / "build")
    attempt = folder.new_attempt(KEY)
    (attempt.path / "error.json").write_text(content)
    with pytest.raises(StoreError) as caught:
        folder.failures(KEY)
    assert str(caught.value.file).endswith("error.json")


def test_items_are_read_back_and_found_by_part_of_their_name(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run")
    other = Item(task="toy-sums", condition=Condition(agent="eager"), epoch=1)
    store.add_items([ITEM, other])
    store.add_items([ITEM])
    assert set(store.items()) == {ITEM, other}
    assert store.find("nop") == ITEM
    assert store.find(other.id[:12]) == other
    with pytest.raises(UsageError, match="2 items match"):
        store.find("toy-sums")
    with pytest.raises(UsageError, match="no items match"):
        store.find("golden")


def test_several_matches_are_listed_with_what_tells_them_apart(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run")
    items = [Item(task="toy-sums", condition=Condition(agent="asker", budget=budget), epoch=1) for budget in (4, 8)]
    store.add_items(items)
    with pytest.raises(UsageError) as caught:
        store.find("asker")
    for item in items:
        assert f"{item.folder} (budget {item.condition.budget})" in str(caught.value.mend)
    assert "exposure" not in str(caught.value.mend)


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        RunStore(tmp_path / "nothing").items()
    assert caught.value.file == str(tmp_path / "nothing")


def test_an_item_file_in_the_wrong_folder_is_named(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run")
    store.add_items([ITEM])
    record = tmp_path / "run" / "items" / ITEM.folder / "item.json"
    record.write_bytes(Item(task="toy-sums", condition=Condition(agent="eager"), epoch=1).to_bytes())
    with pytest.raises(StoreError, match="belongs to another folder"):
        store.items()


def test_an_item_whose_own_file_is_gone_is_not_left_out_in_silence(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "run")
    item = Item(task="toy", condition=Condition(agent="nop"), epoch=1)
    store.add_items([item])
    store.phase(item, "build").path.mkdir()
    (tmp_path / "run" / "items" / item.folder / "item.json").unlink()
    with pytest.raises(StoreError, match="own file is missing"):
        store.items()
