"""Judging: labels are read however they are written, and answers are data whatever they say."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.scripts import turn, write_script
from tests.clarify.judge_corpus import CORPUS, TASK, UNIT, Judged, as_judges_write
from underspec.artifact.answers import Answers, UnitAnswer
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.judgements import Judgements, Label, Review, UnitJudgement
from underspec.artifact.labels import ManualLabels
from underspec.errors import JudgeError
from underspec.grade.judge.rubric import read_review
from underspec.model.models import open_model
from underspec.model.roles import Role
from underspec.model.spec import make_spec
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.judge import JudgeInputs, review_unit
from underspec.prompts.judge import judge_prompts
from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.load import load_task
from underspec.task.model import Task

pytest.importorskip("inspect_ai")


@pytest.fixture(scope="module")
def lending() -> Task:
    return load_task(find_task(TASK))


def inputs_of(task: Task, folder: Path, judged: Judged, script: str = "scripted/none") -> JudgeInputs:
    """A judgement of one corpus answer, with what another answer says beside it."""
    units = release.reference_units(task)
    said = {UNIT: judged.answer, units[0].id: judged.elsewhere}
    answers = Answers(
        task=task.id,
        context="0" * 64,
        answers=tuple(UnitAnswer(unit=unit.id, text=said.get(unit.id, "")) for unit in units),
        end=BuildEnd(agent="answer", agent_version="1", ended="done"),
    )
    folder.mkdir(exist_ok=True)
    (folder / ANSWERS_FILE).write_bytes(answers.to_bytes())
    return JudgeInputs(task, Condition(agent="react"), folder, make_spec(script))


def _place(task: Task) -> int:
    return [unit.id for unit in release.reference_units(task)].index(UNIT)


def test_the_corpus_holds_every_label_and_kind() -> None:
    assert Counter(each.label for each in CORPUS) == {"correct": 19, "partial": 18, "incorrect": 23}
    assert len({(each.answer, each.elsewhere) for each in CORPUS}) == 60


def test_no_answer_of_the_corpus_is_lost_to_how_a_judge_writes(tmp_path: Path, lending: Task) -> None:
    """Sixty judgements by a judge that knows the labels and writes them in twelve ways: all sixty are read."""
    place = _place(lending)
    unit = release.reference_units(lending)[place]
    turns = [turn(text=said) for number, judged in enumerate(CORPUS) for said in as_judges_write(number, judged.label)]
    script = write_script(tmp_path / "judge.jsonl", turns)

    async def all_of_them() -> list[str]:
        model = open_model(make_spec(script), role=Role.JUDGE, phase="judge")
        return [
            str((await review_unit(inputs_of(lending, tmp_path / "answers", judged), place, unit, model)).label)
            for judged in CORPUS
        ]

    assert asyncio.run(all_of_them()) == [judged.label for judged in CORPUS]


@pytest.mark.parametrize("judged", CORPUS, ids=lambda judged: judged.kind)
def test_an_answer_stays_inside_its_marks(tmp_path: Path, lending: Task, judged: Judged) -> None:
    asked = inputs_of(lending, tmp_path / "answers", judged).asked(_place(lending), release.reference_units(lending)[2])
    _within_marks(asked, judged, len(release.reference_units(lending)))


def _within_marks(asked: str, judged: Judged, units: int) -> None:
    lines = asked.splitlines()
    assert lines.count("<answers>") == lines.count("</answers>") == 1
    start, end = lines.index("<answers>"), lines.index("</answers>")
    data = [json.loads(line) for line in lines[start + 1 : end]]
    assert len(data) == units
    assert [each["answer"] for each in data if each["mark"] == "Q3"] == [judged.answer]
    assert [each["answer"] for each in data if each["mark"] == "Q1"] == [judged.elsewhere]
    outside = "\n".join([*lines[:start], *lines[end + 1 :]])
    for text in (judged.answer, judged.elsewhere):
        for line in text.splitlines():
            assert len(line) < 25 or line not in outside
    assert asked.count("<") == asked.count(">") == 2


@given(answer=st.text(max_size=200), elsewhere=st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_text_at_all_leaves_its_marks(answer: str, elsewhere: str) -> None:
    said = [("Q1", "q", elsewhere), ("Q2", "q", ""), ("Q3", "q", answer)]
    asked = judge_prompts().ask(
        mark="Q3", question="q", requirement="r", reference="a", interface="i", tests="t", answers=said
    )
    lines = asked.split("\n")
    start, end = lines.index("<answers>"), lines.index("</answers>")
    data = [json.loads(line) for line in lines[start + 1 : end]]
    assert [each["answer"] for each in data] == [elsewhere, "", answer]
    assert len(asked.splitlines()) == len(lines) - 1
    assert asked.count("<") == asked.count(">") == 2


def test_a_judge_that_never_gives_a_label_gives_none(tmp_path: Path, lending: Task) -> None:
    babble = [turn(text=text) for text in ("Correct.", '{"label": "good"}', '{"label": ["correct"]}')]
    script = write_script(tmp_path / "judge.jsonl", babble)
    place = _place(lending)

    async def once() -> Review:
        model = open_model(make_spec(script), role=Role.JUDGE, phase="judge")
        inputs = inputs_of(lending, tmp_path / "answers", CORPUS[0])
        return await review_unit(inputs, place, release.reference_units(lending)[place], model)

    with pytest.raises(JudgeError, match="RU-003"):
        asyncio.run(once())


def test_the_judge_is_told_what_is_required_and_nothing_of_the_software(tmp_path: Path, lending: Task) -> None:
    inputs = inputs_of(lending, tmp_path / "answers", CORPUS[0])
    unit = release.reference_units(lending)[2]
    asked = inputs.asked(2, unit)
    assert unit.answer in asked
    assert "python3 -m lending" in asked  # the delivery interface
    assert "test_a_fee_has_an_upper_limit" in asked
    assert "test_filters" not in asked
    assert "canary" not in asked
    # Its inputs name no artifact of the branch that implements.
    assert set(JudgeInputs.__dataclass_fields__) == {"task", "condition", "answered", "model", "prompts"}


@given(
    st.dictionaries(st.sampled_from(["label", "missing", "wrong", "x"]), st.one_of(st.text(), st.integers(), st.none()))
)
@settings(max_examples=200, deadline=None)
def test_a_label_is_one_of_three_or_none(document: dict[str, object]) -> None:
    review = read_review(document)
    said = document.get("label")
    known = isinstance(said, str) and said.strip().lower() in ("correct", "partial", "incorrect")
    assert (review is not None) == known


# --- repeated review ---


def reviews(*labels: Label) -> UnitJudgement:
    return UnitJudgement.of("RU-1", [Review(label=label) for label in labels])


C, P, I = Label.CORRECT, Label.PARTIAL, Label.INCORRECT  # noqa: E741


@pytest.mark.parametrize(
    ("labels", "settled", "disputed"),
    [
        ((C,), C, False),
        ((C, C, P), C, True),
        ((P, I, P, P, C), P, True),
        ((C, P), None, True),
        ((C, P, I), None, True),
        ((C, C, P, P), None, True),
        ((), None, False),
    ],
)
def test_a_label_needs_more_than_half_of_the_reviews(
    labels: tuple[Label, ...], settled: Label | None, disputed: bool
) -> None:
    judged = reviews(*labels)
    assert (judged.label, judged.disputed) == (settled, disputed)


def test_what_is_disputed_has_no_score_until_somebody_settles_it() -> None:
    judgements = Judgements(
        task="t", answers="a" * 64, units=(reviews(C, P), reviews(C).model_copy(update={"unit": "RU-2"}))
    )
    assert (judgements.score, judgements.strict) == (None, None)
    assert [unit.unit for unit in judgements.disputed] == ["RU-1"]
    settle = {"unit": "RU-1", "label": "partial", "reason": "the limit is missing", "by": "somebody"}
    settled = ManualLabels.model_validate({"adjudications": [{"answers": "a" * 64, **settle}]})
    after = settled.on_judgements(judgements)
    assert (after.score, after.strict) == (0.75, 0.5)
    assert after.units[0].reviews == judgements.units[0].reviews
    # Labels about other answers settle nothing here.
    other = ManualLabels.model_validate({"adjudications": [{"answers": sha256_hex(b""), **settle}]})
    assert other.on_judgements(judgements) == judgements
