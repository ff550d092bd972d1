"""The judge phase: labels for the answers to the requirement questions (SWE-Clar 2.3, B.3).

It reads the answers, and nothing of the branch that implements: no label can depend on how the software turned out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from underspec.artifact.answers import Answers
from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.judgements import Judgements, Review, UnitJudgement
from underspec.errors import JudgeError, UsageError
from underspec.grade.judge.rubric import PROPERTIES, nothing_said, read_review
from underspec.model.limits import Limits
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.model.structured import Shape, ask_structured, told
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.at_work import under_watch
from underspec.phase.models import identity_of, phase_models
from underspec.phase.work import Work
from underspec.prompts.builder.clarify_first import mark
from underspec.prompts.judge import judge_prompts
from underspec.task import release
from underspec.task.model import Task, Unit

if TYPE_CHECKING:
    from inspect_ai.model import Model

VERSION = 1
JUDGEMENTS_FILE = "judgements.json"
SHAPE = Shape("judgement", PROPERTIES)


@dataclass(frozen=True)
class JudgeInputs:
    """All that decides a judgement. ``answered`` is the published artifact of the answer phase. ``model`` may be None
    only where nothing was answered, as by agents that have no model."""

    task: Task
    condition: Condition
    answered: Path
    model: ModelSpec | None
    prompts: Path | None = None
    """A user's folder of prompts."""

    def answers(self) -> Answers:
        """What is judged.

        Raises:
            StoreError: the file is missing or damaged.
        """
        return Answers.read(self.answered / ANSWERS_FILE)

    def digest(self) -> str:
        """The digest of what is judged."""
        return sha256_hex(self.answers().to_bytes())

    def asked(self, place: int, unit: Unit) -> str:
        """What the judge is told of one unit: what is required, its tests' source, and all answers as data."""
        answers, questions = self.answers(), release.unit_questions(self.task)
        said = [
            (mark(number), question.text, answer.text)
            for number, (question, answer) in enumerate(zip(questions, answers.answers, strict=True))
        ]
        if answers.besides:
            said.append(("", "", answers.besides))
        return judge_prompts(override=self.prompts).ask(
            mark=mark(place),
            question=questions[place].text,
            requirement=unit.requirement,
            reference=unit.answer,
            interface=release.delivery_interface(self.task),
            tests=release.unit_source(self.task, unit.id),
            answers=said,
        )

    def key(self) -> str:
        """The phase's key: the answers, what they are compared with, the judge, and this phase's version."""
        units = release.reference_units(self.task)
        return digest_of(
            {
                "phase": "judge",
                "version": VERSION,
                "answers": self.digest(),
                "asked": [sha256_hex(self.asked(place, unit).encode()) for place, unit in enumerate(units)],
                "prompts": judge_prompts(override=self.prompts).version,
                "model": identity_of(self.model),
                "reviews": self.condition.judge_reviews,
            }
        )


async def judge(inputs: JudgeInputs, work: Work) -> None:
    """Label every answer and leave ``judgements.json`` in ``work.artifact``.

    Raises:
        JudgeError: the judge gave no label that can be read, after retries; nothing is published.
        ModelServiceError: its provider failed.
    """
    units = release.reference_units(inputs.task)
    if inputs.answers().nothing:
        judgements = nothing_said(inputs.task.id, inputs.digest(), tuple(unit.id for unit in units))
    else:
        judged = []
        if inputs.model is None:
            raise UsageError("nobody judges", where="$.judge_model", mend="give --judge-model provider/name")
        with phase_models("judge", work, Limits()) as models:
            model = models.open(inputs.model, Role.JUDGE)
            for place, unit in enumerate(units):
                work.progress(f"judging {place + 1} of {len(units)}")
                judged.append(await under_watch(_judged(inputs, place, unit, model), models.watch))
        judgements = Judgements(task=inputs.task.id, answers=inputs.digest(), units=tuple(judged))
    (work.artifact / JUDGEMENTS_FILE).write_bytes(judgements.to_bytes())
    work.log("judged", score=judgements.score, strict=judgements.strict, disputed=len(judgements.disputed))


async def _judged(inputs: JudgeInputs, place: int, unit: Unit, model: Model) -> UnitJudgement:
    reviews = [await review_unit(inputs, place, unit, model) for _ in range(inputs.condition.judge_reviews)]
    return UnitJudgement.of(unit.id, reviews)


async def review_unit(inputs: JudgeInputs, place: int, unit: Unit, model: Model) -> Review:
    """One reading of the answers for one unit.

    Raises:
        JudgeError: no label that can be read, after retries.
        ModelServiceError: the judge's provider failed.
    """
    prompts = judge_prompts(override=inputs.prompts)
    messages = told(prompts.system(), inputs.asked(place, unit))
    review = await ask_structured(model, messages, SHAPE, read_review, again=prompts.again())
    if review is None:
        raise JudgeError(f"the judge gave no label for {unit.id} that can be read")
    return review
