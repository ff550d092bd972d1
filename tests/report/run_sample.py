"""Runs on disk made without running anything: items with a build, a grade, a ledger and a log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tests.report.html_sample import MANIFEST
from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.ledger import ModelCall
from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE
from underspec.phase.grade import OUTCOMES_FILE
from underspec.run.item import Item
from underspec.run.manifest import FILE
from underspec.run.store import Choice, RunStore

CASES = 10


def outcomes(task: str, passed: int, *, digest: str = "d1") -> Outcomes:
    """``passed`` of ten native cases."""
    cases = tuple(
        GradedCase(
            suite="native",
            file="f",
            index=index,
            outcome=CaseOutcome.PASS if index < passed else CaseOutcome.MISMATCH,
            hidden=True,
        )
        for index in range(CASES)
    )
    return Outcomes(task=task, task_digest=digest, deliverable="d" * 64, image="host:x", cases=cases, suites=())


def make_run(
    folder: Path,
    conditions: Mapping[Condition, Mapping[str, Sequence[int | None]]],
    *,
    digests: Mapping[str, str] | None = None,
    cost: float | None = 0.25,
    seconds: float = 90.0,
    comparable: bool = True,
) -> Path:
    """A run: how many of ten cases each epoch of each task passed under each condition; None: planned and not run."""
    store = RunStore(folder)
    items: list[tuple[Item, int | None]] = [
        (Item(task=task, condition=condition, epoch=epoch), passed)
        for condition, tasks in conditions.items()
        for task, epochs in tasks.items()
        for epoch, passed in enumerate(epochs, 1)
    ]
    (folder / "items").mkdir(parents=True)
    manifest = {**MANIFEST, "sandbox": {**MANIFEST["sandbox"], "comparable": comparable}}
    (folder / FILE).write_text(tomli_w.dumps(manifest))
    store.add_items([item for item, _passed in items])
    for item, passed in items:
        if passed is not None:
            digest = (digests or {}).get(item.task, "d1")
            _publish(store, item, outcomes(item.task, passed, digest=digest), cost, seconds)
    return folder


def _publish(store: RunStore, item: Item, found: Outcomes, cost: float | None, seconds: float) -> None:
    end = BuildEnd(agent=item.condition.agent, agent_version="1", ended="done")
    deliverable = Deliverable(sha256="d" * 64, files=1, bytes=1, dropped=())
    made = {
        "build": {BUILD_FILE: end.to_bytes(), DELIVERABLE_FILE: deliverable.to_bytes()},
        "grade": {OUTCOMES_FILE: found.to_bytes()},
    }
    for name, files in made.items():
        phase, key = store.phase(item, name), ("b" if name == "build" else "c") * 64
        artifact, attempt = phase.path / key, phase.path / "attempts" / "1"
        for path in (artifact, attempt):
            path.mkdir(parents=True)
        for file, content in files.items():
            (artifact / file).write_bytes(content)
        phase.choose(Choice(key=key, stale=False))
        events = [{"time": 1000.0, "event": "started"}, {"time": 1000.0 + seconds, "event": "published", "key": key}]
        (attempt / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
        if name == "build":
            used: dict[str, Any] = {"input": 100, "output": 20, "seconds": 1, "cost": cost}
            call = ModelCall(number=1, role="builder", phase="build", model="m", outcome="ok", **used)
            (attempt / "ledger.jsonl").write_bytes(call.to_bytes().strip() + b"\n")
