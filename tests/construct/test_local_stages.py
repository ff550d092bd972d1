"""A real model, small and weak, in select, refactor, enhance and verify: no crash, and no poor answer let in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.construct.planted import Laid, kinds, project, refactored, repository, run, selected
from tests.construct.planted import runner as made_runner
from tests.construct.test_local_text_stages import local
from tests.construct.test_verify_gate import golden, made
from tests.model.local import KEY_VARIABLE, NAME, serving, skip_unless_installed
from underspec.construct import runner
from underspec.construct.enhance import ENHANCE
from underspec.construct.refactor import REFACTOR
from underspec.construct.runner import Runner
from underspec.construct.select import SELECT
from underspec.construct.stage import Stage

pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.proof, pytest.mark.sandbox]
__all__ = ["golden", "made"]


def asked(chosen: Runner, stage: str) -> int:
    """How many calls the ledger holds, all by the role of this room."""
    lines = (chosen.folder(stage).path / "ledger.jsonl").read_text().splitlines()
    assert {json.loads(line)["role"] for line in lines} == {"constructor"}
    return len(lines)


@pytest.mark.timeout(1200)
def test_weak_answers_are_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_unless_installed()
    monkeypatch.setenv(KEY_VARIABLE, "none")
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    repository(tmp_path / "tallybox")
    ground = Laid("ground", {"ground.md": "# Tallies\n"}, ("select", "refactor"))
    stages: dict[str, list[Stage]] = {
        "select": [SELECT],
        "refactor": [selected(), REFACTOR],
        "enhance": [selected(), Laid("refactor", refactored(), ("select",)), ground, ENHANCE],
    }
    with serving(tmp_path) as url:
        monkeypatch.setattr(runner, "make_spec", lambda name, **fields: local(url))
        for name, given in stages.items():
            root = tmp_path / name
            root.mkdir()
            chosen = made_runner(root, project(root, tmp_path / "tallybox", model=NAME), given, sandboxes=True)
            passed = run(chosen)
            assert asked(chosen, name) >= 1
            # A small model may happen to give four marks; cases and dispatchers it cannot write.
            assert not passed or name == "select"
            if not passed:
                assert kinds(chosen, name)


@pytest.mark.timeout(1200)
def test_a_weak_builder_and_judge_end_verify_with_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[..., Runner]
) -> None:
    skip_unless_installed()
    monkeypatch.setenv(KEY_VARIABLE, "none")
    with serving(tmp_path) as url:
        monkeypatch.setattr(runner, "make_spec", lambda name, **fields: local(url))
        chosen = made({"mutants": 0, "agent": "react", "max_turns": 2, "build_seconds": 120}, NAME)
        run(chosen)
    assert asked(chosen, "verify") >= 3
    verdict = chosen.folder("verify").state().verdict
    assert verdict is not None
    judged = set(verdict.facts.get("equivalence", {}))
    unjudged = [finding for finding in verdict.findings if finding.kind == "no_judgement"]
    assert len(judged) + len(unjudged) == 3
    assert verdict.facts["reconstruction"][0]["passed"] < verdict.facts["reconstruction"][0]["total"]
