"""A critic and the structure comparison are planned beside the items: ids and names of a run stay what they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.model.scripts import script
from tests.task_factory import make_task
from underspec.artifact.condition import Condition
from underspec.cli.app import app
from underspec.cli.dry_run import plan_document, plan_lines
from underspec.errors import UsageError
from underspec.run.beside import Critic
from underspec.run.experiment import Experiment, make_experiment
from underspec.run.manifest import read_manifest
from underspec.run.prepare import Prepared, begin, prepare
from underspec.sandbox.backends import load_backend

pytestmark = pytest.mark.sandbox


def _experiment(task: Path, **fields: object) -> Experiment:
    return make_experiment({"tasks": [str(task)], "condition": {"agent": "nop"}, **fields})


def _prepared(tmp_path: Path, task: Path, **fields: object) -> Prepared:
    return prepare(_experiment(task, **fields), backend=load_backend("bubblewrap"), runs=tmp_path / "runs")


def test_a_critic_is_no_part_of_conditions_or_of_the_runs_name(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    critic = f"scripted/{script(tmp_path, {'text': 'x'})}"
    plain, reviewed = _prepared(tmp_path, task), _prepared(tmp_path, task, critic_model=critic, structure=False)
    assert [item.id for item in plain.items] == [item.id for item in reviewed.items]
    assert plain.context.store.path == reviewed.context.store.path
    assert plain.items[0].condition.id == Condition(agent="nop").id
    assert (plain.context.structure, plain.context.critic) == (True, None)
    assert isinstance(reviewed.context.critic, Critic)
    assert (reviewed.context.structure, reviewed.context.critic.repeats) == (False, 1)


def test_the_manifest_says_who_reviews_and_goes_on_saying_so(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    critic = f"scripted/{script(tmp_path, {'text': 'x'})}"
    begin(_prepared(tmp_path, task, critic_model=critic, critic_repeats=3), concurrency=1)
    store = begin(_prepared(tmp_path, task), concurrency=1)
    assert read_manifest(store.path)["critic"] == {"model": critic, "repeats": 3}


def test_a_dry_run_counts_and_prices_what_stands_beside(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    critic = f"scripted/{script(tmp_path, {'text': 'x'})}"
    plain = plan_document(_prepared(tmp_path, task, epochs=2))
    assert (plain["builds"], plain["grades"], plain["structures"], plain["reviews"]) == (2, 2, 2, 0)
    assert plain["cost"] == 0.0
    reviewed = plan_document(_prepared(tmp_path, task, epochs=2, critic_model=critic, structure=False))
    assert (reviewed["structures"], reviewed["reviews"]) == (0, 2)
    assert (reviewed["cost"], reviewed["cost_bound"]) == (None, None)
    assert "reviews 2" in plan_lines(reviewed)[1]


def test_a_builder_s_bound_is_no_bound_where_who_answers_is_paid_too(tmp_path: Path) -> None:
    task, model = make_task(tmp_path), f"scripted/{script(tmp_path, {'text': 'x'})}"
    prices = tmp_path / "prices.toml"
    prices.write_text(f'[models."{model}"]\ninput = 1.0\noutput = 1.0\nsource = "a test"\nread = "2026-01-01"\n')
    alone = {"agent": "react", "model": model, "max_cost": 3.0}
    answered = {**alone, "router": "model", "stakeholder_model": model}
    bounds = []
    for condition in (alone, answered):
        plan = make_experiment({"tasks": [str(task)], "condition": condition})
        prepared = prepare(plan, backend=load_backend("bubblewrap"), runs=tmp_path / "runs", prices=prices)
        bounds.append(plan_document(prepared)["cost_bound"])
    assert bounds == [3.0, None]


def test_a_critic_without_anything_to_review_is_said_before_anything_runs(tmp_path: Path) -> None:
    task = make_task(tmp_path, files={"hidden/golden.toml": None})
    with pytest.raises(UsageError, match="golden sources"):
        _prepared(tmp_path, task, critic_model=f"scripted/{script(tmp_path, {'text': 'x'})}")


def test_a_bound_on_what_is_spent_wants_the_critics_price(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    plan = _experiment(task, critic_model="openai/no-such-model-of-theirs")
    with pytest.raises(UsageError, match="price"):
        prepare(plan, backend=load_backend("bubblewrap"), runs=tmp_path / "runs", max_cost=1.0)


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--critic-repeats", "3"], "--critic-model"),
        (["--critic-model", "no-provider"], "provider"),
        (["--critic-model", "openai/x", "--critic-repeats", "0"], "critic-repeats"),
        (["--redo", "structure"], "review"),
        (["--redo", "review"], "--critic-model"),
    ],
)
def test_flags_that_make_no_sense_are_refused(tmp_path: Path, flags: list[str], named: str) -> None:
    argv = ["run", "--task", str(make_task(tmp_path)), "--agent", "nop", "--runs", str(tmp_path), "--dry-run", *flags]
    ran = CliRunner().invoke(app, argv)
    assert ran.exit_code == 2, ran.output
    assert named in ran.output


def test_the_command_plans_both(tmp_path: Path) -> None:
    critic = f"scripted/{script(tmp_path, {'text': 'x'})}"
    argv = ["run", "--task", str(make_task(tmp_path)), "--agent", "nop", "--runs", str(tmp_path), "--dry-run", "--json"]
    planned = json.loads(CliRunner().invoke(app, [*argv, "--critic-model", critic]).stdout)
    assert (planned["structures"], planned["reviews"]) == (1, 1)
    planned = json.loads(CliRunner().invoke(app, [*argv, "--no-structure"]).stdout)
    assert (planned["structures"], planned["reviews"]) == (0, 0)
