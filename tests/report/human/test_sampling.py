"""Samples are seeded, spread over conditions, and say nothing of whose they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.human.study_sample import judged_run, publish, review_of, reviewed_run
from underspec.artifact.condition import Condition
from underspec.errors import UsageError
from underspec.phase.review import REVIEW_FILE
from underspec.report.collect import collect
from underspec.report.human.sampling import allocate, sample_study
from underspec.run.store import RunStore

ONE, OTHER = Condition(agent="asker"), Condition(agent="eager", budget=0)
SCORES = {"semantic": 0.5, "api": 0.5, "design": 0.5}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six epochs of one condition and three of another have reviews, and two of the latter have none."""
    folder = tmp_path_factory.mktemp("runs")
    reviewed_run(folder / "one", [ONE], 6, lambda condition, epoch: SCORES)
    return reviewed_run(folder / "two", [OTHER], 5, lambda condition, epoch: SCORES if epoch <= 3 else None)


def test_conditions_of_all_runs_have_their_share(run: Path) -> None:
    key = sample_study([run.parent / "one", run], "critic", 6, 0, unscored=False)
    assert Counter(sample.condition for sample in key.samples) == {ONE.id: 4, OTHER.id: 2}
    assert {each.agent: (each.sampled, each.eligible) for each in key.strata} == {"asker": (4, 6), "eager": (2, 3)}
    assert key.excluded == {"no critic has scored it": 2}
    assert len({sample.item for sample in key.samples}) == 6


def test_the_seed_decides_and_nothing_else_does(run: Path) -> None:
    runs = [run.parent / "one", run]
    one = sample_study(runs, "critic", 4, 7, unscored=False)
    assert one == sample_study(runs, "critic", 4, 7, unscored=False)
    assert {each.item for each in one.samples} == {
        each.item for each in sample_study(runs[::-1], "critic", 4, 7, unscored=False).samples
    }
    drawn = {
        tuple(each.item for each in sample_study(runs, "critic", 4, seed, unscored=False).samples) for seed in range(8)
    }
    assert len(drawn) > 4


def test_ids_are_numbers_whose_order_mixes_the_conditions(run: Path) -> None:
    key = sample_study([run.parent / "one", run], "critic", 9, 1, unscored=False)
    assert [sample.id for sample in key.samples] == [f"S{place:03}" for place in range(1, 10)]
    conditions = [sample.condition for sample in key.samples]
    assert conditions not in (sorted(conditions), sorted(conditions, reverse=True))


def test_more_than_there_is_is_refused_with_what_was_left_out(run: Path) -> None:
    with pytest.raises(UsageError, match=r"there are 3 to sample, not 4 \(left out 2: no critic has scored it\)"):
        sample_study([run], "critic", 4, 0, unscored=False)
    assert len(sample_study([run], "critic", 5, 0, unscored=True).samples) == 5


def test_a_deliverable_without_a_source_file_is_no_sample(tmp_path: Path) -> None:
    run = reviewed_run(tmp_path / "run", [ONE], 2, lambda condition, epoch: SCORES if epoch == 1 else None)
    store = RunStore(run)
    bare = next(each for each in collect(store) if each.item.epoch == 2)
    assert bare.deliverable is not None
    review = review_of("data-sizes", bare.deliverable.sha256, dict.fromkeys(SCORES, 0.0), nothing=True)
    publish(store, bare.item, "review", {REVIEW_FILE: review.to_bytes()}, "c")
    key = sample_study([run], "critic", 1, 0, unscored=False)
    assert key.excluded == {"there is no source file to rate": 1}


def test_two_runs_of_one_name_cannot_be_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        reviewed_run(tmp_path / folder / "run", [ONE], 1, lambda condition, epoch: SCORES)
    with pytest.raises(UsageError, match="two runs have the same name"):
        sample_study([tmp_path / "a" / "run", tmp_path / "b" / "run"], "critic", 1, 0, unscored=False)


def test_a_judges_study_samples_sets_of_answers(tmp_path: Path) -> None:
    asked = Condition(agent="react", model="x/y", protocol="clarify-first", judge_model="x/judge")
    run = judged_run(tmp_path / "run", [asked], lambda condition, unit: "correct")
    key = sample_study([run], "judge", 1, 0, unscored=False)
    assert key.samples[0].units == ("RU-001", "RU-002", "RU-003")
    silent = judged_run(tmp_path / "silent", [asked], lambda condition, unit: "incorrect", say=lambda unit: "")
    with pytest.raises(UsageError, match="1: nothing was answered"):
        sample_study([silent], "judge", 1, 0, unscored=False)


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 50), min_size=1, max_size=8), st.data())
def test_shares_add_up_and_none_is_further_than_one_from_its_due(sizes: dict[str, int], data: st.DataObject) -> None:
    total = sum(sizes.values())
    number = data.draw(st.integers(0, total))
    shares = allocate(sizes, number)
    assert sum(shares.values()) == number if total else shares == {}
    for name, share in shares.items():
        assert abs(share - number * sizes[name] / total) < 1
        assert 0 <= share <= sizes[name]
