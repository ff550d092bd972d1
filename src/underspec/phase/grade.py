"""The grade phase: a sealed deliverable in, outcomes out. It needs no model and can be redone alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.failures import MOST_CASES, FailedCase, Failures
from underspec.artifact.outcomes import SUITES
from underspec.artifact.threads import in_thread
from underspec.grade.grader import grade_in_full
from underspec.phase.build import DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.network import identity_of_network, network_policy, networked
from underspec.phase.work import Work
from underspec.sandbox.deliverable import extract_deliverable
from underspec.sandbox.egress.lists import Lists
from underspec.task import release
from underspec.task.model import Task

VERSION = 2
OUTCOMES_FILE = "outcomes.json"
FAILURES_FILE = "failures.json"


@dataclass(frozen=True)
class GradeInputs:
    """All that decides a grade. ``built`` is the published artifact of the build phase; ``lists`` say which hosts are
    registries, the packaged ones when None."""

    task: Task
    condition: Condition
    built: Path
    image: str
    image_digest: str
    lists: Lists | None = None

    def deliverable(self) -> Deliverable:
        """What stands beside the sealed deliverable.

        Raises:
            StoreError: it is missing or damaged.
        """
        return Deliverable.read(self.built / DELIVERABLE_FILE)

    def key(self) -> str:
        """The phase's key: deliverable, cases, limits, image and this phase's version."""
        return digest_of(
            {
                "phase": "grade",
                "version": VERSION,
                "deliverable": self.deliverable().sha256,
                "task": self.task.id,
                "suites": {suite: release.suite_digest(self.task, suite) for suite in SUITES},
                "limits": self.task.toml.limits.model_dump(mode="json"),
                "image": self.image_digest,
                "network": identity_of_network(self.task, self.condition.grade_network, self.lists),
                "comparison": "bytes",
            }
        )


async def grade(inputs: GradeInputs, work: Work) -> None:
    """Grade one deliverable and leave ``outcomes.json`` and, for a reader, ``failures.json`` in ``work.artifact``.

    Raises:
        SandboxError, HarnessError: not the deliverable's doing; nothing is published.
    """
    with networked(work, network_policy(inputs.task, inputs.condition.grade_network, inputs.lists)) as with_network:
        await _grade(inputs, with_network)


async def _grade(inputs: GradeInputs, work: Work) -> None:
    deliverable = inputs.deliverable()
    tree = work.scratch / "deliverable"
    await in_thread(extract_deliverable, inputs.built / DELIVERABLE_TAR, tree)
    graded = await grade_in_full(
        inputs.task,
        tree,
        work.backend,
        image=inputs.image,
        owner=work.owner,
        deliverable_sha256=deliverable.sha256,
        on_progress=work.progress,
        network=inputs.condition.grade_network,
        show=MOST_CASES,
    )
    outcomes = graded.outcomes
    failures = Failures(
        task=outcomes.task,
        deliverable=outcomes.deliverable,
        cases=tuple(
            FailedCase.of(case.suite, case.file, case.index, case.outcome, case.actual) for case in graded.failures
        ),
    )
    (work.artifact / OUTCOMES_FILE).write_bytes(outcomes.to_bytes())
    (work.artifact / FAILURES_FILE).write_bytes(failures.to_bytes())
    overall = outcomes.overall
    work.log("graded", passed=overall.passed, total=overall.total)
