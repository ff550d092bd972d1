"""The protocols end to end, in real sandboxes, with scripted models in every role."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scripts import shell, turn
from tests.clarify.runs import artifact, clarified, read, run, toy_context
from tests.clarify.scripts import ANSWERS, APPROVAL, FINISH, QUESTION, REPLY, SUBMIT, ask, write_tally
from tests.commission_factory import SERVE, SUM, TALLY
from tests.run.toy_agents import FunctionAgent, attempts_that_published, published
from underspec.agent.asking import ask_inside
from underspec.agent.protocol import Assignment
from underspec.artifact.context import FrozenContext
from underspec.artifact.judgements import Label
from underspec.errors import Boundary
from underspec.phase.freeze import CONTEXT_FILE
from underspec.report.document import report_document
from underspec.run.executor import status
from underspec.run.store import MAX_ATTEMPTS

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

RETURNED = '{"accurate": false, "complete": true, "in_scope": true, "reasons": "It is python3 and not python."}'
WRITES = "echo x > /workspace/new; rm -f /workspace/README.md; mkdir /workspace/d; echo tried"


def test_an_item_is_clarified_frozen_built_accepted_answered_and_judged(tmp_path: Path) -> None:
    drafts = [turn(text="Run python tally.py."), turn(text=REPLY, repeat=True)]
    verdicts = [turn(text=RETURNED), turn(text=f"```json\n{APPROVAL}\n```", repeat=True)]
    context, items = toy_context(
        tmp_path,
        {
            "usual": {},
            "revised": {"client": drafts, "supervisor": verdicts},
            "writes": {"clarifying": [shell(WRITES), turn(calls=ask()), turn(calls=FINISH)]},
        },
    )
    found = run(context, items)
    usual = clarified(found["usual"])
    assert usual.transcript is not None
    assert [one.reply for one in usual.transcript.rounds] == [REPLY]
    assert usual.transcript.finished
    assert usual.acceptance is not None
    assert usual.acceptance.passed
    assert usual.judgements is not None
    assert usual.judgements.score == 1.0
    assert usual.answers is not None
    assert [answer.unit for answer in usual.answers.answers] == [SUM, SERVE]
    frozen = FrozenContext.read(artifact(context, items["usual"], "freeze") / CONTEXT_FILE)
    assert [event.kind for event in frozen.events] == ["request", "tool", "question", "reply"]
    assert usual.answers.context == frozen.sha256
    # What was returned is the operator's to see, and nobody else's.
    revised = clarified(found["revised"])
    assert revised.transcript is not None
    (one,) = revised.transcript.rounds
    assert [draft.text for draft in one.drafts] == ["Run python tally.py.", REPLY]
    assert [draft.verdict.objections for draft in one.drafts] == [("accuracy",), ()]
    frozen = FrozenContext.read(artifact(context, items["revised"], "freeze") / CONTEXT_FILE)
    assert REPLY in frozen.render()
    assert "python tally.py." not in frozen.render()
    assert "python3 and not python" not in frozen.render()
    # The workspace cannot be written while one clarifies.
    frozen = FrozenContext.read(artifact(context, items["writes"], "freeze") / CONTEXT_FILE)
    assert "Read-only file system" in frozen.render()
    writes = clarified(found["writes"])
    assert writes.deliverable is not None
    assert writes.deliverable.sha256 == usual.deliverable.sha256  # type: ignore[union-attr]
    document = report_document("run", list(found.values()), comparable=False)
    assert (document["planned"], document["scored"], document["unscored"]) == (3, 3, {})
    figures = ("task_pass", "unit_pass", "clarification", "clarification_strict", "questions")
    assert [[row[name] for name in figures] for row in document["rows"]] == [[1.0, 1.0, 1.0, 1.0, 1]] * 3
    before = published(tmp_path / "run")
    run(context, items)
    assert published(tmp_path / "run") == before
    assert set(attempts_that_published(tmp_path / "run").values()) == {1}
    assert all(status(context, item).done for item in items.values())


def test_what_is_known_decides_by_information_and_who_asks_while_building(tmp_path: Path) -> None:
    knows_all = {"implementing": [shell("cat /root/request/start.md"), shell(write_tally()), turn(calls=SUBMIT)]}
    for information in ("none", "complete"):
        context, items = toy_context(tmp_path, {information: knows_all}, run=information, information=information)
        found = clarified(run(context, items)[information])
        assert found.transcript is None
        assert found.scored
        told = FrozenContext.read(artifact(context, items[information], "freeze") / CONTEXT_FILE).render()
        assert ("nothing sums to 0" in told) == (information == "complete")
        assert ("python3 tally.py FILE" in told) == (information == "complete")
        assert not (context.store.path / "items" / items[information].folder / "clarify").exists()
    both = [shell("echo draft > tally.py"), turn(calls=ask()), shell(write_tally()), turn(calls=SUBMIT)]
    context, items = toy_context(tmp_path, {"x": {"implementing": both}}, run="continued", protocol="continued")
    found = clarified(run(context, items)["x"])
    assert found.transcript is not None
    assert [one.question for one in found.transcript.rounds] == [QUESTION]
    assert found.scored
    assert found.acceptance is not None
    assert found.acceptance.passed
    frozen = FrozenContext.read(artifact(context, items["x"], "freeze") / CONTEXT_FILE)
    assert [event.kind for event in frozen.events] == ["request", "tool", "question", "reply", "tool"]


def test_failures_belong_to_whoever_failed(tmp_path: Path) -> None:
    half = '{"label": "partial"}'
    context, items = toy_context(
        tmp_path,
        {
            # The agent's: its phase ends, and what there is goes on.
            "refuses-to-ask": {"clarifying": [turn(text="No.", stop="content_filter")]},
            "builds-nothing": {"implementing": [turn(text="no"), turn(text="no"), turn(text="no")]},
            "answers-nothing": {"answering": [turn(text="", stop="content_filter")]},
            # Nobody's who is measured.
            "never-approved": {"supervisor": [turn(text=RETURNED, repeat=True)]},
            "babbling-judge": {"judge": [turn(text="I would say it is correct.", repeat=True)]},
            "fussy-judge": {"judge": [turn(text="hm"), turn(text=half, repeat=True)]},
        },
        most_revisions=0,
    )
    found = run(context, items)
    refused = clarified(found["refuses-to-ask"])
    assert refused.transcript is not None
    assert (refused.transcript.end.ended, refused.transcript.rounds, refused.transcript.finished) == (
        "failed",
        (),
        False,
    )
    assert refused.scored
    nothing = clarified(found["builds-nothing"])
    assert nothing.acceptance is not None
    assert not nothing.acceptance.passed
    assert nothing.acceptance.unit_rate.passed == 0
    assert found["builds-nothing"].scored
    silent = clarified(found["answers-nothing"])
    assert silent.judgements is not None
    assert [(unit.label, unit.reviews) for unit in silent.judgements.units] == [(Label.INCORRECT, ())] * 2
    assert not any(role == "judge" for role in found["answers-nothing"].spending)
    fussy = clarified(found["fussy-judge"]).judgements
    assert fussy is not None
    assert (fussy.score, fussy.strict) == (0.5, 0.0)
    boundaries = {name: each.boundary for name, each in found.items()}
    assert boundaries == {
        **dict.fromkeys(("refuses-to-ask", "builds-nothing", "answers-nothing", "fussy-judge")),
        "never-approved": Boundary.STAKEHOLDER,
        "babbling-judge": Boundary.JUDGE,
    }
    # A branch goes on whatever becomes of the other.
    babbled = clarified(found["babbling-judge"])
    assert babbled.acceptance is not None
    assert babbled.acceptance.passed
    assert found["babbling-judge"].attempts["judge"] == MAX_ATTEMPTS
    document = report_document("run", list(found.values()), comparable=False)
    assert (document["planned"], document["scored"]) == (6, 4)
    assert document["unscored"] == {"judge": 1, "stakeholder": 1}
    assert all(status(context, item).done for item in items.values())


@pytest.mark.proof
def test_a_native_history_is_gone_on_from_only_where_the_condition_says_so(tmp_path: Path) -> None:
    thought = [turn(calls=ask(), reasoning="A private thought."), turn(calls=FINISH)]
    # In the frozen context there is no line of the agent's own; in its history there is.
    heard: list[dict[str, Any]] = [
        turn(calls=SUBMIT, when={"anywhere": "nothing sums to 0", "last": "hand it over with the tool"}),
    ]
    script = {"clarifying": thought, "implementing": heard}
    for native in (False, True):
        context, items = toy_context(tmp_path, {"x": script}, run=f"run-{native}", native_history=native)
        found = clarified(run(context, items)["x"])
        assert found.scored
        folder = artifact(context, items["x"], "clarify")
        assert (folder / "history.json").exists() == native
        frozen = (artifact(context, items["x"], "freeze") / CONTEXT_FILE).read_text()
        assert "private thought" not in frozen
        basis = json.loads((artifact(context, items["x"], "implement") / "basis.json").read_text())
        assert (basis["history"] is not None) == native
        if native:
            assert "private thought" in (folder / "history.json").read_text()


def test_an_agent_without_a_model_asks_over_the_channel_and_has_nothing_to_answer(tmp_path: Path) -> None:
    seen: list[bool] = []

    async def work(assignment: Assignment) -> None:
        seen.append(assignment.read_only)
        if assignment.ask_url is not None:
            reply = await ask_inside(assignment.sandbox, assignment.ask_url, QUESTION, request_id="1")
            again = await ask_inside(assignment.sandbox, assignment.ask_url, QUESTION, request_id="1")
            assert (reply.text, reply.remaining, again.text) == (REPLY, None, REPLY)
            await assignment.sandbox.exec(["bash", "-c", _post("finish_clarification")])
        else:
            await assignment.sandbox.put("/workspace/tally.py", TALLY.encode())
            await assignment.sandbox.exec(["bash", "-c", _post("submit_delivery")])
        await assignment.sandbox.exec(["sleep", "600"])

    context, items = toy_context(tmp_path, {"x": {}}, agent=FunctionAgent("program", work))
    items["x"] = items["x"].model_copy(update={"condition": items["x"].condition.model_copy(update={"model": None})})
    context.store.add_items(list(items.values()))
    found = clarified(run(context, items)["x"])
    assert seen == [True, False]
    assert found.transcript is not None
    assert found.transcript.finished
    assert len(found.transcript.rounds) == 1
    assert found.acceptance is not None
    assert found.acceptance.passed
    assert found.judgements is not None
    assert found.judgements.score == 0.0


def _post(name: str) -> str:
    return (
        "exec 3<>/dev/tcp/127.0.0.1/8077; "
        f"printf 'POST /{name} HTTP/1.0\\r\\nContent-Length: 0\\r\\n\\r\\n' >&3; cat <&3"
    )


def test_a_changed_prompt_or_context_makes_later_phases_stale_or_anew(tmp_path: Path) -> None:
    context, items = toy_context(tmp_path, {"x": {}})
    before = clarified(run(context, items)["x"])
    # The same condition in another image of the same name: what was paid for stays, and is shown as stale.
    context.image_digests = {"host": "host:another"}
    where = status(context, items["x"])
    assert where.stale == ("clarify", "implement")
    found = run(context, items)["x"]
    assert found.stale
    assert clarified(found).deliverable == before.deliverable
    # Acceptance costs no model, and is done again by itself.
    assert len(context.store.phase(items["x"], "accept").artifacts()) == 2
    context.redo = frozenset({"clarify"})
    run(context, items)
    assert len(context.store.phase(items["x"], "clarify").artifacts()) == 2
    # It said the same as before, so the context is the same, and so is what was made of it.
    assert len(context.store.phase(items["x"], "freeze").artifacts()) == 1
    assert len(context.store.phase(items["x"], "implement").artifacts()) == 1


@pytest.mark.proof
def test_another_context_is_never_joined_to_what_was_made_of_an_earlier_one(tmp_path: Path) -> None:
    context, items = toy_context(tmp_path, {"x": {}})
    run(context, items)
    # Another reply makes another context; script and condition keep their names, so this is the same item.
    toy_context(tmp_path, {"x": {"client": [turn(text="It adds numbers.", repeat=True)]}})
    context.redo = frozenset({"clarify"})
    found = read(context, items)["x"]
    assert found.scored
    after = clarified(run(context, items)["x"])
    assert after.transcript is not None
    assert [one.reply for one in after.transcript.rounds] == ["It adds numbers."]
    for phase in ("freeze", "implement", "answer", "judge"):
        assert len(context.store.phase(items["x"], phase).artifacts()) == 2
    assert after.answers is not None
    assert after.answers.answers[0].text in ANSWERS
