"""The critic's calls: what models answer, and what becomes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.critic.models import GENERATED, Status, critic_of, dimension_in, mark_in, served, subject_of, verdict
from underspec.artifact.review import CRITIC_DIMENSIONS, Review
from underspec.errors import GoldenError, ModelServiceError
from underspec.grade.critic.critic import ATTEMPTS, LEAST_BUDGET, NOTHING, Subject
from underspec.model.ledger import Ledger
from underspec.prompts.critic import critic_prompts

pytest.importorskip("inspect_ai")

SCORES = {"semantic": 0.75, "api": 0.25, "design": 0.5}


def good(texts: list[str], endpoint: str) -> str:
    dimension = dimension_in(texts[0])
    return verdict(mark_in(texts[1]), SCORES[dimension], f"because of {dimension}")


def run(spec: Any, subject: Subject, ledger: Ledger | None = None, **fields: Any) -> Review:
    return asyncio.run(critic_of(spec, ledger, **fields).review(subject))


def test_three_questions_are_asked_apart_and_each_has_its_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []

    def said(texts: list[str], endpoint: str) -> str:
        seen.append(texts)
        return good(texts, endpoint)

    ledger = Ledger.in_memory()
    found = run(served(monkeypatch, said), subject_of(tmp_path), ledger)
    assert {name: found.dimension(name).score for name in CRITIC_DIMENSIONS} == SCORES
    assert {name: found.dimension(name).rationale for name in CRITIC_DIMENSIONS} == {
        name: f"because of {name}" for name in CRITIC_DIMENSIONS
    }
    assert found.scored
    assert [dimension_in(texts[0]) for texts in seen] == list(CRITIC_DIMENSIONS)
    assert not any("because of" in text for texts in seen for text in texts)
    assert [(call.role, call.phase, call.outcome) for call in ledger.calls] == [("critic", "review", "ok")] * 3
    assert found.prompts == critic_prompts().hashes
    assert Review.from_bytes(found.to_bytes(), file="review.json") == found


def test_only_sources_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def said(texts: list[str], endpoint: str) -> str:
        seen.append(texts[1])
        return good(texts, endpoint)

    found = run(served(monkeypatch, said), subject_of(tmp_path))
    for prompt in seen:
        assert "return sum(numbers)" in prompt
        assert "return first + second" in prompt
        assert not any(word in prompt for word in ("# sums", "test_nothing", "python3 main.py"))
    assert found.golden.excluded == {"tests": 1}
    assert found.golden.languages == found.generated.languages == {"Python": 2}
    assert (found.semantic.golden.whole, found.semantic.generated.whole) == (2, 2)


def test_repeats_give_a_spread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([0.2, 0.4, 0.9] * 3)

    def said(texts: list[str], endpoint: str) -> str:
        score = next(scores)
        return verdict(mark_in(texts[1]), score, f"it is {score}")

    score = run(served(monkeypatch, said), subject_of(tmp_path), repeats=3).api
    assert score.planned == len(score.verdicts) == 3
    assert score.score == pytest.approx(0.5)
    assert score.sd == pytest.approx(0.360555, abs=1e-6)
    assert score.range == (0.2, 0.9)
    assert score.rationale == "it is 0.4"


def test_an_answer_that_is_none_is_asked_for_again_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []

    def said(texts: list[str], endpoint: str) -> str:
        seen.append(texts)
        return good(texts, endpoint) if len(texts) > 2 else "GARBLED, about 85 of 100"

    found = run(served(monkeypatch, said), subject_of(tmp_path))
    assert found.scored
    assert found.semantic.malformed == found.api.malformed == found.design.malformed == 1
    assert len(seen) == 6
    assert not any("GARBLED" in text for texts in seen for text in texts)
    assert mark_in(seen[1][1]) in seen[1][3]


def _output(**fields: Any) -> Any:
    from inspect_ai.model import ModelOutput

    return ModelOutput.from_content("m", fields.pop("text", ""), **fields)


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("prose", "malformed"),
        ("percent", "malformed"),
        ("nan", "malformed"),
        ("missing", "malformed"),
        ("cut off", "malformed"),
        ("obeys the tree", "malformed"),
        ("empty", "malformed"),
        ("refusal", "refused"),
        ("no choice", "refused"),
    ],
)
def test_what_is_never_a_verdict_ends_unscored_by_the_judges_fault(
    name: str, counted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.model import ModelOutput

    def said(texts: list[str], endpoint: str) -> Any:
        mark = mark_in(texts[1])
        whole = verdict(mark, 0.5)
        return {
            "prose": "A fine piece of work, nine out of ten.",
            "percent": verdict(mark, 85),
            "nan": whole.replace("0.5", "NaN"),
            "missing": f'{{"review": "{mark}", "rationale": "good"}}',
            "cut off": _output(text=whole[:-3], stop_reason="max_tokens"),
            "obeys the tree": verdict("0" * 32, 1.0),
            "empty": "",
            "refusal": _output(text="I can't help with that.", stop_reason="content_filter"),
            "no choice": ModelOutput(model="m"),
        }[name]

    ledger = Ledger.in_memory()
    found = run(served(monkeypatch, said), subject_of(tmp_path), ledger)
    assert not found.scored
    for dimension in CRITIC_DIMENSIONS:
        score = found.dimension(dimension)
        assert score.unscored is not None
        assert score.unscored.boundary == "judge"
        assert (score.score, score.sd, score.range, score.rationale) == (None, None, None, None)
        assert getattr(score, counted) == ATTEMPTS
    assert len(ledger.calls) == 3 * ATTEMPTS


def test_one_dimension_without_a_verdict_costs_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(texts: list[str], endpoint: str) -> str:
        return "no" if dimension_in(texts[0]) == "api" else good(texts, endpoint)

    found = run(served(monkeypatch, said), subject_of(tmp_path))
    assert [found.dimension(name).score for name in CRITIC_DIMENSIONS] == [0.75, None, 0.5]
    assert not found.scored


def test_a_repeat_without_a_verdict_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def said(texts: list[str], endpoint: str) -> str:
        nonlocal calls
        calls += 1
        return "no" if calls <= ATTEMPTS else good(texts, endpoint)

    score = run(served(monkeypatch, said), subject_of(tmp_path), repeats=2).semantic
    assert (score.planned, len(score.verdicts), score.score, score.unscored) == (2, 1, 0.75, None)


def _large(folder: Path) -> Subject:
    files = {f"m{number:02}.py": f"def f{number}():\n    return {number}\n" * 40 for number in range(40)}
    return subject_of(folder, {**files})


@pytest.mark.parametrize("signal", ["413", "400", "model_length"])
def test_an_oversized_prompt_is_packed_smaller_and_marks_no_endpoint_dead(
    signal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    answered: list[str] = []
    most = 25_000

    def said(texts: list[str], endpoint: str) -> Any:
        size = sum(len(text) for text in texts)
        sizes.append(size)
        if size > most:
            return (
                _output(text="too long", stop_reason="model_length")
                if signal == "model_length"
                else Status(int(signal))
            )
        answered.append(endpoint)
        return good(texts, endpoint)

    ledger = Ledger.in_memory()
    found = run(served(monkeypatch, said, endpoints=2), _large(tmp_path), ledger, budget=100_000)
    assert {name: found.dimension(name).score for name in CRITIC_DIMENSIONS} == SCORES
    assert found.semantic.oversized == sum(size > most for size in sizes) > 0
    # What was learnt is not paid for again.
    assert (found.api.oversized, found.design.oversized) == (0, 0)
    assert found.semantic.budget == found.api.budget < 100_000
    assert found.semantic.generated.left_out > 0
    assert set(found.semantic.generated.left_out_paths) <= {f"m{number:02}.py" for number in range(40)}
    assert set(answered) == {"0", "1"}
    assert all(call.cost in (None, 0.0) and call.retries == 0 for call in ledger.calls)


def test_a_model_that_takes_no_prompt_at_all_is_unscored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(served(monkeypatch, lambda texts, endpoint: Status(413)), _large(tmp_path))
    assert found.semantic.unscored is not None
    assert found.semantic.unscored.boundary == "judge"
    assert "too_large" in found.semantic.unscored.reason
    assert found.semantic.budget == LEAST_BUDGET


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_provider_that_fails_scores_nobody_and_its_words_are_not_passed_on(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("underspec.model.tap.FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr("underspec.model.tap.LONGEST_WAIT_SECONDS", 0.0)
    with pytest.raises(ModelServiceError) as caught:
        run(served(monkeypatch, lambda texts, endpoint: Status(status)), subject_of(tmp_path))
    assert "CONTENT-OF-THE-PROMPT" not in str(caught.value)


def test_a_deliverable_without_sources_scores_0_and_nobody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.in_memory()
    subject = subject_of(tmp_path, {"README.md": "all done, score 1.0", "tests/test_x.py": "pass\n"})
    found = run(served(monkeypatch, good), subject, ledger, repeats=3)
    assert found.nothing_generated
    assert found.scored
    assert [found.dimension(name).score for name in CRITIC_DIMENSIONS] == [0.0] * 3
    assert found.design.rationale == NOTHING
    assert not ledger.calls


def test_a_golden_tree_without_sources_is_the_tasks_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GoldenError, match="no Python source file"):
        run(served(monkeypatch, good), subject_of(tmp_path, golden={"README.md": "x"}))


def test_the_same_review_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = served(monkeypatch, good)
    reviews = [run(spec, subject_of(tmp_path / name, {**GENERATED}), repeats=2) for name in ("one", "other")]
    assert reviews[0].to_bytes() == reviews[1].to_bytes()
