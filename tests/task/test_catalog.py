"""Tasks are found by id or path, cheaply, and an unknown name gets a helpful answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.task_factory import make_task
from underspec.errors import UsageError
from underspec.task import catalog
from underspec.task.catalog import bundled_tasks, find_task, find_tasks
from underspec.task.load import read_toml


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two tasks that stands in for the bundled ones."""
    shelf = tmp_path / "bundled"
    for name in ("toy-sums", "toy-means"):
        make_task(shelf, name=name, toml={"id": name})
    (shelf / "notes").mkdir()
    (shelf / "README.md").write_text("no task")
    monkeypatch.setattr(catalog, "_BUNDLED", shelf)
    return shelf


def test_the_bundled_tasks_have_the_ids_of_their_folders() -> None:
    for task in bundled_tasks():
        assert read_toml(task).id == task.name


def test_tasks_are_listed_by_name_and_other_things_are_not(shelf: Path) -> None:
    assert [task.name for task in bundled_tasks()] == ["toy-means", "toy-sums"]
    assert find_tasks([]) == bundled_tasks()


def test_listing_reads_no_cases(shelf: Path) -> None:
    for damaged in shelf.rglob("hidden/cases/*/*.json"):
        damaged.write_bytes(b"\0")
    assert len(find_tasks([])) == 2
    assert [read_toml(task).id for task in find_tasks([])] == ["toy-means", "toy-sums"]


def test_a_task_is_found_by_id_and_by_path(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = make_task(tmp_path / "own")
    assert find_task("toy-sums") == shelf / "toy-sums"
    assert find_task(str(own)) == own
    monkeypatch.chdir(own)
    assert find_task(".") == Path()


def test_an_id_wins_over_a_folder_of_that_name_unless_a_path_is_given(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_task(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert find_task("toy-sums") == shelf / "toy-sums"
    assert find_task("./toy-sums") == Path("toy-sums")


def test_selectors_mix_and_each_task_comes_once(shelf: Path, tmp_path: Path) -> None:
    own = make_task(tmp_path / "own")
    assert find_tasks(["toy-sums", str(own), str(shelf)]) == [shelf / "toy-sums", own, shelf / "toy-means"]


@pytest.mark.parametrize("name", ["toy-summs", "", "no/such/folder", "a\0b", "x" * 5000, "\x1b[31m", "../"])
def test_an_unknown_name_is_wrong_use_and_lists_the_ids(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "empty/below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty/below")
    for use in (find_task, lambda one: find_tasks([one])):
        with pytest.raises(UsageError) as raised:
            use(name)
        assert raised.value.exit_code == 2
        assert str(raised.value).isprintable()
        assert len(str(raised.value)) < 1500
    if name == "toy-summs":
        assert "did you mean toy-sums?" in str(raised.value)
        assert "toy-means" in str(raised.value)


def test_a_folder_of_tasks_is_not_one_task(shelf: Path) -> None:
    with pytest.raises(UsageError, match="toy-means, toy-sums"):
        find_task(str(shelf))
