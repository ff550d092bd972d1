"""How far a critic or a judge agrees with people, and people with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from underspec.artifact.human import AnnotationKey, HumanScores
from underspec.artifact.judgements import Label
from underspec.artifact.review import CRITIC_DIMENSIONS, DimensionName
from underspec.errors import UsageError
from underspec.measure.agreement import (
    Coefficient,
    IntraclassCorrelations,
    ScoreAgreement,
    cohen_kappa,
    confusion_matrix,
    intraclass_correlations,
    kappa_by_task,
    score_agreement,
    weights_of,
)
from underspec.measure.alpha import krippendorff_alpha
from underspec.measure.interval import LEVEL, Interval
from underspec.report.human.machine import MachineScores

SCHEMA = 1
LABELS = tuple(str(label) for label in Label)
_RANKS = {label: float(place) for place, label in enumerate(reversed(LABELS))}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DimensionAgreement:
    """One dimension of the critic. Scores are in points, 0 to 100.

    ``critic`` compares the critic with the mean of whoever rated a sample; ``annotators`` are the intraclass
    correlations among people over samples that all of them rated, ``alpha`` is Krippendorff's over all that two rated.
    """

    dimension: DimensionName
    critic_mean: float | None
    human_mean: float | None
    critic: ScoreAgreement
    annotators: IntraclassCorrelations
    alpha: Coefficient
    unrated: int
    unscored: int


@dataclass(frozen=True)
class LabelAgreement:
    """One rater's labels against the judge's: rows of ``confusion`` are the judge's labels, columns the person's."""

    answers: int
    confusion: list[list[int]]
    agreed: float | None
    kappa: Coefficient
    kappa_by_task: Interval | None
    weighted: Coefficient
    weighted_by_task: Interval | None


@dataclass(frozen=True)
class Agreement:
    """A study's agreement. ``dimensions`` are there where a critic is validated, the rest where a judge is.

    ``consensus`` is the label that more than half of an answer's raters gave; ``split`` answers have none and are left
    out of ``judge``. ``samples`` were sampled, ``missing`` of them have nothing of the critic's or judge's.
    """

    study: str
    kind: str
    samples: int
    annotators: tuple[str, ...]
    models: tuple[str, ...]
    filled: dict[str, int]
    cells: int
    missing: dict[str, int]
    dimensions: tuple[DimensionAgreement, ...] = ()
    judge: LabelAgreement | None = None
    by_annotator: dict[str, LabelAgreement] | None = None
    between_annotators: dict[str, Coefficient] | None = None
    alpha: Coefficient | None = None
    split: int = 0
    unlabelled: int = 0


def agreement(key: AnnotationKey, scores: HumanScores, machine: MachineScores) -> Agreement:
    """Compare what people and models said of the same samples.

    Raises:
        UsageError: the scores are another study's.
    """
    if scores.study != key.study or scores.kind != key.kind:
        raise UsageError(
            f"the scores are those of study {scores.study}, not {key.study}", mend="give the folder of one study"
        )
    common: dict[str, Any] = {
        "study": key.study,
        "kind": key.kind,
        "samples": len(key.samples),
        "annotators": scores.annotators,
        "models": tuple(machine.models),
        "filled": _filled(scores),
        "cells": len(key.samples) if key.kind == "critic" else sum(len(each.units) for each in key.samples),
        "missing": dict(sorted(Counter(machine.missing.values()).items())),
    }
    if key.kind == "critic":
        dimensions = tuple(_dimension(key, scores, machine, name) for name in CRITIC_DIMENSIONS)
        return Agreement(**common, dimensions=dimensions)
    return Agreement(**common, **_labels(key, scores, machine))


def _filled(scores: HumanScores) -> dict[str, int]:
    rows: tuple[Any, ...] = (*scores.ratings, *scores.labels)
    return {name: sum(each.filled for each in rows if each.annotator == name) for name in scores.annotators}


def _dimension(
    key: AnnotationKey, scores: HumanScores, machine: MachineScores, dimension: DimensionName
) -> DimensionAgreement:
    table = _table(key, scores, dimension)
    rated = [place for place, row in enumerate(table) if not np.isnan(row).all()]
    both = [place for place in rated if (key.samples[place].id, dimension) in machine.scores]
    people = [float(np.nanmean(table[place])) for place in both]
    critic = [100 * machine.scores[key.samples[place].id, dimension] for place in both]
    return DimensionAgreement(
        dimension=dimension,
        critic_mean=fmean(critic) if critic else None,
        human_mean=fmean(people) if people else None,
        critic=score_agreement(critic, people, [key.samples[place].task for place in both]),
        annotators=intraclass_correlations(table),
        alpha=krippendorff_alpha(table, "interval"),
        unrated=len(table) - len(rated),
        unscored=len(rated) - len(both),
    )


def _table(key: AnnotationKey, scores: HumanScores, dimension: DimensionName) -> Floats:
    """Samples by annotators, NaN where nobody scored."""
    rows = {sample.id: place for place, sample in enumerate(key.samples)}
    columns = {name: place for place, name in enumerate(scores.annotators)}
    table = np.full((len(rows), len(columns)), np.nan)
    for each in scores.ratings:
        score = each.score(dimension)
        if score is not None:
            table[rows[each.sample], columns[each.annotator]] = score
    return table


def _labels(key: AnnotationKey, scores: HumanScores, machine: MachineScores) -> dict[str, Any]:
    places = [(sample.id, unit) for sample in key.samples for unit in sample.units]
    tasks = {sample.id: sample.task for sample in key.samples}
    given: dict[tuple[str, str], dict[str, str]] = {place: {} for place in places}
    for each in scores.labels:
        if each.label is not None:
            given[each.sample, each.unit][each.annotator] = str(each.label)
    consensus = {place: label for place, found in given.items() if (label := _majority(list(found.values())))}
    labelled = sum(bool(found) for found in given.values())

    def against_judge(labels: dict[tuple[str, str], str]) -> LabelAgreement:
        both = [place for place in places if place in labels and place in machine.labels]
        judged, people = [str(machine.labels[place]) for place in both], [labels[place] for place in both]
        return _label_agreement(judged, people, [tasks[place[0]] for place in both])

    people = scores.annotators
    own = {name: {place: found[name] for place, found in given.items() if name in found} for name in people}
    table = np.array([[_RANKS.get(found.get(name, ""), np.nan) for name in people] for found in given.values()])
    pairs = {
        f"{one} and {other}": _kappa(own[one], own[other])
        for place, one in enumerate(people)
        for other in people[place + 1 :]
    }
    return {
        "judge": against_judge(consensus),
        "by_annotator": {name: against_judge(labels) for name, labels in own.items()},
        "between_annotators": pairs,
        "alpha": krippendorff_alpha(table.reshape(len(places), len(people)), "ordinal"),
        "split": labelled - len(consensus),
        "unlabelled": len(places) - labelled,
    }


def _majority(labels: Sequence[str]) -> str | None:
    """What more than half of the raters gave."""
    common = Counter(labels).most_common(1)
    return common[0][0] if common and 2 * common[0][1] > len(labels) else None


def _label_agreement(judged: list[str], people: list[str], tasks: list[str]) -> LabelAgreement:
    confusion, linear = confusion_matrix(judged, people, LABELS), weights_of(len(LABELS), "linear")
    same = sum(one == other for one, other in zip(judged, people, strict=True))
    return LabelAgreement(
        answers=len(judged),
        confusion=confusion,
        agreed=same / len(judged) if judged else None,
        kappa=cohen_kappa(confusion),
        kappa_by_task=kappa_by_task(judged, people, LABELS, tasks) if judged else None,
        weighted=cohen_kappa(confusion, linear),
        weighted_by_task=kappa_by_task(judged, people, LABELS, tasks, linear) if judged else None,
    )


def _kappa(one: dict[tuple[str, str], str], other: dict[tuple[str, str], str]) -> Coefficient:
    both = sorted(one.keys() & other.keys())
    confusion = confusion_matrix([one[each] for each in both], [other[each] for each in both], LABELS)
    return cohen_kappa(confusion, weights_of(len(LABELS), "linear"))


def agreement_document(found: Agreement) -> dict[str, Any]:
    """The document of ``underspec annotate agreement --json``; docs/human-validation.md says what each key means."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "study": found.study,
        "kind": found.kind,
        "level": LEVEL,
        "samples": found.samples,
        "missing": found.missing,
        "models": list(found.models),
        "annotators": [{"name": name, "filled": found.filled[name], "of": found.cells} for name in found.annotators],
    }
    if found.kind == "critic":
        return document | {"dimensions": {each.dimension: _dimension_document(each) for each in found.dimensions}}
    between = found.between_annotators or {}
    return document | {
        "labels": list(LABELS),
        "judge": _label_document(found.judge) if found.judge else None,
        "by_annotator": {name: _label_document(each) for name, each in (found.by_annotator or {}).items()},
        "between_annotators": {name: _coefficient(each) for name, each in between.items()},
        "alpha": _coefficient(found.alpha) if found.alpha else None,
        "split": found.split,
        "unlabelled": found.unlabelled,
    }


def _dimension_document(each: DimensionAgreement) -> dict[str, Any]:
    critic = each.critic
    return {
        "samples": critic.pairs,
        "unrated": each.unrated,
        "unscored": each.unscored,
        "critic_mean": each.critic_mean,
        "human_mean": each.human_mean,
        "pearson": {"value": critic.pearson.r, "interval": _pair(critic.pearson.interval)},
        "pearson_by_task": _pair(critic.by_task),
        "mae": critic.mae,
        "rmse": critic.rmse,
        "bias": critic.bias,
        "icc_c1": _coefficient(critic.icc.consistency),
        "icc_a1": _coefficient(critic.icc.absolute),
        "annotators": {
            "raters": each.annotators.raters,
            "samples": each.annotators.subjects,
            "icc_c1": _coefficient(each.annotators.consistency),
            "icc_a1": _coefficient(each.annotators.absolute),
            "icc_ck": each.annotators.mean_consistency,
            "icc_ak": each.annotators.mean_absolute,
            "alpha": _coefficient(each.alpha),
        },
    }


def _label_document(each: LabelAgreement) -> dict[str, Any]:
    return {
        "answers": each.answers,
        "confusion": each.confusion,
        "agreed": each.agreed,
        "kappa": _coefficient(each.kappa) | {"by_task": _pair(each.kappa_by_task)},
        "weighted_kappa": _coefficient(each.weighted) | {"by_task": _pair(each.weighted_by_task)},
    }


def _coefficient(found: Coefficient) -> dict[str, Any]:
    return {"value": found.value, "interval": _pair(found.interval)}


def _pair(interval: Interval | None) -> list[float] | None:
    return interval.pair() if interval else None
