"""Many repositories at once: each goes through select in a folder of its own, and they are ranked (ICAE III-B)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.construct.findings import GateFinding
from underspec.construct.materials import SELECTION, Selection, read_part
from underspec.construct.project import FILE, Project, read_project, write_project
from underspec.construct.runner import Runner
from underspec.construct.select import SELECT
from underspec.errors import UnderspecError, UsageError
from underspec.sandbox.protocol import SandboxBackend


@dataclass(frozen=True)
class Ranked:
    """One repository: whether it is kept, why not, and what is known of it. ``selection`` is None where nothing is."""

    source: str
    work: Path
    kept: bool
    reasons: tuple[str, ...]
    selection: Selection | None
    tests: int | None

    @property
    def mark(self) -> float | None:
        """The mean of the four marks; None where nobody has given any."""
        assessment = self.selection.assessment if self.selection else None
        if assessment is None:
            return None
        marks = (assessment.completeness, assessment.effectiveness, assessment.reliability, assessment.readability)
        return sum(marks) / len(marks)

    def order(self) -> tuple[Any, ...]:
        """Kept ones first, then by marks, then the smaller ones (as for ICAE-Bench-Lite, III-D), then by name."""
        lines = self.selection.lines if self.selection else 0
        return (not self.kept, -(self.mark or 0.0), lines, self.source)

    def document(self) -> dict[str, Any]:
        """For scripts."""
        known = self.selection
        return {
            "source": self.source,
            "kept": self.kept,
            "reasons": list(self.reasons),
            "language": known.language if known else None,
            "license": known.license if known else None,
            "files": known.files if known else None,
            "lines": known.lines if known else None,
            "stars": known.stars if known else None,
            "tests": self.tests,
            "marks": known.assessment.model_dump(exclude={"rationale"}) if known and known.assessment else None,
            "mark": self.mark,
            "work": str(self.work),
        }


def folder_name(source: str) -> str:
    """A name for a repository's folder: its own, in plain characters."""
    last = source.rstrip("/") if ":" in source.split("/")[0] else Path(source).name
    return re.sub(r"[^a-z0-9]+", "-", last.lower()).strip("-")[:60] or "repository"


async def rank(
    sources: Sequence[str],
    work: Path,
    template: Project,
    backend: Callable[[], SandboxBackend],
    say: Callable[[str], None],
) -> list[Ranked]:
    """Bring every repository through select, and rank them. What is done already is not done again.

    A repository that cannot be fetched or understood is ranked last with the reason, and stops nothing.

    Raises:
        UsageError: two sources would share a folder.
        ModelServiceError, CostLimitError, SandboxError: nobody's fault here; the same command goes on.
    """
    names = [folder_name(source) for source in sources]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"two repositories would both work in {twice[0]!r}", mend="rank them apart")
    found = []
    for name, source in zip(names, sources, strict=True):
        folder = work / name
        project = template.model_copy(update={"task": f"r-{name}"[:60], "source": source})
        if (folder / FILE).is_file() and read_project(folder) != project:
            say(f"{name}: its options have changed")
        folder.mkdir(parents=True, exist_ok=True)
        write_project(folder, project)
        runner = Runner(folder, project, (SELECT,), backend, functools.partial(_say_of, say, name))
        found.append(await _one(runner, source, folder))
    return sorted(found, key=Ranked.order)


def _say_of(say: Callable[[str], None], name: str, words: str) -> None:
    say(f"{name}: {words}")


async def _one(runner: Runner, source: str, folder: Path) -> Ranked:
    try:
        kept = await runner.run()
    except UsageError as error:
        return Ranked(source, folder, False, (error.message,), None, None)
    state = runner.folder(SELECT.name).state()
    findings: list[GateFinding] = []
    try:
        selection = read_part(runner.folder(SELECT.name).out, SELECTION, Selection, findings)
    except UnderspecError:
        selection = None
    verdict = state.verdict
    errors = [one for one in (verdict.findings if verdict else ()) if one.severity == "error"]
    reasons = tuple(dict.fromkeys(f"{one.kind}: {one.message}" for one in errors))
    return Ranked(source, folder, kept, reasons, selection, len(selection.tests) if selection else None)
