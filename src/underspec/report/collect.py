"""Reading a run: each item's latest build, the grade made from it, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from underspec.artifact.base import Artifact
from underspec.artifact.build import BuildEnd
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.failures import Failures
from underspec.artifact.outcomes import Outcomes, Unscored
from underspec.artifact.session import SessionLog
from underspec.errors import StoreError
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE, SESSION_FILE
from underspec.phase.grade import FAILURES_FILE, OUTCOMES_FILE
from underspec.run.item import Item
from underspec.run.store import MAX_ATTEMPTS, RunStore

NOT_RUN = "not_run"
Kind = TypeVar("Kind", bound=Artifact)


@dataclass(frozen=True)
class Collected:
    """All that is known of one item.

    Without ``outcomes``, ``unscored`` says whose failure that was, or is None when the item was not finished yet.
    ``graded`` is the published folder that the outcomes came from; what else is in it is read when it is needed.
    """

    item: Item
    end: BuildEnd | None
    deliverable: Deliverable | None
    session: SessionLog | None
    outcomes: Outcomes | None
    unscored: Unscored | None
    attempts: dict[str, int]
    graded: Path | None = None

    @property
    def boundary(self) -> str | None:
        """Why there is no score: a boundary, or ``not_run``; None when there is one."""
        if self.outcomes is not None:
            return None
        return str(self.unscored.boundary) if self.unscored else NOT_RUN


def collect(store: RunStore) -> list[Collected]:
    """Read every planned item.

    Raises:
        StoreError: names the file that is damaged.
    """
    return [collect_item(store, item) for item in store.items()]


def collect_item(store: RunStore, item: Item) -> Collected:
    """Read one item."""
    builds, grades = store.phase(item, "build"), store.phase(item, "grade")
    attempts = {"build": len(builds.attempts()), "grade": len(grades.attempts())}
    end = deliverable = session = outcomes = None
    source: Path | None = None
    made = builds.artifacts()
    if made:
        folder = made[-1]
        end = _read(BuildEnd, folder / BUILD_FILE)
        deliverable = _read(Deliverable, folder / DELIVERABLE_FILE)
        if (folder / SESSION_FILE).exists():
            session = _read(SessionLog, folder / SESSION_FILE)
        for graded in grades.artifacts():
            found = _read(Outcomes, graded / OUTCOMES_FILE)
            if found.deliverable == deliverable.sha256:
                outcomes, source = found, graded
    unscored = None
    if outcomes is None:
        for phase in (builds, grades):
            failures = phase.failures()
            if len(failures) >= MAX_ATTEMPTS:
                unscored = Unscored(boundary=failures[-1].boundary, reason=failures[-1].reason)
    return Collected(item, end, deliverable, session, outcomes, unscored, attempts, source)


def read_failures(collected: Collected) -> Failures | None:
    """What failing cases printed; None where the grade was made before that was kept.

    Raises:
        StoreError: the file is damaged.
    """
    if collected.graded is None or not (collected.graded / FAILURES_FILE).exists():
        return None
    return _read(Failures, collected.graded / FAILURES_FILE)


def _read(kind: type[Kind], path: Path) -> Kind:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise StoreError(
            "a file of a published artifact is missing",
            file=str(path),
            mend="remove the folder that should hold it and run the same command again",
        ) from error
    return kind.from_bytes(data, file=str(path))
