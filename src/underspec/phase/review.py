"""The review phase: a sealed deliverable beside the task's golden sources, read by a model (ICAE III-F, Appendix I).

Only text is read, and nothing is run. A model that answers nothing usable leaves its dimensions unscored and the phase
published; one whose provider fails leaves the phase to be tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.review import CRITIC_DIMENSIONS, Review
from underspec.artifact.threads import in_thread
from underspec.grade.critic.critic import BUDGET, Critic, Subject
from underspec.grade.critic.reading import read_generated, read_golden
from underspec.model.limits import Limits, PhaseWatch
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec
from underspec.phase.build import DELIVERABLE_TAR
from underspec.phase.compared import GoldenSources, deliverable_in, identity_of_compared, languages_of, scope_of
from underspec.phase.models import identity_of, phase_models
from underspec.phase.work import Work
from underspec.prompts.critic import critic_prompts
from underspec.sandbox.deliverable import extract_deliverable
from underspec.task import release
from underspec.task.model import Task

VERSION = 1
REVIEW_FILE = "review.json"


@dataclass(frozen=True)
class ReviewInputs:
    """All that decides a review. ``built`` is the published artifact that holds the deliverable; ``budget`` are
    estimated tokens of source code in one prompt, ``repeats`` verdicts for each dimension, ``prompts`` a user's folder;
    ``sources`` says where the golden sources lie."""

    task: Task
    condition: Condition
    built: Path
    model: ModelSpec
    repeats: int = 1
    budget: int = BUDGET
    prompts: Path | None = None
    sources: GoldenSources = release.golden_sources

    def key(self) -> str:
        """The phase's key: deliverable, golden archive, languages, scope, prompts, model, repeats, budget and version.

        Raises:
            StoreError: what stands beside the deliverable is damaged.
            UsageError: a prompt of the user's does not fit.
        """
        return digest_of(
            {
                "phase": "review",
                "version": VERSION,
                **identity_of_compared(self.task, self.condition, self.built),
                "prompts": critic_prompts(override=self.prompts).hashes,
                "model": identity_of(self.model),
                "repeats": self.repeats,
                "budget": self.budget,
            }
        )

    def asks_the_same(self, found: Review) -> bool:
        """Whether a review is of this deliverable, by this model and as often: whatever else has changed since, it was
        paid for and says what was asked."""
        planned = {found.dimension(name).planned for name in CRITIC_DIMENSIONS}
        same = (found.deliverable, found.model) == (deliverable_in(self.built).sha256, model_name(self.model))
        return same and planned == {self.repeats}


async def review(inputs: ReviewInputs, work: Work) -> None:
    """Review one deliverable and leave ``review.json`` in ``work.artifact``.

    Raises:
        TaskError: the task names no golden implementation, or it cannot be had, or holds no source.
        ModelServiceError, UsageError, SandboxError, HarnessError: not the deliverable's doing; nothing is published.
    """
    languages_of(inputs.task, inputs.condition.language)  # before anything is fetched
    work.progress("fetching the golden sources")
    golden = await in_thread(inputs.sources, inputs.task)
    tree = work.scratch / "deliverable"
    await in_thread(extract_deliverable, inputs.built / DELIVERABLE_TAR, tree)
    subject = await in_thread(
        read_subject,
        inputs.task,
        golden,
        tree,
        language=inputs.condition.language,
        deliverable_sha256=deliverable_in(inputs.built).sha256,
    )
    work.progress("reviewing")
    with phase_models("review", work, Limits()) as models:
        critic = Critic(
            model=models.open(inputs.model, Role.CRITIC),
            name=model_name(inputs.model),
            prompts=critic_prompts(override=inputs.prompts),
            repeats=inputs.repeats,
            budget=inputs.budget,
            on_progress=lambda words: work.progress(f"reviewing: {words}"),
        )
        found = await _until_ended(critic.review(subject), models.watch)
    (work.artifact / REVIEW_FILE).write_bytes(found.to_bytes())
    scores = {name: found.dimension(name).score for name in CRITIC_DIMENSIONS}
    work.log("reviewed", scored=found.scored, **scores)


async def _until_ended(reviewing: Coroutine[Any, Any, Review], watch: PhaseWatch) -> Review:
    """The review, or what ended it: a model that stands still, or the run's cost."""
    worker, stopper = asyncio.ensure_future(reviewing), asyncio.ensure_future(watch.stopped())
    try:
        await asyncio.wait({worker, stopper}, return_when=asyncio.FIRST_COMPLETED)
        if not worker.done():
            raise stopper.result()
        return worker.result()
    finally:
        for each in (worker, stopper):
            each.cancel()
        await asyncio.wait({worker, stopper})


def read_subject(
    task: Task, golden: Path, generated: Path, *, language: str | None, deliverable_sha256: str | None
) -> Subject:
    """Both trees, read. ``language`` is the condition's, where it is not the task's.

    Raises:
        TaskError: a language is none that is known, or the task's scope is damaged.
    """
    original, spoken = languages_of(task, language)
    scope = scope_of(task)
    theirs = read_generated(generated, spoken, scope.side("generated"))
    return Subject(
        task=task.id,
        deliverable=deliverable_sha256,
        golden=read_golden(golden, original, scope.side("golden")),
        generated=theirs,
        language=original.name,
        generated_language=" and ".join(theirs.read.languages) or spoken.name,
    )


def model_name(spec: ModelSpec) -> str:
    """What artifacts call a model: its name, or for a script the digest of its content."""
    return str(identity_of(spec)["name"])
