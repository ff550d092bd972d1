"""What the golden implementation answers is written down where the gate will ask it again; and what that may cost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from underspec.construct import cases_proposed
from underspec.construct.bound import cost_bound
from underspec.construct.golden_run import GoldenRun
from underspec.construct.project import Project
from underspec.construct.stage import Stage, Work
from underspec.model.prices import load_prices
from underspec.task.model import Case, CaseFile


def test_outputs_are_recorded_in_the_image_that_the_stage_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images: list[str] = []

    async def run_golden(work: Work, tree: Path, inputs: Any, *, image: str) -> GoldenRun:
        images.append(image)
        return GoldenRun({("a", 0): b"three"}, "exit code 0", True, "", 0.1)

    monkeypatch.setattr(cases_proposed, "run_golden", run_golden)
    for folder in ("out/native", "out/reference", "select/golden"):
        (tmp_path / folder).mkdir(parents=True)
    work = SimpleNamespace(out=tmp_path / "out", of=lambda stage: tmp_path / stage, options={"image": "python"})
    files = {"a": CaseFile(description="a", cases=(Case(input={"x": 3}, expected_output=""),))}
    asyncio.run(cases_proposed.record_outputs(cast("Work", work), "native", files, "reference", only_empty=True))
    assert images == ["python"]
    assert '"expected_output": "three"' in (tmp_path / "out" / "native" / "a.json").read_text()


def test_nothing_may_be_spent_where_the_bound_is_nothing() -> None:
    model = "anthropic/claude-sonnet-5"
    project = Project(kind="repository", task="a-task", source=".", out="out", model=model, max_cost=0.0)
    stages = [cast("Stage", SimpleNamespace(name="refactor", calls=1))]
    bound = cost_bound(stages, project, load_prices())
    assert bound["dollars"] > 0
    assert bound["at_most"] == 0.0
    assert cost_bound(stages, project.model_copy(update={"max_cost": None}), load_prices())["at_most"] > 0
