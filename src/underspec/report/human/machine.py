"""What the critic and the judge said of a study's samples, as the runs have it today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from underspec.artifact.answers import Answers
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.human import AnnotationKey, Sample
from underspec.artifact.judgements import Judgements, Label
from underspec.artifact.review import CRITIC_DIMENSIONS, DimensionName
from underspec.errors import StoreError
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.judge import JUDGEMENTS_FILE
from underspec.report.collect import collect_item
from underspec.run.item import Item
from underspec.run.labels import chosen_artifact
from underspec.run.store import RunStore


@dataclass(frozen=True)
class MachineScores:
    """A critic's scores (0 to 1) by sample and dimension, or a judge's labels by sample and unit.

    ``missing`` says of samples why there is nothing to compare with; ``models`` are the critics, or judges.
    """

    scores: Mapping[tuple[str, DimensionName], float] = field(default_factory=dict)
    labels: Mapping[tuple[str, str], Label] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    models: Sequence[str] = ()


def machine_scores(key: AnnotationKey) -> MachineScores:
    """Read what there is of every sample. What was settled by hand is left aside: it is the judge that is validated.

    Raises:
        StoreError: a run of the study is gone or damaged.
    """
    stores = {name: RunStore(Path(folder)) for name, folder in key.runs.items()}
    items = {name: {item.id: item for item in _items(store)} for name, store in stores.items()}
    scores: dict[tuple[str, DimensionName], float] = {}
    labels: dict[tuple[str, str], Label] = {}
    missing: dict[str, str] = {}
    models: set[str] = set()
    for sample in key.samples:
        store, item = stores[sample.run], items[sample.run].get(sample.item)
        if item is None:
            missing[sample.id] = "its item is gone from the run"
        elif key.kind == "critic":
            found, why = _review(store, item, sample, models)
            scores.update({(sample.id, name): score for name, score in found.items()})
            missing.update({sample.id: why} if why else {})
        else:
            judged, why = judge_labels(store, item, sample.subject)
            labels.update({(sample.id, unit): label for unit, label in judged.items()})
            models.add(item.condition.judge_model or "a judge without a name")
            missing.update({sample.id: why} if why else {})
    return MachineScores(scores, labels, missing, sorted(models))


def _items(store: RunStore) -> list[Item]:
    if not store.path.is_dir():
        raise StoreError(
            "a run of this study is gone", file=str(store.path), mend="put its folder back where it was sampled from"
        )
    return store.items()


def _review(
    store: RunStore, item: Item, sample: Sample, models: set[str]
) -> tuple[dict[DimensionName, float], str | None]:
    known = collect_item(store, item)
    if known.deliverable is None or known.deliverable.sha256 != sample.subject:
        return {}, "the item has another deliverable now"
    if known.review is None:
        return {}, "no critic has reviewed it"
    models.add(known.review.model)
    found: dict[DimensionName, float] = {}
    for name in CRITIC_DIMENSIONS:
        score = known.review.dimension(name).score
        if score is not None:
            found[name] = score
    return found, None if found else "the critic left it unscored"


def judge_labels(store: RunStore, item: Item, answers: str) -> tuple[dict[str, Label], str | None]:
    """The judge's own labels of the answers with that digest, by unit; and why there are none."""
    answered, judged = chosen_artifact(store, item, "answer"), chosen_artifact(store, item, "judge")
    if answered is None or sha256_hex(Answers.read(answered / ANSWERS_FILE).to_bytes()) != answers:
        return {}, "the item has other answers now"
    if judged is None:
        return {}, "no judge has labelled them"
    judgements = Judgements.read(judged / JUDGEMENTS_FILE)
    if judgements.answers != answers:
        return {}, "no judge has labelled them"
    found = {unit.unit: unit.label for unit in judgements.units if unit.label is not None}
    return found, None if found else "the judge left them unsettled"
