"""The structure phase: a sealed deliverable beside the task's golden sources (ICAE III-F). No model, nothing is run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.structure import Structure
from underspec.artifact.threads import in_thread
from underspec.errors import TaskError
from underspec.grade.structure.compare import compare_structure
from underspec.grade.structure.languages import LANGUAGES, Language, find_language
from underspec.grade.structure.scope import Scope
from underspec.phase.build import DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.work import Work
from underspec.sandbox.deliverable import extract_deliverable
from underspec.task import release
from underspec.task.model import Task

VERSION = 1
STRUCTURE_FILE = "structure.json"


@dataclass(frozen=True)
class StructureInputs:
    """All that decides a comparison. ``built`` is the published artifact of the build phase."""

    task: Task
    condition: Condition
    built: Path

    def deliverable(self) -> Deliverable:
        """What stands beside the sealed deliverable.

        Raises:
            StoreError: it is missing or damaged.
        """
        return Deliverable.read(self.built / DELIVERABLE_FILE)

    def languages(self) -> tuple[Language, Language]:
        """The golden language and the generated one.

        Raises:
            TaskError: one of them is none whose structure can be read.
        """
        return _language(self.task.toml.language), _language(self.condition.language or self.task.toml.language)

    def key(self) -> str:
        """The phase's key: deliverable, golden archive, languages, scope and this phase's version.

        Raises:
            TaskError: the task names no golden implementation, or its scope is damaged.
        """
        golden, generated = self.languages()
        return digest_of(
            {
                "phase": "structure",
                "version": VERSION,
                "deliverable": self.deliverable().sha256,
                "golden": _golden(self.task),
                "languages": [golden.key, generated.key],
                "scope": _scope_entries(self.task),
            }
        )


def is_comparable(task: Task, condition: Condition) -> bool:
    """Whether there are golden sources, in languages that can be read; without them there is no such phase."""
    languages = (task.toml.language, condition.language or task.toml.language)
    return task.golden is not None and all(find_language(word) is not None for word in languages)


async def structure(inputs: StructureInputs, work: Work) -> None:
    """Compare one deliverable with the golden sources and leave ``structure.json`` in ``work.artifact``.

    The golden package is fetched and checked as for the golden agent, and read where it is kept.

    Raises:
        TaskError: the task names no golden implementation, or it cannot be had.
        HarnessError, SandboxError: not the deliverable's doing; nothing is published.
    """
    _golden(inputs.task)
    golden_language, generated_language = inputs.languages()
    tree = work.scratch / "deliverable"
    await in_thread(extract_deliverable, inputs.built / DELIVERABLE_TAR, tree)
    golden = await in_thread(release.golden_library, inputs.task)
    entries = _scope_entries(inputs.task)
    work.progress("comparing the structure")
    comparison = await in_thread(
        compare_structure,
        golden,
        tree,
        golden_language,
        generated_language,
        Scope.of(entries["golden"], entries["generated"]),
        workers=1,  # items are what runs side by side here
    )
    result: Structure = comparison.structure.model_copy(update={"deliverable": inputs.deliverable().sha256})
    (work.artifact / STRUCTURE_FILE).write_bytes(result.to_bytes())
    work.log("structure", scored=result.scored, files=result.generated.files, loc=result.generated.loc)


def _golden(task: Task) -> dict[str, Any]:
    if task.golden is None:
        raise TaskError(
            f"task {task.id} names no golden implementation to compare with",
            file="hidden/golden.toml",
            mend="leave structure out, or add the file",
        )
    return {"sha256": task.golden.sha256, "root": task.golden.root}


def _language(word: str) -> Language:
    found = find_language(word)
    if found is None:
        names = ", ".join(one.name for one in LANGUAGES)
        raise TaskError(
            f"{word!r} is no language whose structure can be read",
            file="task.toml",
            where="$.language",
            mend=f"use one of {names}",
        )
    return found


def _scope_entries(task: Task) -> dict[str, list[str]]:
    scope = release.read_scope(task)
    if scope is None:
        return {"golden": [], "generated": []}
    inside = scope.in_scope
    return {
        "golden": [*inside.original, *inside.original_files],
        "generated": [*inside.generated, *inside.generated_files],
    }
