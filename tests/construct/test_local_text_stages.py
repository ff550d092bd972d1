"""A real model, small and weak, in the stages ground and fuzz and as the judge: no crash, and no poor answer let in."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.construct import toy
from tests.model.local import KEY_VARIABLE, NAME, serving, skip_unless_installed
from underspec.construct import runner
from underspec.construct.asking import StageModel
from underspec.construct.equivalence import Equivalence, check_equivalence, judge_equivalence
from underspec.construct.findings import NoProposalError
from underspec.construct.fuzz import FUZZ
from underspec.construct.ground import GROUND
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.model.cost_counter import CostCounter
from underspec.model.spec import ModelSpec, make_spec
from underspec.sandbox.bubblewrap import BubblewrapBackend

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.proof


def local(url: str) -> ModelSpec:
    return make_spec(
        NAME,
        endpoints=[{"base_url": url, "key_env": KEY_VARIABLE}],
        options={"max_tokens": 32, "temperature": 0.0},
    )


@pytest.mark.timeout(1200)
def test_a_weak_model_is_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_unless_installed()
    monkeypatch.setenv(KEY_VARIABLE, "none")
    with serving(tmp_path) as url:
        monkeypatch.setattr(runner, "make_spec", lambda name, **fields: local(url))
        for stage in (GROUND, FUZZ):
            root = tmp_path / stage.name
            project = Project(kind="repository", task="labels", source="x", out="y", model=NAME, repairs=0)
            before = (toy.Given("select"), toy.Given("refactor"))
            given = (*before, stage) if stage is GROUND else (*before, _Grounded("ground"), toy.Given("enhance"), stage)
            made = runner.Runner(root, project, given, BubblewrapBackend)
            assert asyncio.run(made.run()) is False
            state = made.folder(stage.name).state()
            assert [turn.errors > 0 for turn in state.turns] == [True]
            assert state.verdict is not None
            assert all(finding.message for finding in state.verdict.findings)
            calls = (made.folder(stage.name).path / "ledger.jsonl").read_text().splitlines()
            assert calls


@pytest.mark.timeout(1200)
def test_a_weak_judge_gives_a_judgement_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_unless_installed()
    monkeypatch.setenv(KEY_VARIABLE, "none")
    material = toy.material(tmp_path / "toy")
    levels = toy.levels(material, toy.documents())
    with serving(tmp_path) as url:
        model = StageModel(local(url), "verify", tmp_path, CostCounter(None, tmp_path / "cost.txt"))
        try:
            found: Any = asyncio.run(_judged(work(tmp_path, model), material.ground, levels))
        finally:
            model.close()
    assert isinstance(found, Equivalence | NoProposalError)
    if isinstance(found, Equivalence):
        assert 0 <= found.similarity <= 1
        assert found.equivalent or list(check_equivalence("L1", found))


async def _judged(given: Work, ground: str, levels: Any) -> Equivalence | NoProposalError:
    try:
        return await judge_equivalence(given, "L1", levels.requests["L1"], levels.records["L1"], ground)
    except NoProposalError as error:
        return error


class _Grounded(toy.Given):
    """The stage ground, as if it had been done."""

    async def propose(self, work: Work, findings: Any) -> None:
        toy.write_ground(work.out, toy.answer("ground"))


def work(root: Path, model: StageModel) -> Work:
    return Work(
        stage="verify",
        project=Project(kind="repository", task="labels", source="x", out="y"),
        out=root,
        evidence=root,
        needs={},
        backend=BubblewrapBackend(),
        say=lambda words: None,
        log=lambda event, **fields: None,
        model=model,
    )
