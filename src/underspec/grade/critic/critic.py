"""The critic's calls: three questions, each asked by itself, each as often as repeats are wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from underspec.artifact.outcomes import Unscored
from underspec.artifact.review import CRITIC_DIMENSIONS, MOST_PATHS, CriticScore, DimensionName, Review, Shown, Verdict
from underspec.artifact.threads import in_thread
from underspec.errors import GoldenError, JudgeError, ModelServiceError, UnderspecError
from underspec.grade.critic.packing import Packed, Packing, SourceFile, pack, room_of, tokens_of
from underspec.grade.critic.prompt import data_block, mark_of
from underspec.grade.critic.reading import Tree
from underspec.grade.critic.relevance import order
from underspec.grade.critic.verdict import read_verdict, verdict_schema
from underspec.model.models import service_errors
from underspec.model.signals import Signal, signal_of
from underspec.prompts.critic import CriticPrompts

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

BUDGET = 100_000
LEAST_BUDGET = 600
ATTEMPTS = 5
"""Answers to one question that may be none, before there is no verdict (design section 8)."""
RETRIES = 8
SECONDS = 900
# How much of the room the golden tree gets: for design it only shows how much the problem asks for.
GOLDEN_SHARE: dict[DimensionName, float] = {"semantic": 0.5, "api": 0.5, "design": 0.2}
NOTHING = "The deliverable holds no source file."


class OversizedError(JudgeError):
    """The model takes no prompt of this size, or, where ``signal`` is a bad request, perhaps none like it."""

    def __init__(self, model: Model, signal: Signal) -> None:
        super().__init__(
            f"the model {model} takes no prompt as small as the trees can be made: {signal}",
            mend="use a model with a larger context",
        )
        self.signal = signal


@dataclass(frozen=True)
class Subject:
    """What is reviewed. Languages are names to be read by people."""

    task: str
    deliverable: str | None
    golden: Tree
    generated: Tree
    language: str
    generated_language: str


@dataclass
class _Counts:
    malformed: int = 0
    refused: int = 0
    oversized: int = 0


@dataclass
class Critic:
    """Asks ``model``, opened for the role *critic*; ``name`` is what artifacts call it.

    ``budget`` are estimated tokens of the data in a prompt. It shrinks for the rest of the review when the model takes
    no prompt of that size: that is the prompt's fault, and no endpoint's.
    """

    model: Model
    name: str
    prompts: CriticPrompts
    repeats: int = 1
    budget: int = BUDGET
    on_progress: Callable[[str], None] = field(default=lambda words: None)

    async def review(self, subject: Subject) -> Review:
        """The review of one deliverable.

        A dimension for which the model gives no verdict is unscored, and says why.

        Raises:
            GoldenError: the golden tree holds no source file.
            ModelServiceError: the model's provider failed, after retries.
        """
        if not subject.golden.files:
            raise GoldenError(
                f"the golden tree holds no {subject.language} source file that counts",
                mend="see whether task.toml names the right language, and golden.toml the right root",
            )
        scores: dict[str, Any]
        if subject.generated.files:
            asked = await in_thread(_Asked.of, self, subject)
            scores = {name: await asked.score(name) for name in CRITIC_DIMENSIONS}
        else:
            scores = {name: self._nothing(subject, name) for name in CRITIC_DIMENSIONS}
        return Review(
            task=subject.task,
            deliverable=subject.deliverable,
            model=self.name,
            prompts=self.prompts.hashes,
            golden=subject.golden.read,
            generated=subject.generated.read,
            nothing_generated=not subject.generated.files,
            **scores,
        )

    def _nothing(self, subject: Subject, dimension: DimensionName) -> CriticScore:
        return CriticScore(
            prompt=self.prompts.hashes[dimension],
            planned=self.repeats,
            verdicts=(Verdict(score=0.0, rationale=NOTHING),),
            budget=self.budget,
            golden=shown(Packed(left_out=subject.golden.files)),
            generated=shown(Packed()),
        )


@dataclass
class _Asked:
    """One review under way: its files in order of relevance, and what was packed last."""

    critic: Critic
    subject: Subject
    golden: list[SourceFile]
    generated: list[SourceFile]
    packed: dict[tuple[DimensionName, int], Packing] = field(default_factory=dict)

    @classmethod
    def of(cls, critic: Critic, subject: Subject) -> _Asked:
        ours, theirs = subject.golden.files, subject.generated.files
        return cls(
            critic,
            subject,
            order(ours, theirs, counterparts_first=False),
            order(theirs, ours, counterparts_first=True),
        )

    async def score(self, dimension: DimensionName) -> CriticScore:
        counts = _Counts()
        verdicts: list[Verdict] = []
        failure: JudgeError | None = None
        for number in range(1, self.critic.repeats + 1):
            self.critic.on_progress(f"{dimension}, {number} of {self.critic.repeats}")
            try:
                verdicts.append(await self._verdict(dimension, counts))
            except JudgeError as error:
                failure = error
        packing = await self._packing(dimension)
        unscored = None
        if failure is not None and not verdicts:
            unscored = Unscored(boundary=failure.boundary, reason=failure.message)
        return CriticScore(
            prompt=self.critic.prompts.hashes[dimension],
            planned=self.critic.repeats,
            verdicts=tuple(verdicts),
            unscored=unscored,
            malformed=counts.malformed,
            refused=counts.refused,
            oversized=counts.oversized,
            budget=self.critic.budget,
            golden=shown(packing.golden),
            generated=shown(packing.generated),
        )

    async def _verdict(self, dimension: DimensionName, counts: _Counts) -> Verdict:
        """One verdict.

        Raises:
            JudgeError: none of :data:`ATTEMPTS` answers is one.
            ModelServiceError: the provider failed.
        """
        again = False
        attempts = 0
        while attempts < ATTEMPTS:
            packing = await self._packing(dimension)
            mark, talk = await in_thread(self._talk, dimension, packing, again)
            try:
                output = await generate(self.critic.model, talk, mark)
            except OversizedError as error:
                counts.oversized += 1
                if self.critic.budget <= LEAST_BUDGET:
                    if error.signal is Signal.BAD_REQUEST:
                        # Its size was not the matter.
                        said = f"the model {self.critic.name} failed: {error.signal}"
                        raise ModelServiceError(said) from error
                    raise
                self.critic.budget = max(LEAST_BUDGET, self.critic.budget // 2)
                self.critic.on_progress(f"{dimension}: the prompt is too large, packed into {self.critic.budget}")
                continue
            attempts += 1
            if output.empty or output.stop_reason == "content_filter":
                counts.refused += 1
                continue
            verdict = read_verdict(output.completion, mark)
            if verdict is not None:
                return verdict
            counts.malformed += 1
            again = True
        raise JudgeError(
            f"the model {self.critic.name} gave no verdict in {ATTEMPTS} answers "
            f"(so far {counts.malformed} malformed, {counts.refused} refused)",
            mend="use a model that answers in JSON",
        )

    async def _packing(self, dimension: DimensionName) -> Packing:
        key = (dimension, self.critic.budget)
        if key not in self.packed:
            share = GOLDEN_SHARE[dimension]
            self.packed.clear()
            self.packed[key] = await in_thread(
                pack, self.golden, self.generated, self.critic.budget, golden_share=share
            )
        return self.packed[key]

    def _talk(self, dimension: DimensionName, packing: Packing, again: bool) -> tuple[str, list[ChatMessage]]:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

        prompts, subject = self.critic.prompts, self.subject
        mark = mark_of(packing)
        rules = prompts.system(dimension, language=subject.language, generated_language=subject.generated_language)
        talk: list[ChatMessage] = [
            ChatMessageSystem(content=rules),
            ChatMessageUser(content=prompts.sources(data_block(packing, mark), mark)),
        ]
        if again:
            # Its own words are not repeated to it: they may be huge, and are as likely a file's as its own.
            talk += [ChatMessageAssistant(content="(no verdict)"), ChatMessageUser(content=prompts.again(mark))]
        return mark, talk


async def generate(model: Model, talk: list[ChatMessage], mark: str) -> ModelOutput:
    """One answer.

    Raises:
        OversizedError: the request is not taken, by the API's own signal.
        ModelServiceError: the provider failed.
    """
    with service_errors(str(model)):
        try:
            output = await model.generate(talk, config=config_of(model, mark))
        except UnderspecError:
            raise
        except Exception as error:
            signal = signal_of(error)
            if not signal.by_request:
                raise
            raise OversizedError(model, signal) from error
    if not output.empty and output.stop_reason == "model_length":
        raise OversizedError(model, Signal.TOO_LARGE)
    return output


def config_of(model: Model, mark: str) -> GenerateConfig:
    """What constrains an answer, and bounds the waiting where the model's own options don't."""
    from inspect_ai.model import GenerateConfig

    fields: dict[str, Any] = {}
    if model.config.max_retries is None:
        fields["max_retries"] = RETRIES
    if model.config.timeout is None:
        fields["timeout"] = SECONDS
    return GenerateConfig(response_schema=verdict_schema(mark), **fields)


def shown(packed: Packed) -> Shown:
    """How much of a tree a packing shows."""
    cut = [piece.file for piece in packed.pieces if not piece.whole]
    files = [*(piece.file for piece in packed.pieces), *packed.left_out]
    return Shown(
        files=len(files),
        whole=len(packed.pieces) - len(cut),
        cut=len(cut),
        left_out=len(packed.left_out),
        tokens=tokens_of(sum(room_of(piece.file.path, piece.text) for piece in packed.pieces)),
        tokens_of_all=tokens_of(sum(file.size for file in files)),
        cut_paths=tuple(file.path for file in cut[:MOST_PATHS]),
        left_out_paths=tuple(file.path for file in packed.left_out[:MOST_PATHS]),
    )
