"""The accept phase: a sealed deliverable in, verdicts of private tests out.

It needs no model and can be redone alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.threads import in_thread
from underspec.grade.acceptance import RUNNER_VERSION
from underspec.grade.acceptance.accept import accept_deliverable
from underspec.phase.build import DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.network import identity_of_network, network_policy, networked
from underspec.phase.work import Work
from underspec.sandbox.deliverable import extract_deliverable
from underspec.sandbox.egress.lists import Lists
from underspec.task import release
from underspec.task.model import Task

VERSION = 1
ACCEPTANCE_FILE = "acceptance.json"
ACCEPTANCE_FAILURES_FILE = "acceptance-failures.json"


@dataclass(frozen=True)
class AcceptInputs:
    """All that decides an acceptance. ``delivered`` is the published artifact of the phase that made the deliverable.

    ``tests_image_digest`` is None where the tests run in the deliverable's own image; ``lists`` say which
    hosts are registries, the packaged ones when None.
    """

    task: Task
    condition: Condition
    delivered: Path
    image: str
    image_digest: str
    tests_image_digest: str | None = None
    lists: Lists | None = None

    def deliverable(self) -> Deliverable:
        """What stands beside the sealed deliverable.

        Raises:
            StoreError: it is missing or damaged.
        """
        return Deliverable.read(self.delivered / DELIVERABLE_FILE)

    def key(self) -> str:
        """The phase's key: deliverable, tests, limits, images, and the versions of this phase and of the runner."""
        return digest_of(
            {
                "phase": "accept",
                "version": VERSION,
                "runner": RUNNER_VERSION,
                "deliverable": self.deliverable().sha256,
                "task": self.task.id,
                "tests": release.acceptance_digest(self.task),
                "limits": self.task.toml.limits.model_dump(mode="json"),
                "image": self.image_digest,
                "tests_image": self.tests_image_digest,
                "network": identity_of_network(self.task, self.condition.grade_network, self.lists),
            }
        )


async def accept(inputs: AcceptInputs, work: Work) -> None:
    """Accept or reject one deliverable and leave ``acceptance.json`` and, for a reader, ``acceptance-failures.json``
    in ``work.artifact``.

    Raises:
        TaskError, SandboxError, HarnessError: not the deliverable's doing; nothing is published.
    """
    with networked(work, network_policy(inputs.task, inputs.condition.grade_network, inputs.lists)) as with_network:
        await _accept(inputs, with_network)


async def _accept(inputs: AcceptInputs, work: Work) -> None:
    deliverable = inputs.deliverable()
    tree = work.scratch / "deliverable"
    await in_thread(extract_deliverable, inputs.delivered / DELIVERABLE_TAR, tree)
    accepted = await accept_deliverable(
        inputs.task,
        tree,
        work.backend,
        image=inputs.image,
        owner=work.owner,
        deliverable_sha256=deliverable.sha256,
        network=inputs.condition.grade_network,
        on_progress=work.progress,
        scratch=work.scratch,
    )
    acceptance = accepted.acceptance
    (work.artifact / ACCEPTANCE_FILE).write_bytes(acceptance.to_bytes())
    (work.artifact / ACCEPTANCE_FAILURES_FILE).write_bytes(accepted.failures.to_bytes())
    tests, units = acceptance.test_rate, acceptance.unit_rate
    work.log(
        "accepted" if acceptance.passed else "rejected",
        passed=tests.passed,
        total=tests.total,
        units_passed=units.passed,
        units_total=units.total,
    )
