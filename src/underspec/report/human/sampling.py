"""Choosing what people rate: seeded, and spread over conditions as the runs have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.answers import Answers
from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.human import AnnotationKey, Sample, Stratum, StudyKind
from underspec.errors import UsageError
from underspec.phase.answer import ANSWERS_FILE
from underspec.report.collect import collect_item
from underspec.report.human.machine import judge_labels
from underspec.run.item import Item
from underspec.run.labels import chosen_artifact
from underspec.run.manifest import read_manifest
from underspec.run.store import RunStore


@dataclass(frozen=True)
class _Candidate:
    run: str
    item: Item
    subject: str
    units: tuple[str, ...]


def sample_study(runs: Sequence[Path], kind: StudyKind, number: int, seed: int, *, unscored: bool) -> AnnotationKey:
    """Sample ``number`` items of the runs. Each condition gets its share of them, in proportion to what it has.

    The same runs, number and seed give the same samples on any machine; their ids are in an order that says nothing.
    With ``unscored``, what no critic, or judge, has scored can be sampled as well.

    Raises:
        UsageError: there are fewer than that, or two runs have the same name.
        StoreError: a run is damaged.
    """
    folders = {path.name: path for path in dict.fromkeys(run.resolve() for run in runs)}
    if len(folders) < len({run.resolve() for run in runs}):
        raise UsageError("two runs have the same name", mend="rename the folder of one")
    excluded: Counter[str] = Counter()
    candidates: list[_Candidate] = []
    for name, folder in folders.items():
        read_manifest(folder)
        candidates += _candidates(name, RunStore(folder), kind, excluded, unscored=unscored)
    if number > len(candidates):
        why = "; ".join(f"{count}: {reason}" for reason, count in sorted(excluded.items()))
        raise UsageError(
            f"there are {len(candidates)} to sample, not {number}{f' (left out {why})' if why else ''}",
            where="--number",
            mend="sample fewer, name more runs, or let them be scored first (--unscored samples what is not)",
        )
    strata: dict[str, list[_Candidate]] = {}
    for each in candidates:
        strata.setdefault(each.item.condition.id, []).append(each)
    shares = allocate({name: len(members) for name, members in strata.items()}, number)
    chosen = [
        each
        for name, members in strata.items()
        for each in sorted(members, key=lambda one: _draw(seed, "choose", one))[: shares[name]]
    ]
    chosen.sort(key=lambda each: _draw(seed, "order", each))
    width = max(3, len(str(number)))
    return AnnotationKey(
        kind=kind,
        seed=seed,
        runs={name: str(folder) for name, folder in folders.items()},
        strata=tuple(_stratum(members, shares[name]) for name, members in sorted(strata.items())),
        excluded=dict(sorted(excluded.items())),
        samples=tuple(
            Sample(
                id=f"S{place:0{width}}",
                run=each.run,
                item=each.item.id,
                folder=each.item.folder,
                task=each.item.task,
                condition=each.item.condition.id,
                subject=each.subject,
                units=each.units,
            )
            for place, each in enumerate(chosen, 1)
        ),
    )


def allocate(sizes: dict[str, int], number: int) -> dict[str, int]:
    """Shares of ``number`` in proportion to ``sizes``, by largest remainders; equals by name (Hamilton's method)."""
    total = sum(sizes.values())
    exact = {name: number * size / total for name, size in sizes.items()} if total else {}
    shares = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (shares[name] - exact[name], name))
    for name in by_remainder[: number - sum(shares.values())]:
        shares[name] += 1
    return shares


def _draw(seed: int, purpose: str, each: _Candidate) -> str:
    # A digest in place of a generator of random numbers: no library's version changes it.
    return digest_of([seed, purpose, each.run, each.item.id])


def _stratum(members: Sequence[_Candidate], sampled: int) -> Stratum:
    condition = members[0].item.condition
    return Stratum(
        condition=condition.id, agent=condition.agent, model=condition.model, eligible=len(members), sampled=sampled
    )


def _candidates(
    run: str, store: RunStore, kind: StudyKind, excluded: Counter[str], *, unscored: bool
) -> Iterator[_Candidate]:
    for item in store.items():
        found, why = (_deliverable if kind == "critic" else _answers)(run, store, item, unscored=unscored)
        if found is not None:
            yield found
        else:
            excluded[why] += 1


def _deliverable(run: str, store: RunStore, item: Item, *, unscored: bool) -> tuple[_Candidate | None, str]:
    known = collect_item(store, item)
    if known.deliverable is None:
        return None, "nothing was handed over yet"
    if not known.deliverable.files or (known.review is not None and known.review.nothing_generated):
        return None, "there is no source file to rate"
    if (known.review is None or not known.review.scored) and not unscored:
        return None, "no critic has scored it"
    return _Candidate(run, item, known.deliverable.sha256, ()), ""


def _answers(run: str, store: RunStore, item: Item, *, unscored: bool) -> tuple[_Candidate | None, str]:
    answered = chosen_artifact(store, item, "answer") if item.condition.protocol != "build" else None
    if answered is None:
        return None, "no requirement question was answered"
    answers = Answers.read(answered / ANSWERS_FILE)
    if answers.nothing:
        return None, "nothing was answered"
    digest = sha256_hex(answers.to_bytes())
    if not unscored and not judge_labels(store, item, digest)[0]:
        return None, "no judge has labelled it"
    return _Candidate(run, item, digest, tuple(each.unit for each in answers.answers)), ""
