"""The experiments that ship as examples can be planned, and mean what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from underspec.errors import UsageError
from underspec.run.experiment import make_experiment, read_experiment
from underspec.run.presets import load_presets, with_preset

EXAMPLES = Path(__file__).parents[2] / "examples"
CONDITIONS = {
    "budgets.toml": 8,
    "rq1-main.toml": 12,
    "rq2-exposure.toml": 5,
    "rq3-scaffold.toml": 2,
    "rq4-sensitivity.toml": 10,
}


def test_every_example_is_looked_at() -> None:
    assert {path.name for path in EXAMPLES.glob("*.toml")} == set(CONDITIONS)


@pytest.mark.parametrize("name", sorted(CONDITIONS))
def test_an_example_plans_as_many_conditions_as_it_says(name: str) -> None:
    conditions = with_preset(read_experiment(EXAMPLES / name), None).conditions()
    assert len(conditions) == CONDITIONS[name]


def test_variants_change_one_thing_of_the_published_setting_at_a_time() -> None:
    published, *others = with_preset(read_experiment(EXAMPLES / "rq4-sensitivity.toml"), None).conditions()
    assert (published.router, published.budget, published.network, published.thinking) == ("model", 16, "open", "8000")
    before = published.model_dump()
    changed = [{key for key, value in each.model_dump().items() if value != before[key]} for each in others]
    assert sorted(map(sorted, changed)) == sorted(
        [
            ["agent"],
            ["stakeholder_model"],
            ["stakeholder_model"],
            ["router", "stakeholder_model"],
            ["budget"],
            ["budget"],
            ["thinking"],
            ["thinking"],
            ["language"],
        ]
    )


def test_what_a_user_says_goes_before_the_preset() -> None:
    plan = make_experiment({"tasks": ["x"], "condition": {"agent": "a", "budget": 3}, "grid": {"exposure": ["L2"]}})
    (condition,) = with_preset(plan, "icae").conditions()
    assert (condition.budget, condition.exposure, condition.grade_network) == (3, "L2", "open")


def test_an_unknown_preset_is_answered_with_those_there_are() -> None:
    plan = make_experiment({"tasks": ["x"], "condition": {"agent": "a"}})
    with pytest.raises(UsageError, match="icae"):
        with_preset(plan, "icea")


def test_a_field_cannot_stand_in_a_variant_and_in_the_grid() -> None:
    plan = make_experiment({"tasks": ["x"], "variants": [{"budget": 1}], "grid": {"agent": ["a"], "budget": [2]}})
    with pytest.raises(UsageError, match="budget"):
        plan.conditions()


@pytest.mark.parametrize("name", sorted(load_presets()))
def test_a_preset_says_where_it_is_from(name: str) -> None:
    assert load_presets()[name].source
