"""What is said before a run: which protocol a task can run, who plays whom, what changes an identity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.clarify.scripts import script_of
from tests.commission_factory import make_commission
from tests.task_factory import make_task
from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.cli.app import app
from underspec.errors import UsageError
from underspec.run.experiment import make_experiment
from underspec.run.prepare import Prepared, prepare
from underspec.run.presets import with_preset
from underspec.run.protocols import BESIDE, PAID, PHASES, steps_of
from underspec.sandbox.backends import load_backend

pytest.importorskip("inspect_ai")


def prepared(
    task: Path, runs: Path, preset: str | None = None, grid: dict[str, Any] | None = None, **fields: Any
) -> Prepared:
    plan = make_experiment({"tasks": [str(task)], "condition": {"agent": "react", **fields}, "grid": grid or {}})
    return prepare(with_preset(plan, preset), backend=load_backend("bubblewrap"), runs=runs)


def test_new_fields_at_their_default_leave_ids_as_they_were() -> None:
    assert Condition(agent="asker").id == digest_of({"agent": "asker"})
    assert Condition(agent="react", model="m/n", budget=8).id == digest_of(
        {"agent": "react", "model": "m/n", "budget": 8}
    )


@pytest.mark.parametrize(
    ("fields", "lacks"),
    [
        ({"protocol": "clarify-first"}, "client and supervisor"),
        ({"protocol": "clarify-first", "stakeholder_model": "a/b"}, "judges"),
        (
            {"protocol": "clarify-first", "stakeholder_model": "a/b", "judge_model": "a/b", "exposure": "ground"},
            "nothing to ask",
        ),
        ({"protocol": "continued", "judge_model": "a/b", "information": "none"}, "somebody to ask"),
        (
            {"protocol": "continued", "stakeholder_model": "a/b", "judge_model": "a/b", "native_history": True},
            "no history",
        ),
        ({"protocol": "build"}, "no cases"),
        ({"protocol": "clarify"}, "Input should be"),
        ({"most_rounds": 0}, "greater than or equal to 1"),
    ],
)
def test_what_lacks_is_said_before_anything_runs(tmp_path: Path, fields: dict[str, Any], lacks: str) -> None:
    task = make_commission(tmp_path)
    with pytest.raises(UsageError, match=lacks):
        prepared(task, tmp_path / "runs", model="a/b", **fields)


def test_a_task_without_units_says_so(tmp_path: Path) -> None:
    roles: dict[str, Any] = {"model": "a/b", "stakeholder_model": "a/b", "judge_model": "a/b"}
    with pytest.raises(UsageError, match="no requirement units"):
        prepared(make_task(tmp_path), tmp_path / "runs", protocol="clarify-first", **roles)


def test_a_repository_task_with_units_and_a_commission_with_cases_run_either_protocol(tmp_path: Path) -> None:
    from tests.commission_factory import commission_files
    from tests.task_factory import task_files

    hidden = {
        path: content for path, content in commission_files().items() if "/acceptance/" in path or "units" in path
    }
    both = make_task(tmp_path, files=hidden)
    roles: dict[str, Any] = {"model": "a/b", "stakeholder_model": "a/b", "judge_model": "a/b"}
    assert len(prepared(both, tmp_path / "runs", protocol="clarify-first", **roles).items) == 1
    cases = {path: content for path, content in task_files().items() if "/cases/" in path or "records" in path}
    commission = make_commission(tmp_path, files=cases)
    assert len(prepared(commission, tmp_path / "runs", model="a/b", stakeholder="nobody").items) == 1


def test_settings_of_roles_that_nobody_plays_make_no_other_conditions(tmp_path: Path) -> None:
    task = make_commission(tmp_path)
    grid = {"information": ["none", "standard"], "stakeholder_model": ["a/b", "c/d"]}
    fields = {"protocol": "clarify-first", "model": "a/b", "judge_model": "a/b"}
    items = prepared(task, tmp_path / "runs", grid=grid, **fields).items
    found = sorted((item.condition.information, item.condition.stakeholder_model) for item in items)
    assert found == [("none", None), ("standard", "a/b"), ("standard", "c/d")]


def test_the_preset_is_the_papers(tmp_path: Path) -> None:
    (item,) = prepared(make_commission(tmp_path), tmp_path / "runs", "swe-clar", model="openai/gpt-5.6-luna").items
    condition = item.condition
    assert (condition.protocol, condition.information, condition.most_rounds) == ("clarify-first", "standard", None)
    assert condition.stakeholder_model == condition.judge_model == "openai/gpt-5.6-luna"
    assert condition.thinking == "max"
    assert (condition.max_tokens, condition.max_turns) == (None, None)


def test_phases_come_after_what_they_read() -> None:
    names = set()
    for protocol in ("build", "clarify-first", "continued"):
        for information in ("none", "standard", "complete"):
            for native in (False, True):
                condition = Condition.model_validate(
                    {"agent": "a", "protocol": protocol, "information": information, "native_history": native}
                )
                seen: set[str] = set()
                for step in steps_of(condition):
                    assert set(step.needs) <= seen, step
                    seen.add(step.phase)
                    assert step.paid == (step.phase in PAID)
                names |= seen
                # The two branches share the frozen context and nothing else.
                needs = {step.phase: set(step.needs) for step in steps_of(condition)}
                if protocol == "clarify-first":
                    assert needs["implement"] <= {"freeze", "clarify"}
                    assert needs["answer"] == {"freeze"}
                    assert needs["judge"] == {"answer"}
                    assert needs["accept"] == {"implement"}
    assert names | BESIDE == set(PHASES)
    assert not names & BESIDE


@pytest.mark.sandbox
def test_the_command_plans_runs_and_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_commission(tmp_path)
    model = script_of(tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = ["--preset", "swe-clar", "--task", "toy-tally", "--agent", "react", "--model", model, "--thinking", "off"]
    flags += ["--stakeholder-model", model, "--judge-model", model, "--run", "a", "--json"]
    dry = CliRunner().invoke(app, ["run", *flags, "--dry-run"])
    assert json.loads(dry.stdout)["planned"] == 1
    assert not (tmp_path / "runs" / "a").exists()
    ran = CliRunner().invoke(app, ["run", *flags])
    assert ran.exit_code == 0, ran.output
    (row,) = json.loads(ran.stdout)["rows"]
    assert (row["task_pass"], row["clarification"], row["unit_pass"]) == (1.0, 1.0, 1.0)
    assert "[prompts]" in (tmp_path / "runs" / "a" / "run.toml").read_text()
    shown = json.loads(CliRunner().invoke(app, ["show", "react", "--run", "runs/a", "--json"]).stdout)
    assert shown["transcript"]["rounds"][0]["drafts"]
    assert [unit["label"] for unit in shown["judgements"]["units"]] == ["correct", "correct"]
    listed = CliRunner().invoke(app, ["label", "runs/a", "--task", "toy-tally", "--json"])
    assert json.loads(listed.stdout)["items"][0]["rounds"] == 1
    for role in ("client", "supervisor", "builder", "judge", "assessor", "annotator"):
        told = CliRunner().invoke(app, ["prompts", "show", role])
        assert told.exit_code == 0
        assert f"{role}/" in told.stdout
