"""Reading a run: each item's build and grade that its last run went by, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from underspec.artifact.build import BuildEnd
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.failures import Failures
from underspec.artifact.ledger import Spending, by_role, read_ledger, task_cost
from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes, Unscored
from underspec.artifact.review import Review
from underspec.artifact.session import SessionLog
from underspec.artifact.structure import Structure
from underspec.errors import Boundary
from underspec.model.ledger import FILE as LEDGER_FILE
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE, SESSION_FILE
from underspec.phase.grade import FAILURES_FILE, OUTCOMES_FILE
from underspec.phase.review import REVIEW_FILE
from underspec.phase.structure import STRUCTURE_FILE
from underspec.report.clarified import Clarified, clarified_item
from underspec.run.item import Item
from underspec.run.protocols import steps_of
from underspec.run.store import PhaseFolder, RunStore

NOT_RUN = "not_run"


@dataclass(frozen=True)
class Collected:
    """All that is known of one item.

    Without ``outcomes``, ``unscored`` says whose failure that was, or is None when the item was not finished yet.
    ``graded`` is the published folder that the outcomes came from; what else is in it is read when it is needed.
    ``stale``: the build was made from other inputs than those of the last run. ``spending`` sums what each role's model
    was used, over all attempts, those that failed among them; ``task_cost`` is the builder's part.
    """

    item: Item
    end: BuildEnd | None
    deliverable: Deliverable | None
    session: SessionLog | None
    outcomes: Outcomes | None
    unscored: Unscored | None
    attempts: dict[str, int]
    graded: Path | None = None
    stale: bool = False
    spending: Mapping[str, Spending] = field(default_factory=dict)
    task_cost: Spending = field(default_factory=Spending)
    clarified: Clarified | None = None
    """What an item that clarifies has in place of ``session`` and ``outcomes``."""
    structure: Structure | None = None
    structure_why: Unscored | None = None
    review: Review | None = None
    review_why: Unscored | None = None
    """What stands beside the score and never decides it: how the deliverable is built beside the golden sources, and
    what a critic says of it. The reason in place of one that could not be had; neither where the run had no such step,
    or has not come to it. One that is there may still be unscored: see ``Structure.scored``, ``CriticScore.score``.
    All that a critic wrote is for the operator alone."""
    beside: frozenset[str] = frozenset()
    """Which of ``structure`` and ``review`` the run had for this item, whether it has come to them or not."""
    review_stale: bool = False
    """The review was made from other inputs than those of the last run, such as other prompts."""

    @property
    def scored(self) -> bool:
        """Whether there is all that the item's score is made of."""
        return self.clarified.scored if self.clarified is not None else self.outcomes is not None

    @property
    def boundary(self) -> str | None:
        """Why there is no score: a boundary, or ``not_run``; None when there is one."""
        if self.scored:
            return None
        return str(self.unscored.boundary) if self.unscored else NOT_RUN


def collect(store: RunStore) -> list[Collected]:
    """Read every planned item.

    Raises:
        StoreError: names the file that is damaged.
    """
    verdicts: dict[tuple[str, str, int, CaseOutcome, bool], GradedCase] = {}
    return [_sharing(collect_item(store, item), verdicts) for item in store.items()]


def _sharing(each: Collected, verdicts: dict[tuple[str, str, int, CaseOutcome, bool], GradedCase]) -> Collected:
    """Equal verdicts as one object: items of one task have the same cases, and those are most of what a run takes in
    memory."""
    if each.outcomes is None:
        return each
    cases = tuple(
        verdicts.setdefault((case.suite, case.file, case.index, case.outcome, case.hidden), case)
        for case in each.outcomes.cases
    )
    return replace(each, outcomes=each.outcomes.model_copy(update={"cases": cases}))


def collect_item(store: RunStore, item: Item) -> Collected:
    """Read one item: what its last run went by, and neither an older nor a newer verdict (fault 9)."""
    known = _collect_built(store, item) if item.condition.protocol == "build" else _collect_clarified(store, item)
    return replace(known, **_beside(store, item, known.deliverable))


def _beside(store: RunStore, item: Item, deliverable: Deliverable | None) -> dict[str, Any]:
    """What stands beside the score, where it is of this deliverable and of none that was handed over before."""
    found: dict[str, Any] = {}
    kinds: dict[str, tuple[str, type[Structure] | type[Review]]] = {
        "structure": (STRUCTURE_FILE, Structure),
        "review": (REVIEW_FILE, Review),
    }
    beside = set()
    for name, (file, kind) in kinds.items():
        phase = store.phase(item, name)
        choice = phase.chosen()
        if choice is None:
            continue
        beside.add(name)
        artifact = phase.artifact(choice.key)
        if artifact is None:
            found[f"{name}_why"] = _unscored(phase)
            continue
        read = kind.read(artifact / file)
        if deliverable is not None and read.deliverable == deliverable.sha256:
            found[name] = read
            found["review_stale"] = choice.stale and name == "review"
    return {**found, "beside": frozenset(beside)}


def _collect_built(store: RunStore, item: Item) -> Collected:
    builds, grades = store.phase(item, "build"), store.phase(item, "grade")
    attempts = {"build": len(builds.attempts()), "grade": len(grades.attempts())}
    built, graded = _chosen(builds), _chosen(grades)
    spent = _spent([builds, store.phase(item, "review")])
    if built is None:
        return replace(Collected(item, None, None, None, None, _unscored(builds), attempts), **spent)
    end, deliverable = BuildEnd.read(built / BUILD_FILE), Deliverable.read(built / DELIVERABLE_FILE)
    session = SessionLog.read(built / SESSION_FILE) if (built / SESSION_FILE).exists() else None
    choice = builds.chosen()
    stale = choice is not None and choice.stale
    known = replace(Collected(item, end, deliverable, session, None, None, attempts, stale=stale), **spent)
    if graded is None:
        return replace(known, unscored=_unscored(grades))
    outcomes = Outcomes.read(graded / OUTCOMES_FILE)
    # A run that was stopped between the two phases has chosen a build and not yet its grade.
    return replace(known, outcomes=outcomes, graded=graded) if outcomes.deliverable == deliverable.sha256 else known


def _collect_clarified(store: RunStore, item: Item) -> Collected:
    clarified, made, stale = clarified_item(store, item)
    phases = {step.phase: store.phase(item, step.phase) for step in steps_of(item.condition)}
    counts = {name: len(phase.attempts()) for name, phase in phases.items()}
    failed = [found for name, phase in phases.items() if name not in made and (found := _unscored(phase))]
    known = Collected(
        item=item,
        end=clarified.end,
        deliverable=clarified.deliverable,
        session=None,
        outcomes=None,
        unscored=None if clarified.scored else next(iter(failed), _undecided(clarified)),
        # Readers look for these two under whatever protocol.
        attempts={**counts, "build": counts["implement"], "grade": counts["accept"]},
        stale=stale,
        clarified=clarified,
    )
    return replace(known, **_spent([*phases.values(), store.phase(item, "review")]))


def _undecided(clarified: Clarified) -> Unscored | None:
    """An item whose judge contradicts itself has no score until somebody settles it."""
    if clarified.judgements is None or clarified.judgements.score is not None:
        return None
    units = ", ".join(each.unit for each in clarified.judgements.units if each.label is None)
    return Unscored(boundary=Boundary.JUDGE, reason=f"no label has a majority of the reviews: {units}")


def _spent(phases: Sequence[PhaseFolder]) -> dict[str, Any]:
    attempts = [attempt for phase in phases for attempt in phase.attempts()]
    calls = [call for attempt in attempts for call in read_ledger(attempt / LEDGER_FILE)]
    return {"spending": by_role(calls), "task_cost": task_cost(calls)} if calls else {}


def _chosen(phase: PhaseFolder) -> Path | None:
    choice = phase.chosen()
    return phase.artifact(choice.key) if choice else None


def _unscored(phase: PhaseFolder) -> Unscored | None:
    choice = phase.chosen()
    failure = phase.given_up(choice.key) if choice else None
    return Unscored(boundary=failure.boundary, reason=failure.reason) if failure else None


def read_failures(collected: Collected) -> Failures | None:
    """What failing cases printed; None where the grade was made before that was kept.

    Raises:
        StoreError: the file is damaged.
    """
    if collected.graded is None or not (collected.graded / FAILURES_FILE).exists():
        return None
    return Failures.read(collected.graded / FAILURES_FILE)
