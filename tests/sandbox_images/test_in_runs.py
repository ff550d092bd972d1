"""Runs and grades on made images: the same verdicts as elsewhere, comparable, and never where the answer lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.sandbox_images.small import NAME, make_small_image
from tests.task_factory import GOLDEN_NAME, make_task
from underspec.errors import EnvironmentLacksError, TaskError, UsageError
from underspec.run.executor import image_of
from underspec.run.experiment import make_experiment
from underspec.run.prepare import Prepared, prepare
from underspec.sandbox.backends import load_backend

pytestmark = pytest.mark.sandbox


def prepared(task: Path, use_image: str | None, **grid: list[str]) -> Prepared:
    experiment = make_experiment({"tasks": [str(task)], "grid": {"agent": ["nop"], **grid}})
    return prepare(experiment, backend=load_backend("bubblewrap"), runs=task.parent / "runs", use_image=use_image)


def test_an_image_takes_the_place_of_every_base_image_and_the_run_is_another(image_home: Path, tmp_path: Path) -> None:
    task, made = make_task(tmp_path), make_small_image()
    plain, other = prepared(task, None), prepared(task, NAME)
    assert [image_of(other.context, item) for item in other.items] == [NAME]
    assert other.context.image_digests == {NAME: made.digest}
    assert [item.id for item in other.items] == [item.id for item in plain.items]  # no part of the condition
    assert other.context.store.path != plain.context.store.path


def test_by_language_it_is_the_catalogues_and_says_how_to_make_it(image_home: Path, tmp_path: Path) -> None:
    task = make_task(tmp_path)
    with pytest.raises(EnvironmentLacksError) as caught:
        prepared(task, "language")
    assert "underspec image build python" in (caught.value.mend or "")
    make_small_image(name="python")
    run = prepared(task, "language")
    assert list(run.context.image_digests) == ["python"]


def test_a_language_that_the_catalogue_lacks_is_wrong_use(image_home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cobol"):
        prepared(make_task(tmp_path, toml={"language": "cobol"}), "language")


def test_no_run_starts_on_an_image_that_holds_the_golden_library(image_home: Path, tmp_path: Path) -> None:
    make_small_image(extra=f"usr/bin/{GOLDEN_NAME}.py")
    with pytest.raises(TaskError, match=f"/usr/bin/{GOLDEN_NAME}.py"):
        prepared(make_task(tmp_path), NAME)


def test_a_run_on_a_made_image_is_comparable_and_scores(image_home: Path, tmp_path: Path) -> None:
    task = make_task(tmp_path)
    make_small_image()
    ran = underspec("run", "--task", task, "--agent", "nop", "--use-image", NAME, "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert (ran.json()["planned"], ran.json()["scored"]) == (1, 1)
    assert "comparable = true" in next((tmp_path / "runs").glob("*/run.toml")).read_text()


def test_a_deliverable_is_graded_in_a_made_image(image_home: Path, tmp_path: Path) -> None:
    """The honest one is a shell script, since the small image has no other language."""
    task = make_task(tmp_path)
    make_small_image()
    script = tmp_path / "honest/rcb_tests/test.sh"
    script.parent.mkdir(parents=True)
    script.write_text('mkdir -p rcb_tests/stdout/"$2"; cat /etc/word > rcb_tests/stdout/"$2"/feature1_sum@000.txt\n')
    ran = underspec("grade", "--task", task, "--submission", tmp_path / "honest", "--image", NAME, "--json")
    assert ran.code == 0, ran.err
    outcomes = ran.json()["suites"]["public"]["outcomes"]
    assert outcomes["mismatch"] == 1  # it ran there, and the image's word is no right answer
