"""What is wrong is said before anything runs; the manifest says what all plans of a run were made of."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tests.task_factory import make_task
from underspec.errors import EnvironmentLacksError, StoreError, TaskError, UsageError
from underspec.run.experiment import make_experiment
from underspec.run.manifest import make_manifest, read_manifest, write_manifest
from underspec.run.prepare import begin, prepare
from underspec.sandbox.backends import load_backend
from underspec.task.runtimes import RUNTIMES, Runtime


def _experiment(*tasks: Path, **grid: list[Any]) -> Any:
    return make_experiment({"tasks": [str(task) for task in tasks], "grid": {"agent": ["nop"], **grid}})


def test_a_level_that_a_task_lacks_is_said_with_the_tasks_own_path(tmp_path: Path) -> None:
    whole = make_task(tmp_path)
    lacking = make_task(tmp_path / "other", name="lacking")
    (lacking / "task.toml").write_text((lacking / "task.toml").read_text().replace("toy-sums", "lacking"))
    (lacking / "hidden" / "requests" / "L2.md").unlink()
    backend = load_backend("bubblewrap")
    prepare(_experiment(whole, lacking, exposure=["L1"]), backend=backend, runs=tmp_path / "runs")
    with pytest.raises(TaskError) as caught:
        prepare(_experiment(whole, lacking, exposure=["L1", "L2"]), backend=backend, runs=tmp_path / "runs")
    assert caught.value.file == str(lacking / "hidden" / "requests" / "L2.md")
    assert not (tmp_path / "runs").exists()


def test_a_damaged_task_among_several_is_told_from_the_others(tmp_path: Path) -> None:
    make_task(tmp_path / "tasks", name="good")
    (tmp_path / "tasks" / "good" / "task.toml").write_text(
        (tmp_path / "tasks" / "good" / "task.toml").read_text().replace("toy-sums", "good")
    )
    bad = make_task(tmp_path / "tasks", name="toy-sums")
    (bad / "hidden" / "records.json").write_text("{")
    with pytest.raises(TaskError) as caught:
        prepare(_experiment(tmp_path / "tasks"), backend=load_backend("bubblewrap"), runs=tmp_path / "runs")
    assert caught.value.file == str(bad / "hidden" / "records.json")


def test_what_this_machine_cannot_run_is_said_and_costs_nobody_a_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RUNTIMES, "python", Runtime("no-such-python", "python3"))
    with pytest.raises(EnvironmentLacksError, match="no-such-python") as caught:
        prepare(_experiment(make_task(tmp_path)), backend=load_backend("bubblewrap"), runs=tmp_path / "runs")
    assert "apt-get install python3" in str(caught.value.mend)


def test_two_tasks_of_one_id_are_refused(tmp_path: Path) -> None:
    one, two = make_task(tmp_path / "one"), make_task(tmp_path / "two")
    with pytest.raises(UsageError, match="two tasks have the id"):
        prepare(_experiment(one, two), backend=load_backend("bubblewrap"), runs=tmp_path / "runs")


def test_the_manifest_names_digests_and_limits(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    prepared = prepare(_experiment(task), backend=load_backend("bubblewrap"), runs=tmp_path / "runs", run="one")
    manifest = read_manifest(begin(prepared, concurrency=2).path)
    assert manifest["tasks"] == {"toy-sums": prepared.context.tasks["toy-sums"].digest}
    assert manifest["limits"]["toy-sums"]["memory_mb"] == prepared.context.tasks["toy-sums"].toml.limits.memory_mb
    assert set(manifest["images"]) == {"host"}


def _manifest(image: str, digest: str, task: str = "t") -> dict[str, Any]:
    backend = load_backend("bubblewrap")
    return make_manifest(name="run", backend=backend, images={image: digest}, tasks={task: "d"}, concurrency=1)


@pytest.mark.parametrize("order", [("host", "slim"), ("slim", "host")])
def test_a_run_that_once_showed_this_machines_own_files_stays_not_comparable(
    tmp_path: Path, order: tuple[str, str]
) -> None:
    digests = {"host": "host:abc", "slim": "sha256:abc"}
    for image in order:
        write_manifest(tmp_path, _manifest(image, digests[image]))
    assert read_manifest(tmp_path)["images"] == digests
    assert read_manifest(tmp_path)["sandbox"]["comparable"] is False
    write_manifest(tmp_path / "other", _manifest("slim", digests["slim"]))
    assert read_manifest(tmp_path / "other")["sandbox"]["comparable"] is True


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("a = " + "[" * 100_000, None),
        ("schema = 1", "$.machine"),
        (None, "$.images"),
    ],
    ids=["too deep", "empty", "wrong type"],
)
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str | None, where: str | None) -> None:
    damaged = tomli_w.dumps({**_manifest("slim", "x"), "images": 1}) if content is None else content
    (tmp_path / "run.toml").write_text(damaged)
    with pytest.raises(StoreError) as caught:
        read_manifest(tmp_path)
    assert (caught.value.file, caught.value.where) == (str(tmp_path / "run.toml"), where)


def _write(run: str, manifests: list[dict[str, Any]]) -> None:
    for manifest in manifests:
        write_manifest(Path(run), manifest)


def test_plans_of_one_run_that_are_written_at_once_are_all_kept(tmp_path: Path) -> None:
    batches = [[_manifest("slim", "x", f"{who}-{number}") for number in range(10)] for who in range(4)]
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(str(tmp_path), batch)) for batch in batches]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(read_manifest(tmp_path)["tasks"]) == 40
