"""Rewards: components from 0 to 1, and a scalar that claims no more than there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.export.sample import build_run, clarify_run
from underspec.artifact.condition import Condition
from underspec.errors import UsageError
from underspec.report.collect import Collected, collect
from underspec.report.export.rewards import COMPONENTS, DEFAULT_WEIGHTS, MEANING, read_weights, reward_of
from underspec.run.store import RunStore


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Collected]:
    """Tasks of which 0 to 4 of five native and enhanced cases pass, and one that was not run."""
    folder = tmp_path_factory.mktemp("rewards") / "run"
    tasks = [f"t{place}" for place in range(5)]
    return collect(RunStore(build_run(folder, [Condition(agent="asker")], [*tasks, "zz"], unfinished=["zz"])))


def test_what_the_software_does_is_the_reward(built: list[Collected]) -> None:
    reward = reward_of(built[3], DEFAULT_WEIGHTS)
    assert reward.components == {
        "overall": pytest.approx(3 / 5),
        "task_pass": 0.0,
        "interaction": 1.0,
        "structure": pytest.approx((1 / 3 + 1 / 3 + 1) / 3),
        "critic": pytest.approx(0.5),
    }
    assert reward.scalar == pytest.approx(0.7 * 3 / 5)


def test_weights_are_divided_by_their_sum(built: list[Collected]) -> None:
    weights = read_weights(["overall=1", "task_pass=0", "critic=3"])
    assert reward_of(built[3], weights).scalar == pytest.approx((3 / 5 + 3 * 0.5) / 4)
    assert reward_of(built[3], read_weights(["unit_pass=9"])).scalar == pytest.approx(0.7 * 3 / 5)


def test_an_item_without_a_score_has_no_reward(built: list[Collected]) -> None:
    reward = reward_of(built[5], DEFAULT_WEIGHTS)
    assert (reward.scalar, reward.missing) == (None, ("overall", "task_pass"))


def test_nothing_stands_for_a_component_that_is_missing(tmp_path: Path) -> None:
    run = build_run(tmp_path / "run", [Condition(agent="asker")], ["t"])
    store = RunStore(run)
    (store.phase(store.items()[0], "review").path / "chosen").unlink()
    known = collect(store)[0]
    assert reward_of(known, DEFAULT_WEIGHTS).scalar is not None
    reward = reward_of(known, read_weights(["critic=0.1"]))
    assert (reward.scalar, reward.missing) == (None, ("critic",))


def test_clarifying_has_components_of_its_own(tmp_path: Path) -> None:
    known = collect(RunStore(clarify_run(tmp_path / "run")))[0]
    reward = reward_of(known, DEFAULT_WEIGHTS)
    assert reward.components == {
        "task_pass": 0.0,
        "unit_pass": 0.5,
        "clarification": 0.75,
        "structure": None,
        "critic": None,
    }
    assert reward.scalar == pytest.approx(0.4 * 0.5 + 0.3 * 0.75)


def test_who_cannot_ask_is_not_measured_by_asking(tmp_path: Path) -> None:
    run = build_run(tmp_path / "run", [Condition(agent="eager", stakeholder="nobody")], ["t"])
    assert "interaction" not in reward_of(collect(RunStore(run))[0], DEFAULT_WEIGHTS).components


@pytest.mark.parametrize(
    "given", ["overall", "taste=1", "overall=much", "overall=-1", "overall=inf", "overall=nan", "=1"]
)
def test_weights_that_are_none_are_refused(given: str) -> None:
    with pytest.raises(UsageError):
        read_weights([given])


def test_all_weights_cannot_be_nothing() -> None:
    with pytest.raises(UsageError, match="every component weighs 0"):
        read_weights([f"{name}=0" for name in COMPONENTS])


def test_every_component_has_a_meaning_and_a_default() -> None:
    assert set(MEANING) == set(DEFAULT_WEIGHTS) == set(COMPONENTS)
