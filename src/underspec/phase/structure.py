"""The structure phase: a sealed deliverable beside the task's golden sources (ICAE III-F). No model, nothing is run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.structure import Structure
from underspec.artifact.threads import in_thread
from underspec.grade.structure.compare import compare_structure
from underspec.phase.build import DELIVERABLE_TAR
from underspec.phase.compared import GoldenSources, deliverable_in, identity_of_compared, languages_of, scope_of
from underspec.phase.work import Work
from underspec.sandbox.deliverable import extract_deliverable
from underspec.task import release
from underspec.task.model import Task

VERSION = 1
STRUCTURE_FILE = "structure.json"


@dataclass(frozen=True)
class StructureInputs:
    """All that decides a comparison. ``built`` is the published artifact that holds the deliverable; ``sources`` says
    where the golden sources lie."""

    task: Task
    condition: Condition
    built: Path
    sources: GoldenSources = release.golden_sources

    def key(self) -> str:
        """The phase's key: deliverable, golden archive, languages, scope and this phase's version.

        Raises:
            StoreError: what stands beside the deliverable is damaged.
        """
        compared = identity_of_compared(self.task, self.condition, self.built)
        return digest_of({"phase": "structure", "version": VERSION, **compared})


async def structure(inputs: StructureInputs, work: Work) -> None:
    """Compare one deliverable with the golden sources and leave ``structure.json`` in ``work.artifact``.

    The golden package is fetched and checked as for the golden agent, and read where it is kept.

    Raises:
        TaskError: the task names no golden implementation, it cannot be had, or a language is unknown.
        HarnessError, SandboxError: not the deliverable's doing; nothing is published.
    """
    golden_language, generated_language = languages_of(inputs.task, inputs.condition.language)
    scope = scope_of(inputs.task)
    work.progress("fetching the golden sources")
    golden = await in_thread(inputs.sources, inputs.task)
    tree = work.scratch / "deliverable"
    await in_thread(extract_deliverable, inputs.built / DELIVERABLE_TAR, tree)
    work.progress("comparing the structure")
    comparison = await in_thread(
        compare_structure,
        golden,
        tree,
        golden_language,
        generated_language,
        scope,
        workers=1,  # items are what runs side by side here
    )
    result: Structure = comparison.structure.model_copy(update={"deliverable": deliverable_in(inputs.built).sha256})
    (work.artifact / STRUCTURE_FILE).write_bytes(result.to_bytes())
    work.log("structure", scored=result.scored, files=result.generated.files, loc=result.generated.loc)
