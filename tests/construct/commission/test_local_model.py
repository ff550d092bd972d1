"""A real model, small and weak, in every stage of a commission that asks one: no crash, and no poor answer let in."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.construct.commission.sample import answers, runner
from tests.model.local import KEY_VARIABLE, NAME, serving, skip_unless_installed
from underspec.construct import runner as running
from underspec.model.spec import ModelSpec, make_spec

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.proof
STAGES = ("screen", "scrub", "extract", "units", "interface", "drafts")


@pytest.mark.timeout(2400)
def test_a_weak_model_gets_through_no_stage_that_its_answer_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_unless_installed()
    monkeypatch.setenv(KEY_VARIABLE, "none")
    with serving(tmp_path) as url:

        def made_spec(name: str, **fields: object) -> ModelSpec:
            if name != NAME:
                return make_spec(name)
            options = {"max_tokens": 150, "temperature": 0.0}
            return make_spec(NAME, endpoints=[{"base_url": url, "key_env": KEY_VARIABLE}], options=options)

        monkeypatch.setattr(running, "make_spec", made_spec)
        base = tmp_path / "recorded"
        base.mkdir()
        assert asyncio.run(runner(base, answers()).run(until="interface"))
        for stage in STAGES:
            folder = tmp_path / stage
            shutil.copytree(base / "work", folder / "work")
            made = runner(folder, answers(), base / "source")
            models = {**made.project.stage_models, stage: NAME}
            made.project = made.project.model_copy(update={"stage_models": models})
            passed = asyncio.run(made.run(until=stage, redo=[stage]))
            calls = (made.folder(stage).path / "ledger.jsonl").read_text().splitlines()
            assert calls, stage
            # What a model adds to the scrubbing are names; what is found without it is enough for the gate.
            assert stage == "scrub" or not passed, stage
            assert passed or made.folder(stage).state().turns[-1].kinds, stage
