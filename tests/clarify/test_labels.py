"""Labels after a run: by models, by hand, and what they are joined to."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import turn, write_script
from tests.clarify.runs import artifact, clarified, read, run, toy_context
from tests.clarify.scripts import APPROVAL, FINISH, REPLY, ask
from tests.commission_factory import SERVE, SUM
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.clarification import Draft, Round, Transcript, Verdict
from underspec.artifact.labels import DisclosureLabels, ManualLabels, ReplyLabels
from underspec.errors import StoreError, UsageError
from underspec.measure.conversation import supervisor_transitions
from underspec.model.spec import make_spec
from underspec.run.labels import import_labels, item_labels, label_item, manual_labels

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

RETURNED = '{"accurate": false, "complete": true, "in_scope": true, "reasons": "no"}'
ASSESSOR = {"anywhere": "You check replies that were given"}
ANNOTATOR = {"anywhere": "You note what one reply discloses"}


@pytest.fixture
def labelled(tmp_path: Path) -> tuple[Any, Any, Any]:
    """An item with two rounds, the first of which was revised, and a model that labels."""
    roles = {
        "clarifying": [turn(calls=ask("one?")), turn(calls=ask("two?")), turn(calls=FINISH)],
        "client": [turn(text="A wrong draft."), turn(text=REPLY, repeat=True)],
        "supervisor": [turn(text=RETURNED), turn(text=APPROVAL, repeat=True)],
        "judge": [turn(text='{"label": "correct"}'), turn(text='{"label": "partial"}', repeat=True)],
    }
    context, items = toy_context(tmp_path, {"x": roles}, judge_reviews=2)
    run(context, items)
    turns = [
        turn(when={**ASSESSOR, "last": "A wrong draft."}, text='{"correct": false, "reason": "it is wrong"}'),
        turn(when=ASSESSOR, text='{"correct": true, "reason": ""}', repeat=True),
        turn(when={**ANNOTATOR, "last": "adding up"}, text='```\n{"disclosure": "complete"}\n```'),
        turn(when=ANNOTATOR, text='{"disclosure": "none"}', repeat=True),
    ]
    model = make_spec(write_script(tmp_path / "labels.jsonl", turns))
    return context, items, model


def test_models_label_what_was_said_and_hands_stand_above_them(labelled: tuple[Any, Any, Any], tmp_path: Path) -> None:
    context, items, model = labelled
    item, store, task = items["x"], context.store, context.tasks["toy-tally"]
    for role in ("assessor", "annotator", "assessor"):
        assert asyncio.run(label_item(context, item, role, model)) is not None
    # What was labelled is not labelled again.
    assert len(store.phase(item, "assess").attempts()) == 1
    found = item_labels(store, item, task)
    assert found is not None
    assert found.replies is not None
    assert [(each.round, each.first, each.final) for each in found.replies.labels] == [
        (1, False, True),
        (2, True, True),
    ]
    assert found.replies.revised(found.transcript) == [(False, True)]
    assert supervisor_transitions(found.replies.revised(found.transcript)).corrected == 1
    assert found.disclosures is not None
    assert found.disclosures.first_complete() == {SUM: 1, SERVE: None}
    # Two reviews differ, so the first unit has no label, and the item no score.
    before = read(context, items)["x"]
    assert before.boundary == "judge"
    assert before.unscored is not None
    assert SUM in before.unscored.reason
    answers = sha256_hex((artifact(context, item, "answer") / "answers.json").read_bytes())
    by = {"by": "somebody", "reason": "read again"}
    labels = tmp_path / "labels.json"
    hands: dict[str, list[dict[str, Any]]] = {
        "adjudications": [{"answers": answers, "unit": SUM, "label": "correct", **by}],
        "replies": [{"transcript": found.digest, "round": 1, "which": "final", "correct": False, **by}],
        "disclosures": [{"transcript": found.digest, "round": 2, "unit": SERVE, "disclosure": "complete", **by}],
    }
    labels.write_text(json.dumps(hands))
    import_labels(store, labels)
    again = item_labels(store, item, task)
    assert again is not None
    assert again.replies is not None
    assert again.disclosures is not None
    assert again.replies.revised(again.transcript) == [(False, False)]
    assert again.disclosures.first_complete() == {SUM: 1, SERVE: 2}
    after = read(context, items)["x"]
    assert after.scored
    judged = clarified(after).judgements
    assert judged is not None
    assert (judged.score, judged.strict) == (0.75, 0.5)
    assert judged.units[0].disputed
    # What is said again replaces what was said; other labels stay.
    labels.write_text(json.dumps({"adjudications": [{**hands["adjudications"][0], "label": "incorrect"}]}))
    import_labels(store, labels)
    kept = manual_labels(store.path)
    assert ([each.label for each in kept.adjudications], len(kept.replies)) == (["incorrect"], 1)
    for wrong in (
        {"adjudications": [{"answers": answers, "unit": "RU-none", "label": "correct", **by}]},
        {"adjudications": [{"answers": "0" * 64, "unit": SUM, "label": "correct", **by}]},
        {"replies": [{"transcript": found.digest, "round": 9, "which": "final", "correct": True, **by}]},
    ):
        labels.write_text(json.dumps(wrong))
        with pytest.raises(UsageError, match="the run has no"):
            import_labels(store, labels)
    labels.write_text('{"replies": [{"round": 1}]}')
    with pytest.raises(StoreError, match=r"replies\[0\]"):
        import_labels(store, labels)
    # Without any model, labels by hand are labels all the same.
    shutil.rmtree(store.phase(item, "annotate").path)
    alone = item_labels(store, item, task)
    assert alone is not None
    assert alone.disclosures is not None
    assert alone.disclosures.first_complete() == {SUM: None, SERVE: 2}


def one_round(number: int, *, revised: bool) -> Round:
    good = Draft(text="good", verdict=Verdict())
    bad = Draft(text="bad", verdict=Verdict(objections=("scope",)))
    return Round(number=number, question="q", reply="good", drafts=(bad, good) if revised else (good,))


def test_an_unrevised_reply_has_one_label_for_both() -> None:
    from underspec.artifact.build import BuildEnd

    end = BuildEnd(agent="a", agent_version="1", ended="done")
    rounds = (one_round(1, revised=False), one_round(2, revised=True))
    transcript = Transcript(task="t", most_rounds=None, most_revisions=3, rounds=rounds, finished=True, end=end)
    fields = {"transcript": "d" * 64, "by": "x", "correct": False}
    hands = ManualLabels.model_validate(
        {"replies": [{"round": 1, "which": "final", **fields}, {"round": 2, "which": "first", **fields}]}
    )
    empty = ReplyLabels(task="t", transcript="d" * 64, labels=())
    joined = hands.on_replies(empty, transcript)
    assert [(each.round, each.first, each.final) for each in joined.labels] == [(1, False, False), (2, False, None)]
    other = ReplyLabels(task="t", transcript="e" * 64, labels=())
    assert hands.on_replies(other, transcript) == other


def test_later_and_partial_disclosures_do_not_count_twice() -> None:
    said = [
        (3, "A", "complete"),
        (1, "A", "partial"),
        (2, "A", "complete"),
        (1, "B", "uncertain"),
        (1, "C", "complete"),
    ]
    labels = DisclosureLabels.model_validate(
        {
            "task": "t",
            "transcript": "d" * 64,
            "hidden": ["A", "B"],
            "labels": [{"round": number, "unit": unit, "disclosure": what} for number, unit, what in said],
        }
    )
    assert labels.first_complete() == {"A": 2, "B": None}
