"""Runs on disk with everything that an export has; nothing is run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.report.human.study_sample import begin_run, publish, review_of
from underspec.artifact.acceptance import Acceptance, AcceptanceEnd, AcceptanceTest, TestVerdict, UnitOutcome
from underspec.artifact.answers import Answers, UnitAnswer
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.clarification import Draft, Round, Transcript, Ungrounded, Verdict
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.judgements import Judgements, Label, Review, UnitJudgement
from underspec.artifact.ledger import ModelCall
from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes
from underspec.artifact.session import HiddenPoint, SessionLog, Turn
from underspec.artifact.structure import Overlap, Structure, TreeSize
from underspec.phase.accept import ACCEPTANCE_FILE
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE, SESSION_FILE
from underspec.phase.clarify import TRANSCRIPT_FILE
from underspec.phase.grade import OUTCOMES_FILE
from underspec.phase.judge import JUDGEMENTS_FILE
from underspec.phase.review import REVIEW_FILE
from underspec.phase.structure import STRUCTURE_FILE
from underspec.run.item import Item
from underspec.run.store import PhaseFolder, RunStore

DELIVERED = Deliverable(sha256="d" * 64, files=3, bytes=120)
HIDDEN = {
    "record": "the-record-C007",
    "category": "a-secret-category",
    "file": "hidden-feature-file",
    "reply": "the-authored-reply-is-secret",
    "draft": "the-draft-is-secret",
    "reason": "the-supervisors-reason-is-secret",
    "judge": "the-judges-reason-is-secret",
    "critic": "the-critics-rationale-is-secret",
    "test": "tests.secret::test_hidden_rule",
    "answer": "the-answer-restates-the-secret",
    "question": "is-it-true-that-the-secret",
}
"""What a public export must not have, by where it stands."""


def attempt(
    phase: PhaseFolder, key: str, *, number: int = 1, begin: float = 1000.0, seconds: float = 90.0, calls: Any = ()
) -> None:
    """An attempt that published ``key``, with its ledger."""
    folder = phase.path / "attempts" / str(number)
    folder.mkdir(parents=True)
    events = [{"time": begin, "event": "started"}, {"time": begin + seconds, "event": "published", "key": key}]
    (folder / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    if calls:
        (folder / "ledger.jsonl").write_bytes(b"".join(call.to_bytes() for call in calls))


def call(number: int, phase: str, role: str = "builder", **fields: Any) -> ModelCall:
    """One answered call."""
    used = {"input": 100, "output": 20, "cache_read": 5, "seconds": 1.5, "cost": 0.25, "outcome": "ok", **fields}
    return ModelCall(number=number, role=role, phase=phase, model="maker/m-1", **used)


def outcomes(task: str, passed: int, cases: int) -> Outcomes:
    """``cases`` native cases, the first of them also public, and one enhanced case."""

    def case(suite: str, place: int, *, hidden: bool) -> GradedCase:
        return GradedCase.model_validate(
            {
                "suite": suite,
                "file": HIDDEN["file"] if hidden else "shown",
                "index": place,
                "outcome": CaseOutcome.PASS if place < passed else CaseOutcome.MISMATCH,
                "hidden": hidden,
            }
        )

    native = [case("native", place, hidden=place > 0) for place in range(cases)]
    made = (case("public", 0, hidden=False), *native, case("enhanced", cases, hidden=True))
    return Outcomes(task=task, task_digest="t" * 64, deliverable="d" * 64, image="host:x", cases=made, suites=())


def session(task: str, questions: int) -> SessionLog:
    """A session whose every second question found a record."""
    turns = [
        Turn(
            number=number,
            question=HIDDEN["question"],
            reply=HIDDEN["reply"],
            matched=(HIDDEN["record"],) if number % 2 else (),
            fallback=not number % 2,
            remaining=16 - number,
        )
        for number in range(1, questions + 1)
    ]
    point = HiddenPoint(id=HIDDEN["record"], kind="constraint", category=HIDDEN["category"])
    return SessionLog(
        task=task, level="L1", router="embedded", budget=16, hidden_ids=(point.id,), points=(point,), turns=tuple(turns)
    )


def structure_of() -> Structure:
    """A comparison that is half alike."""
    size = TreeSize(language="Python", files=2, loc=10, classes=2, methods=2, namespaces=1)
    overlap = {name: Overlap(golden=2, generated=2, common=1) for name in ("class_like", "method", "method_qualified")}
    fields: dict[str, Any] = {
        "golden": size,
        "generated": size,
        "normalized": False,
        "overlap": {**overlap, "namespace": Overlap(golden=1, generated=1, common=1)},
    }
    if "deliverable" in Structure.model_fields:
        fields["deliverable"] = DELIVERED.sha256
    return Structure(**fields)


def built(store: RunStore, item: Item, *, passed: int, cases: int, questions: int, calls: int) -> None:
    """An item of the protocol ``build`` with all that can be there."""
    end = BuildEnd(agent=item.condition.agent, agent_version="1", ended="done")
    asked = session(item.task, questions)
    publish(
        store,
        item,
        "build",
        {BUILD_FILE: end.to_bytes(), DELIVERABLE_FILE: DELIVERED.to_bytes(), SESSION_FILE: asked.to_bytes()},
        "b",
    )
    ledger = [call(number, "build") for number in range(1, calls + 1)]
    attempt(store.phase(item, "build"), "b" * 64, calls=ledger)
    publish(store, item, "grade", {OUTCOMES_FILE: outcomes(item.task, passed, cases).to_bytes()}, "c")
    attempt(store.phase(item, "grade"), "c" * 64)
    review = review_of(item.task, DELIVERED.sha256, {"semantic": 0.5, "api": 0.25, "design": 0.75})
    spoken = {
        name: review.dimension(name).model_copy(
            update={
                "verdicts": (review.dimension(name).verdicts[0].model_copy(update={"rationale": HIDDEN["critic"]}),)
            }
        )
        for name in ("semantic", "api", "design")
    }
    publish(store, item, "review", {REVIEW_FILE: review.model_copy(update=spoken).to_bytes()}, "e")
    attempt(store.phase(item, "review"), "e" * 64, calls=[call(1, "review", "critic", cost=0.5)])
    publish(store, item, "structure", {STRUCTURE_FILE: structure_of().to_bytes()}, "f")
    attempt(store.phase(item, "structure"), "f" * 64)


def clarified(store: RunStore, item: Item) -> None:
    """An item that clarifies: one round with a returned draft, two units of which one passes."""
    end = BuildEnd(agent=item.condition.agent, agent_version="1", ended="done")
    drafts = (
        Draft(text=HIDDEN["draft"], verdict=Verdict(objections=("accuracy", "scope"), reasons=HIDDEN["reason"])),
        Draft(text=HIDDEN["reply"], verdict=Verdict()),
    )
    said = Round(
        number=1,
        question=HIDDEN["question"],
        reply=HIDDEN["reply"],
        drafts=drafts,
        ungrounded=(Ungrounded(kind="number", text="7"),),
    )
    transcript = Transcript(task=item.task, most_rounds=None, most_revisions=3, rounds=(said,), finished=True, end=end)
    publish(store, item, "clarify", {TRANSCRIPT_FILE: transcript.to_bytes()}, "a")
    attempt(store.phase(item, "clarify"), "a" * 64, calls=[call(1, "clarify"), call(2, "clarify", "client")])
    publish(store, item, "freeze", {"context.json": b"{}"}, "1")
    publish(store, item, "implement", {BUILD_FILE: end.to_bytes(), DELIVERABLE_FILE: DELIVERED.to_bytes()}, "2")
    attempt(store.phase(item, "implement"), "2" * 64, calls=[call(1, "implement")])
    acceptance = Acceptance(
        task=item.task,
        task_digest="t" * 64,
        deliverable=DELIVERED.sha256,
        image="host:x",
        tests=(
            AcceptanceTest(id="t::one", verdict=TestVerdict.PASSED),
            AcceptanceTest(id=HIDDEN["test"], verdict=TestVerdict.FAILED),
        ),
        units=(UnitOutcome(id="RU-1", passed=True), UnitOutcome(id="RU-2", passed=False, failed=(HIDDEN["test"],))),
        end=AcceptanceEnd(exit_code=1),
    )
    publish(store, item, "accept", {ACCEPTANCE_FILE: acceptance.to_bytes()}, "3")
    answers = Answers(
        task=item.task,
        context="c" * 64,
        answers=tuple(UnitAnswer(unit=unit, text=HIDDEN["answer"]) for unit in ("RU-1", "RU-2")),
        end=end,
    )
    publish(store, item, "answer", {ANSWERS_FILE: answers.to_bytes()}, "4")
    labels = {"RU-1": [Label.CORRECT], "RU-2": [Label.PARTIAL, Label.INCORRECT, Label.PARTIAL]}
    judgements = Judgements(
        task=item.task,
        answers=sha256_hex(answers.to_bytes()),
        units=tuple(
            UnitJudgement.of(unit, [Review(label=each, reason=HIDDEN["judge"]) for each in found])
            for unit, found in labels.items()
        ),
    )
    publish(store, item, "judge", {JUDGEMENTS_FILE: judgements.to_bytes()}, "5")
    attempt(store.phase(item, "judge"), "5" * 64, calls=[call(1, "judge", "judge")])


def build_run(
    folder: Path,
    conditions: Sequence[Condition],
    tasks: Sequence[str],
    *,
    cases: int = 4,
    questions: int = 2,
    calls: int = 0,
    unfinished: Sequence[str] = (),
) -> Path:
    """A run of the protocol ``build``; tasks that are ``unfinished`` are planned only."""
    items = [Item(task=task, condition=each, epoch=1) for each in conditions for task in tasks]
    store = begin_run(folder, items)
    for place, item in enumerate(items):
        if item.task not in unfinished:
            built(store, item, passed=place % (cases + 1), cases=cases, questions=questions, calls=calls)
    return folder


def clarify_run(folder: Path, tasks: Sequence[str] = ("tool-lending",)) -> Path:
    """A run that clarifies first."""
    condition = Condition(agent="react", model="maker/m-1", protocol="clarify-first", judge_model="maker/j")
    items = [Item(task=task, condition=condition, epoch=1) for task in tasks]
    store = begin_run(folder, items)
    for item in items:
        clarified(store, item)
    return folder
