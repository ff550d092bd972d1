"""A run on disk that has a bit of everything, made without running anything: for the tests of the site.

Everything hidden in it is unmistakable. Two tasks: cases that some agents fail, with a session; and a commission with
drafts, reasons, private tests, answers and labels. Hostile text stands wherever agents and models may write.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from tests.commission_factory import ALL_TESTS, SERVE, SERVE_TESTS, SUM, SUM_TESTS, make_commission, unit
from tests.report.html_sample import HOSTILE, MANIFEST, failures_of, outcomes_of, secret_task, session_of
from tests.task_factory import GOLDEN_NAME, MEAN
from underspec.artifact.acceptance import (
    Acceptance,
    AcceptanceEnd,
    AcceptanceFailures,
    AcceptanceTest,
    FailedTest,
    TestVerdict,
    UnitOutcome,
)
from underspec.artifact.answers import Answers, UnitAnswer
from underspec.artifact.base import Artifact
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.clarification import Draft, FailedRound, Round, Transcript, Ungrounded, Verdict
from underspec.artifact.condition import Condition
from underspec.artifact.context import FrozenContext, QuestionEvent, ReplyEvent, RequestEvent
from underspec.artifact.deliverable import Deliverable, DroppedEntry
from underspec.artifact.judgements import Judgements, Label, Review, UnitJudgement
from underspec.artifact.labels import DisclosureLabel, DisclosureLabels, ReplyLabel, ReplyLabels
from underspec.artifact.ledger import ModelCall
from underspec.artifact.outcomes import CaseOutcome, Unscored
from underspec.artifact.review import CriticScore, Shown, TreeRead
from underspec.artifact.review import Review as CriticReview
from underspec.artifact.review import Verdict as CriticVerdict
from underspec.artifact.structure import DIMENSIONS, Overlap, Structure, TreeSize
from underspec.errors import Boundary
from underspec.run.item import Item
from underspec.run.manifest import FILE
from underspec.run.store import MAX_ATTEMPTS, Choice, RunStore
from underspec.task import release
from underspec.task.load import load_task
from underspec.task.model import Task

REPLY = "the-reply-of-a-record-5150 says how sums are printed here"
DRAFT = "the-draft-that-was-returned-6160"
REASON = "the-reason-of-the-supervisor-7170"
CLIENT = "the-clients-own-words-8180"
QUESTION = "the-question-of-the-unit-9190, what is wanted of it?"
ANSWER = "the-reference-answer-1210, as it was written down"
REQUIREMENT = "the-requirement-of-the-unit-2220, in full"
SAID = "the-agents-answer-3230"
JUDGED = "the-judges-reason-4240"
RATIONALE = "the-rationale-of-the-critic-5250"
MESSAGE = "the-message-of-a-private-test-6260"
HIDDEN = (REPLY, DRAFT, REASON, CLIENT, QUESTION, ANSWER, REQUIREMENT, SAID, JUDGED, RATIONALE, MESSAGE)
"""What nobody but the operator may read, beside what stands in the tasks themselves."""
ASKED = "How is a sum printed?"


class Sample:
    """The run's folder, and its tasks' folders by id."""

    def __init__(self, folder: Path):
        self.cases = secret_task(folder / "cases")
        self.commission = load_task(_commission(folder / "commission"))
        self.tasks = {task.id: task.path for task in (self.cases, self.commission)}
        self.run = folder / "a-run"
        self.store = RunStore(self.run)
        (self.run / "items").mkdir(parents=True)
        digests = {task.id: task.digest for task in (self.cases, self.commission)}
        (self.run / FILE).write_text(tomli_w.dumps({**MANIFEST, "name": "a-run", "tasks": digests}))
        self.right = self._built("right", lambda *_: CaseOutcome.PASS)
        self.wrong = self._built("wrong", _mostly_wrong, hostile=True)
        self.late = self._built("wrong", None, epoch=2)
        self.ground = self._built("right", lambda *_: CaseOutcome.PASS, exposure="ground")
        self.clear = self._clarified()

    def _built(self, agent: str, verdict: Any, *, epoch: int = 1, hostile: bool = False, **fields: Any) -> Item:
        item = Item(task=self.cases.id, condition=Condition(agent=agent, model=f"m/{agent}", **fields), epoch=epoch)
        self.store.add_items([item])
        detail = "\n".join(HOSTILE) if hostile else ""
        end = BuildEnd(agent=agent, agent_version="1", ended="failed" if hostile else "done", detail=detail)
        deliverable = Deliverable(
            sha256=sha256_hex(item.id.encode()),
            files=3,
            bytes=4567,
            dropped=tuple(DroppedEntry(path=path, reason="socket") for path in (HOSTILE if hostile else ())),
        )
        questions = [(ASKED, REPLY), ("Is this right: " + REPLY, "Yes.")]
        questions += [(text, text) for text in HOSTILE] if hostile else []
        session = session_of(questions, task=self.cases.id)
        made: dict[str, Artifact] = {"build.json": end, "deliverable.json": deliverable, "session.json": session}
        self._publish(item, "build", made, calls=2)
        if verdict is None:
            for _ in range(MAX_ATTEMPTS):
                self._fail(item, "grade", f"{self.run}/place: the engine went away")
            return item
        outcomes = outcomes_of(self.cases, verdict, notes=HOSTILE if hostile else ())
        outcomes = outcomes.model_copy(update={"deliverable": deliverable.sha256})
        failures = failures_of(outcomes, _printed)
        failures = failures.model_copy(update={"deliverable": deliverable.sha256})
        self._publish(item, "grade", {"outcomes.json": outcomes, "failures.json": failures})
        self._publish(item, "structure", {"structure.json": _structure(deliverable.sha256)})
        self._publish(item, "review", {"review.json": _review(self.cases, deliverable.sha256)}, calls=1)
        return item

    def _clarified(self) -> Item:
        model = {"model": "m/talker", "stakeholder_model": "m/client", "judge_model": "m/judge"}
        item = Item(
            task=self.commission.id,
            condition=Condition(agent="talker", protocol="clarify-first", **model),
            epoch=1,
        )
        self.store.add_items([item])
        transcript = _transcript(self.commission.id)
        request = release.request_text(self.commission, "L1")
        context = FrozenContext(
            task=self.commission.id,
            events=(
                RequestEvent(text=request),
                QuestionEvent(number=1, text=ASKED),
                ReplyEvent(number=1, text=CLIENT),
            ),
        )
        self._publish(item, "clarify", {"transcript.json": transcript}, calls=2)
        self._publish(item, "freeze", {"context.json": context})
        deliverable = Deliverable(sha256="e" * 64, files=1, bytes=10)
        end = BuildEnd(agent="talker", agent_version="2", ended="done")
        self._publish(item, "implement", {"build.json": end, "deliverable.json": deliverable}, calls=1)
        accepted = {
            "acceptance.json": _acceptance(self.commission, deliverable.sha256),
            "acceptance-failures.json": AcceptanceFailures(
                task=self.commission.id,
                deliverable=deliverable.sha256,
                tests=(FailedTest(id=SUM_TESTS[0], verdict=TestVerdict.FAILED, message=MESSAGE),),
            ),
        }
        self._publish(item, "accept", accepted)
        answers = Answers(
            task=self.commission.id,
            context=context.sha256,
            answers=(UnitAnswer(unit=SUM, text=SAID), UnitAnswer(unit=SERVE, text="")),
            besides="\n".join(HOSTILE),
            end=end,
        )
        self._publish(item, "answer", {"answers.json": answers}, calls=1)
        judgements = Judgements(
            task=self.commission.id,
            answers=sha256_hex(answers.to_bytes()),
            units=(
                UnitJudgement.of(SUM, [Review(label=Label.PARTIAL, reason=JUDGED)]),
                UnitJudgement.of(SERVE, [Review(label=Label.INCORRECT, reason=JUDGED)]),
            ),
        )
        self._publish(item, "judge", {"judgements.json": judgements}, calls=1)
        digest = sha256_hex(transcript.to_bytes())
        replies = ReplyLabels(
            task=self.commission.id,
            transcript=digest,
            labels=(ReplyLabel(round=1, first=False, final=True, reason=JUDGED),),
        )
        disclosed = DisclosureLabels(
            task=self.commission.id,
            transcript=digest,
            hidden=(SUM, SERVE),
            labels=(DisclosureLabel(round=1, unit=SUM, disclosure="complete"),),
        )
        self._publish(item, "assess", {"reply-labels.json": replies})
        self._publish(item, "annotate", {"disclosures.json": disclosed})
        return item

    def _publish(self, item: Item, name: str, files: Mapping[str, Artifact], *, calls: int = 0) -> None:
        phase, key = self.store.phase(item, name), sha256_hex(name.encode())
        artifact, attempt = phase.path / key, phase.path / "attempts" / "1"
        artifact.mkdir(parents=True)
        attempt.mkdir(parents=True)
        for file, part in files.items():
            (artifact / file).write_bytes(part.to_bytes())
        phase.choose(Choice(key=key, stale=name == "build" and item.condition.agent == "wrong"))
        events = [{"time": 1000.0, "event": "started"}, {"time": 1090.0, "event": "published", "key": key}]
        (attempt / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
        role = {"judge": "judge", "review": "critic"}.get(name, "builder")
        used: dict[str, Any] = {"input": 1000, "output": 200, "seconds": 3, "cost": 0.02}
        ledger = [
            ModelCall(number=number, role=role, phase=name, model="m", outcome="ok", **used)
            for number in range(1, calls + 1)
        ]
        (attempt / "ledger.jsonl").write_bytes(b"".join(call.to_bytes() for call in ledger))

    def _fail(self, item: Item, name: str, reason: str) -> None:
        phase, key = self.store.phase(item, name), sha256_hex(name.encode())
        number = len(phase.attempts()) + 1
        attempt = phase.path / "attempts" / str(number)
        attempt.mkdir(parents=True)
        (attempt / "key").write_text(key)
        (attempt / "error.json").write_text(json.dumps({"boundary": "sandbox", "reason": reason, "kind": "X"}))
        phase.choose(Choice(key=key, stale=False))


def _mostly_wrong(suite: str, stem: str, index: int) -> CaseOutcome:
    kinds = [CaseOutcome.MISMATCH, CaseOutcome.MISSING, CaseOutcome.OVERSIZE, CaseOutcome.PASS]
    return kinds[index % len(kinds)]


def _printed(suite: str, stem: str, index: int) -> bytes:
    """What a wrong deliverable prints; of one public case it is what a reply had said. Others quote no reply, though
    replies hold longer hostile texts."""
    said = REPLY if suite == "public" and stem == MEAN else "\n".join(text for text in HOSTILE if len(text) < 24)
    return f"{said} {index}\r\n".encode()


def _commission(folder: Path) -> Path:
    told = {"requirement": REQUIREMENT, "question": QUESTION, "answer": ANSWER}
    units = [{**unit(SUM, "sums", SUM_TESTS), **told}, {**unit(SERVE, "totals", SERVE_TESTS), **told}]
    template = "What must the software do about {topic}?"
    file = {"canary": "a-canary-of-the-units-9999", "question": template, "units": units}
    return make_commission(folder, files={"hidden/units.json": file})


def _transcript(task: str) -> Transcript:
    reviewed = Draft(text=DRAFT, verdict=Verdict(objections=("accuracy",), reasons=REASON))
    return Transcript(
        task=task,
        most_rounds=None,
        most_revisions=3,
        rounds=(
            Round(
                number=1,
                question=ASKED,
                reply=CLIENT,
                drafts=(reviewed, Draft(text=CLIENT, verdict=Verdict())),
                ungrounded=(Ungrounded(kind="number", text="8180"),),
            ),
            Round(
                number=2,
                question=f"You said {REQUIREMENT}?",
                reply="\n".join(HOSTILE),
                drafts=(Draft(text="\n".join(HOSTILE), verdict=Verdict()),),
            ),
        ),
        failed=(FailedRound(number=3, question="And then?", drafts=(reviewed,), reason=REASON),),
        finished=True,
        end=BuildEnd(agent="talker", agent_version="2", ended="done"),
    )


def _acceptance(task: Task, deliverable: str) -> Acceptance:
    return Acceptance(
        task=task.id,
        task_digest=task.digest,
        deliverable=deliverable,
        image="host:abc",
        tests=tuple(
            AcceptanceTest(id=name, verdict=TestVerdict.FAILED if name == SUM_TESTS[0] else TestVerdict.PASSED)
            for name in ALL_TESTS
        ),
        units=(UnitOutcome(id=SUM, passed=False, failed=(SUM_TESTS[0],)), UnitOutcome(id=SERVE, passed=True)),
        end=AcceptanceEnd(exit_code=1),
        notes=(f"note: {SUM_TESTS[0]} was slow",),
    )


def _structure(deliverable: str) -> Structure:
    size = TreeSize(language="Python", files=2, loc=40, classes=1, methods=4, namespaces=1)
    overlap = {name: Overlap(golden=4, generated=4, common=3) for name in (*DIMENSIONS, "namespace_relative")}
    notes = (f"{GOLDEN_NAME}/core.py was left out",)
    return Structure(
        deliverable=deliverable, golden=size, generated=size, normalized=False, overlap=overlap, notes=notes
    )


def _review(task: Task, deliverable: str) -> CriticReview:
    shown = Shown(files=2, whole=2, cut=0, left_out=0, tokens=100, tokens_of_all=100)
    said = CriticVerdict(score=0.5, rationale=f"{RATIONALE} {GOLDEN_NAME} <script>alert(9)</script>")
    scored = CriticScore(prompt="p", planned=1, verdicts=(said,), golden=shown, generated=shown)
    failed = scored.model_copy(
        update={"verdicts": (), "unscored": Unscored(boundary=Boundary.JUDGE, reason=f"refused: {RATIONALE}")}
    )
    return CriticReview(
        task=task.id,
        deliverable=deliverable,
        model="m/critic",
        prompts={},
        golden=TreeRead(languages={"Python": 2}),
        generated=TreeRead(languages={"Python": 2}),
        semantic=scored,
        api=scored,
        design=failed,
    )
