"""The selftest says where an installation can be fooled. Its corpora themselves are tried room by room."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.sandbox.boxes import needs_bubblewrap
from underspec.artifact.outcomes import Outcomes
from underspec.cli.app import app
from underspec.errors import EnvironmentLacksError, SandboxError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import SandboxBackend
from underspec.selftest import cases, steering
from underspec.selftest.running import all_trials, run_trials
from underspec.selftest.trial import GROUPS, Trial

QUICK = ["critic", "judge", "next"]


def test_every_group_has_hostile_work_with_honest_work_beside_it() -> None:
    counts = Counter((trial.group, trial.role) for trial in all_trials())
    assert set(counts) == {(group, role) for group in GROUPS for role in ("hostile", "honest")}
    assert sum(number for (_group, role), number in counts.items() if role == "hostile") >= 40
    assert len({(each.group, each.name, each.role) for each in all_trials()}) == len(all_trials())


@pytest.mark.sandbox
@needs_bubblewrap
def test_no_verdict_is_wrong_here() -> None:
    results = asyncio.run(run_trials(all_trials(["critic", "judge", "next"]), load_backend("bubblewrap")))
    assert [(each.trial.name, each.wrong) for each in results if each.wrong] == []
    assert not any(each.skipped for each in results)


def test_a_wrong_verdict_is_said_with_what_was_deserved() -> None:
    pair = next(pair for pair in cases.PAIRS if pair.hostile.deserves != pair.honest.deserves)
    nothing = Outcomes.model_construct(suites=(), cases=(), task="", task_digest="", deliverable="", image="")
    fooled = cases.wrong_with(pair, pair.honest, nothing)
    assert fooled is not None
    assert "deserves" in fooled


def _trial(name: str, said: str | Exception | None) -> Trial:
    async def run(backend: SandboxBackend, folder: Path) -> str | None:
        assert list(folder.iterdir()) == []
        if isinstance(said, Exception):
            raise said
        return said

    return Trial("next", name, "hostile", run)


def test_what_cannot_be_judged_is_wrong_and_what_all_lack_ends_it() -> None:
    backend = load_backend("bubblewrap")
    trials = [_trial("fine", None), _trial("fooled", "passes"), _trial("breaks", SandboxError("it broke"))]
    results = asyncio.run(run_trials(trials, backend))
    assert [each.wrong for each in results] == [None, "passes", "could not be judged: it broke"]
    with pytest.raises(EnvironmentLacksError):
        asyncio.run(run_trials([_trial("lacks", EnvironmentLacksError("no bwrap"))], backend))


def test_text_that_is_not_made_inert_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The same trials with sources shown as they are: many of them must fail."""
    monkeypatch.setattr("underspec.grade.critic.prompt.inert", lambda text: text, raising=False)
    monkeypatch.setattr("underspec.grade.critic.reading.inert", lambda text: text, raising=False)
    hostile = [each for each in steering.trials() if each.group == "critic" and each.role == "hostile"]
    results = asyncio.run(run_trials(hostile, load_backend("bubblewrap")))
    assert sum(bool(each.wrong) for each in results) >= 10


@pytest.mark.sandbox
@needs_bubblewrap
def test_the_command_prints_one_document(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["selftest", "--group", "judge", "--json"])
    document = json.loads(ran.stdout)
    assert (ran.exit_code, document["wrong"], document["skipped"]) == (0, 0, 0)
    assert document["tried"] == document["hostile"] + document["honest"] == len(document["trials"])


@pytest.mark.parametrize("words", [["--group", "nobody"], ["--only", "no such name"]])
def test_what_is_not_there_is_wrong_use(words: list[str]) -> None:
    assert CliRunner().invoke(app, ["selftest", *words]).exit_code == 2


@pytest.mark.proof
@pytest.mark.sandbox
@pytest.mark.parametrize("backend", ["bubblewrap", "docker"])
def test_the_whole_selftest(backend: str, request: pytest.FixtureRequest) -> None:
    if backend == "docker":
        request.getfixturevalue("container_engine")
    results = asyncio.run(run_trials(all_trials(), load_backend(backend)))
    print(json.dumps({"tried": len(results), "skipped": [each.trial.name for each in results if each.skipped]}))
    assert [(each.trial.group, each.trial.name, each.trial.role, each.wrong) for each in results if each.wrong] == []
