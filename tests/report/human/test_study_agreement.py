"""From sheets to agreement: the figures are those of what people and models said, and what is missing is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.report.human.study_sample import CRITIC, UNITS, by_sample, filled, judged_run, publish, reviewed_run
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.labels import ManualLabels
from underspec.errors import StoreError, UsageError
from underspec.measure.agreement import cohen_kappa, intraclass_correlations, weights_of
from underspec.report.human.agreement import agreement_document
from underspec.report.human.exhibit import human_table
from underspec.report.human.sampling import sample_study
from underspec.report.human.seam import human_scores
from underspec.report.human.sheets import sheet_csv
from underspec.report.human.study import Study
from underspec.report.human.text import table_text
from underspec.run.labels import MANUAL_LABELS_FILE
from underspec.run.store import RunStore

ONE = Condition(agent="asker")
CRITICS = [0.1, 0.35, 0.5, 0.8, 0.9, 0.2]
PEOPLE = {"A1": [20, 30, 55, 70, 95, 10], "A2": [10, 45, 60, 75, 80, 25], "A3": [15, 30, 40, 90, 85, 20]}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Six deliverables, three people, the same scores in each dimension but the last, which nobody gave."""
    run = reviewed_run(
        tmp_path / "run",
        [ONE],
        6,
        lambda condition, epoch: dict.fromkeys(("semantic", "api", "design"), CRITICS[epoch - 1]),
    )
    made = Study(tmp_path / "study")
    made.begin(sample_study([run], "critic", 6, 0, unscored=False))
    return made


def fill(study: Study, name: str, scores: list[int], *, left_out: tuple[int, ...] = ()) -> None:
    folders = by_sample(study.key())

    def values(row: dict[str, str]) -> dict[str, object]:
        epoch = int(folders[row["sample"]].split("--e")[1].split("--")[0])
        return {} if epoch in left_out else {"semantic": scores[epoch - 1], "api": 100 - scores[epoch - 1]}

    path = study.path / f"{name}.csv"
    path.write_bytes(filled(sheet_csv(study.key(), name), values))
    assert study.take([path]).errors == []


def test_the_critic_is_compared_with_the_mean_of_people(study: Study) -> None:
    for name, scores in PEOPLE.items():
        fill(study, name, scores)
    found = study.agreement()
    semantic, api, design = found.dimensions
    people = np.array(list(PEOPLE.values()), dtype=float)
    mean, critic = people.mean(axis=0), 100 * np.array(CRITICS)
    assert semantic.critic.pearson.r == pytest.approx(float(np.corrcoef(critic, mean)[0, 1]))
    assert semantic.critic.mae == pytest.approx(float(np.abs(critic - mean).mean()))
    assert semantic.critic.rmse == pytest.approx(float(np.sqrt(((critic - mean) ** 2).mean())))
    assert semantic.critic.icc.absolute.value == pytest.approx(
        intraclass_correlations(np.column_stack([critic, mean])).absolute.value
    )
    assert semantic.annotators.consistency.value == pytest.approx(intraclass_correlations(people.T).consistency.value)
    assert (semantic.annotators.raters, semantic.annotators.subjects) == (3, 6)
    assert api.critic.pearson.r == pytest.approx(-float(np.corrcoef(critic, mean)[0, 1]))
    assert (design.critic.pairs, design.unrated, design.critic.pearson.r) == (0, 6, None)


def test_partial_sheets_count_for_what_is_in_them(study: Study) -> None:
    fill(study, "A1", PEOPLE["A1"])
    fill(study, "A2", PEOPLE["A2"], left_out=(2, 5))
    semantic = study.agreement().dimensions[0]
    assert semantic.critic.pairs == 6
    assert semantic.annotators.subjects == 4
    means = [15, 30, 57.5, 72.5, 95, 17.5]
    assert semantic.human_mean == pytest.approx(sum(means) / 6)


def test_a_sample_whose_deliverable_changed_or_whose_review_is_gone_is_not_compared(study: Study) -> None:
    for name, scores in PEOPLE.items():
        fill(study, name, scores)
    key = study.key()
    store = RunStore(Path(key.runs["run"]))
    first, second = store.items()[:2]
    (store.phase(first, "review").path / ("c" * 64) / "review.json").unlink()
    with pytest.raises(StoreError, match="missing"):
        study.agreement()
    (store.phase(first, "review").path / "chosen").unlink()
    (store.phase(second, "build").path / "chosen").unlink()
    found = study.agreement()
    assert found.missing == {"no critic has reviewed it": 1, "the item has another deliverable now": 1}
    assert (found.dimensions[0].critic.pairs, found.dimensions[0].unscored) == (4, 2)


def test_table_sixteen_has_a_row_for_each_dimension_and_says_what_it_lacks(study: Study) -> None:
    for name, scores in PEOPLE.items():
        fill(study, name, scores)
    table = human_table(study.agreement())
    assert table.name == "ICAE Table XVI"
    assert [row["dimension"].value for row in table.rows] == [
        "Semantic similarity",
        "API similarity",
        "Design quality",
    ]
    for row in table.rows:
        assert set(row) == {column.key for column in table.columns}
        for cell in row.values():
            assert (cell.value is None) == (cell.why is not None)
    pearson = table.rows[0]["pearson"]
    assert pearson.span is not None
    assert isinstance(pearson.value, float)
    assert pearson.span.low <= pearson.value <= pearson.span.high
    assert any(CRITIC in note for note in table.notes)
    assert any(
        note == "Design quality: 6 samples nobody rated, 0 rated ones have no critic's score." for note in table.notes
    )
    shown = table_text(table)
    assert "Pearson r" in shown
    assert "– (nobody rated what the critic scored)" in shown


def test_the_sites_table_gets_rates_of_the_dimensions_that_there_are(study: Study) -> None:
    for name, scores in PEOPLE.items():
        fill(study, name, scores)
    found = study.agreement()
    shown = human_scores(found)
    assert shown is not None
    assert set(shown.dimensions) == {"semantic", "api"}
    semantic = shown.dimensions["semantic"]
    assert semantic.critic_mean == pytest.approx(sum(CRITICS) / 6)
    assert semantic.mae == pytest.approx((found.dimensions[0].critic.mae or 0) / 100)
    assert semantic.consistency == found.dimensions[0].annotators.consistency.value


def test_the_document_is_json_and_has_every_figure(study: Study) -> None:
    fill(study, "A1", PEOPLE["A1"])
    document = json.loads(json.dumps(agreement_document(study.agreement()), allow_nan=False))
    assert document["annotators"] == [{"name": "A1", "filled": 0, "of": 6}]
    semantic = document["dimensions"]["semantic"]
    assert set(semantic) == {
        *("samples", "unrated", "unscored", "critic_mean", "human_mean", "pearson", "pearson_by_task"),
        *("mae", "rmse", "bias", "icc_c1", "icc_a1", "annotators"),
    }
    assert semantic["annotators"]["icc_c1"] == {"value": None, "interval": None}


def test_scores_before_anybody_rated_or_of_another_study_are_no_agreement(study: Study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nobody has rated anything yet"):
        study.agreement()
    fill(study, "A1", PEOPLE["A1"])
    other = Study(tmp_path / "other")
    other.begin(study.key().model_copy(update={"seed": 5}))
    (other.path / "scores.json").write_bytes((study.path / "scores.json").read_bytes())
    with pytest.raises(UsageError, match="the scores are those of study"):
        other.agreement()


CLARIFIED = [
    Condition(agent="react", model=f"maker/model-{each}", protocol="clarify-first", judge_model="x/judge")
    for each in "abcd"
]
JUDGED = {"a": ("correct", "partial", "incorrect"), "b": ("correct", "correct", "partial")}
JUDGED |= {"c": ("incorrect", "partial", "partial"), "d": ("partial", "correct", "incorrect")}


def judge_study(folder: Path) -> Study:
    run = judged_run(
        folder / "run",
        CLARIFIED,
        lambda condition, unit: JUDGED[str(condition.model)[-1]][UNITS.index(unit)],
    )
    made = Study(folder / "study")
    made.begin(sample_study([run], "judge", 4, 0, unscored=False))
    return made


def label(study: Study, name: str, changes: dict[tuple[str, str], str]) -> None:
    """Sheets that say what the judge says, but for the changes."""
    models = {
        sample.id: next(str(each.model)[-1] for each in study.key().strata if each.condition == sample.condition)
        for sample in study.key().samples
    }

    def values(row: dict[str, str]) -> dict[str, object]:
        model = models[row["sample"]]
        return {"label": changes.get((model, row["unit"]), JUDGED[model][UNITS.index(row["unit"])])}

    path = study.path / f"{name}.csv"
    path.write_bytes(filled(sheet_csv(study.key(), name), values))
    assert study.take([path]).errors == []


def test_the_judge_is_compared_with_the_majority_and_with_everybody(tmp_path: Path) -> None:
    study = judge_study(tmp_path)
    label(study, "A1", {("a", UNITS[0]): "partial"})
    label(study, "A2", {("a", UNITS[0]): "partial", ("b", UNITS[1]): "incorrect"})
    label(study, "A3", {("b", UNITS[1]): "partial", ("c", UNITS[0]): ""})
    found = study.agreement()
    judge = found.judge
    assert judge is not None
    # Of a's first answer two say partial; of b's second one each says correct, incorrect and partial.
    assert found.split == 1
    assert judge.answers == 11
    assert judge.confusion == [[2, 1, 0], [0, 5, 0], [0, 0, 3]]
    assert judge.agreed == pytest.approx(10 / 11)
    assert judge.kappa == cohen_kappa(judge.confusion)
    assert judge.weighted == cohen_kappa(judge.confusion, weights_of(3, "linear"))
    assert found.by_annotator is not None
    assert {name: each.answers for name, each in found.by_annotator.items()} == {"A1": 12, "A2": 12, "A3": 11}
    assert found.alpha is not None
    assert found.alpha.value is not None
    assert 0.5 < found.alpha.value < 1
    assert set(found.between_annotators or {}) == {"A1 and A2", "A1 and A3", "A2 and A3"}
    table = human_table(found)
    assert [row["rater"].value for row in table.rows] == ["the majority", "A1", "A2", "A3"]
    assert table.rows[0]["correct_partial"].value == 1
    document: dict[str, Any] = json.loads(json.dumps(agreement_document(found), allow_nan=False))
    assert document["judge"]["confusion"] == judge.confusion
    assert document["split"] == 1


def test_what_was_settled_by_hand_does_not_pass_for_the_judges_word(tmp_path: Path) -> None:
    study = judge_study(tmp_path)
    label(study, "A1", {})
    before = study.agreement()
    run = Path(study.key().runs["run"])
    settled = [
        {"answers": sample.subject, "unit": unit, "label": "incorrect", "reason": "", "by": "x"}
        for sample in study.key().samples
        for unit in UNITS
    ]
    labels = ManualLabels.model_validate({"adjudications": settled})
    (run / MANUAL_LABELS_FILE).write_bytes(labels.to_bytes())
    assert study.agreement() == before


def test_answers_that_changed_are_not_compared(tmp_path: Path) -> None:
    study = judge_study(tmp_path)
    label(study, "A1", {})
    store = RunStore(Path(study.key().runs["run"]))
    item = store.items()[0]
    answered = store.phase(item, "answer").path / ("d" * 64) / "answers.json"
    changed = answered.read_bytes().replace(b"what I know", b"what I knew")
    assert sha256_hex(changed) != sha256_hex(answered.read_bytes())
    publish(store, item, "answer", {"answers.json": changed}, "f")
    found = study.agreement()
    assert found.missing == {"the item has other answers now": 1}
    assert found.judge is not None
    assert found.judge.answers == 9
