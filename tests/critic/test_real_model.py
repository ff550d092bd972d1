"""A real model, small and weak, as a critic: whatever it says ends as a score or as unscored."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.critic.models import critic_of, subject_of
from tests.model.local import KEY_VARIABLE, NAME, serving, skip_unless_installed
from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.model.ledger import Ledger
from underspec.model.spec import make_spec

pytest.importorskip("inspect_ai")


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_real_model_reviews_two_trees_and_one_that_is_too_large_is_packed_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_unless_installed()
    monkeypatch.setenv(KEY_VARIABLE, "none")
    monkeypatch.setattr("underspec.grade.critic.critic.ATTEMPTS", 2)  # it is slow, and says the same again
    large = {f"m{number:02}.py": f"def f{number}(value):\n    return value + {number}\n" * 60 for number in range(30)}

    async def main(url: str) -> None:
        spec = make_spec(
            NAME,
            endpoints=[{"base_url": url, "key_env": KEY_VARIABLE}],
            options={"max_tokens": 100, "temperature": 0.0},
        )
        ledger = Ledger.in_memory()
        small = await critic_of(spec, ledger).review(subject_of(tmp_path / "small"))
        wide = await critic_of(spec, ledger).review(subject_of(tmp_path / "large", {**large}))
        for review in (small, wide):
            for name in CRITIC_DIMENSIONS:
                score = review.dimension(name)
                print(name, score.score, score.malformed, score.oversized, score.budget, score.rationale)
                assert (score.score is None) == (score.unscored is not None)
                if score.unscored is not None:
                    assert score.unscored.boundary == "judge"
                    assert score.malformed + score.refused > 0
        assert small.semantic.oversized == 0
        assert wide.semantic.oversized > 0
        assert wide.semantic.generated.left_out > 0
        # Prompts that were not taken are no failures of the endpoint: it was asked on.
        assert {call.outcome for call in ledger.calls} <= {"ok", "error"}
        assert {call.error for call in ledger.calls if call.outcome == "error"} <= {"bad_request", "too_large"}
        print(
            [
                (call.outcome, call.error, call.stop_reason, call.input, call.output, round(call.seconds, 1))
                for call in ledger.calls
            ]
        )

    with serving(tmp_path, context=4096) as url:
        asyncio.run(main(url))
