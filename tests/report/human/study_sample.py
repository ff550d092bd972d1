"""Runs on disk whose deliverables a critic has reviewed, or whose answers a judge has labelled; nothing is run."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tests.report.html_sample import MANIFEST
from underspec.artifact.answers import Answers, UnitAnswer
from underspec.artifact.build import BuildEnd
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.condition import Condition
from underspec.artifact.human import AnnotationKey
from underspec.artifact.judgements import Judgements, Label, UnitJudgement
from underspec.artifact.judgements import Review as JudgeReview
from underspec.artifact.review import CRITIC_DIMENSIONS, CriticScore, Review, Shown, TreeRead, Verdict
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.build import BUILD_FILE, DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.judge import JUDGEMENTS_FILE
from underspec.phase.review import REVIEW_FILE
from underspec.run.item import Item
from underspec.run.manifest import FILE
from underspec.run.store import Choice, RunStore
from underspec.sandbox.deliverable import seal_folder

Scores = Mapping[str, float] | None
CRITIC = "maker/critic-9"
UNITS = ("RU-001", "RU-002", "RU-003")


def begin_run(folder: Path, items: Sequence[Item]) -> RunStore:
    """An empty run of these items."""
    (folder / "items").mkdir(parents=True)
    (folder / FILE).write_text(tomli_w.dumps(MANIFEST))
    store = RunStore(folder)
    store.add_items(list(items))
    return store


def publish(store: RunStore, item: Item, phase: str, files: Mapping[str, bytes], letter: str) -> Path:
    """One phase's artifact, which the item goes by."""
    found, key = store.phase(item, phase), letter * 64
    artifact = found.path / key
    artifact.mkdir(parents=True)
    for name, content in files.items():
        (artifact / name).write_bytes(content)
    found.choose(Choice(key=key, stale=False))
    return artifact


def review_of(task: str, deliverable: str, scores: Mapping[str, float], *, nothing: bool = False) -> Review:
    """A review with these scores, 0 to 1."""
    seen = Shown(files=1, whole=1, cut=0, left_out=0, tokens=1, tokens_of_all=1)
    parts: dict[str, Any] = {
        name: CriticScore(
            prompt="p" * 64,
            planned=1,
            verdicts=(Verdict(score=scores[name], rationale="why"),),
            golden=seen,
            generated=seen,
        )
        for name in CRITIC_DIMENSIONS
    }
    return Review(
        task=task,
        deliverable=deliverable,
        model=CRITIC,
        prompts={},
        golden=TreeRead(),
        generated=TreeRead(),
        nothing_generated=nothing,
        **parts,
    )


def reviewed_run(
    folder: Path,
    conditions: Sequence[Condition],
    epochs: int,
    scores: Callable[[Condition, int], Scores],
    *,
    task: str = "data-sizes",
    write: Callable[[Path, Condition, int], None] | None = None,
) -> Path:
    """A run with a deliverable and, where ``scores`` has any, a review for each condition and epoch."""
    items = [Item(task=task, condition=each, epoch=epoch) for each in conditions for epoch in range(1, epochs + 1)]
    store = begin_run(folder, items)
    for item in items:
        tree = folder.parent / f"tree-{folder.name}-{item.folder}"
        tree.mkdir()
        if write is None:
            (tree / "main.py").write_text(f"print({item.epoch})\n")
        else:
            write(tree, item.condition, item.epoch)
        end = BuildEnd(agent=item.condition.agent, agent_version="1", ended="done")
        artifact = publish(store, item, "build", {BUILD_FILE: end.to_bytes()}, "b")
        deliverable = seal_folder(tree, artifact / DELIVERABLE_TAR)
        (artifact / DELIVERABLE_FILE).write_bytes(deliverable.to_bytes())
        found = scores(item.condition, item.epoch)
        if found is not None:
            review = review_of(task, deliverable.sha256, found)
            publish(store, item, "review", {REVIEW_FILE: review.to_bytes()}, "c")
    return folder


def judged_run(
    folder: Path,
    conditions: Sequence[Condition],
    labels: Callable[[Condition, str], str | None],
    *,
    task: str = "tool-lending",
    units: Sequence[str] = UNITS,
    say: Callable[[str], str] = lambda unit: f"what I know of {unit}",
    besides: str = "",
) -> Path:
    """A run with answers, and a judge's labels of them, for each condition."""
    items = [Item(task=task, condition=each, epoch=1) for each in conditions]
    store = begin_run(folder, items)
    for item in items:
        answers = Answers(
            task=task,
            context="c" * 64,
            answers=tuple(UnitAnswer(unit=unit, text=say(unit)) for unit in units),
            besides=besides,
            end=BuildEnd(agent="answer", agent_version="1", ended="done"),
        )
        publish(store, item, "answer", {ANSWERS_FILE: answers.to_bytes()}, "d")
        given = {unit: labels(item.condition, unit) for unit in units}
        judgements = Judgements(
            task=task,
            answers=sha256_hex(answers.to_bytes()),
            units=tuple(
                UnitJudgement.of(unit, [JudgeReview(label=Label(label))] if label else [])
                for unit, label in given.items()
            ),
        )
        publish(store, item, "judge", {JUDGEMENTS_FILE: judgements.to_bytes()}, "e")
    return folder


def filled(sheet: bytes, values: Callable[[dict[str, str]], Mapping[str, object]]) -> bytes:
    """A sheet with cells filled in by a rule over what stands in each row."""
    rows = list(csv.DictReader(io.StringIO(sheet.decode("utf-8-sig"))))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, **values(row)} for row in rows)
    return text.getvalue().encode()


def by_sample(key: AnnotationKey) -> dict[str, str]:
    """The item's folder behind each sample."""
    return {sample.id: sample.folder for sample in key.samples}
