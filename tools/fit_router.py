"""Fit the coefficients of the embedded router, and write ``src/underspec/stakeholder/{blend,sorter}.json``.

    python tools/fit_router.py [--check]

Uses the tune part only: the questions on data-sizes, and those on made-up records under ``tests/``. Each set of records
in turn is left out and predicted from the others, so that the printed figures are of records never seen.

Ranking is a conditional logit: of all ids of a record set, which are right? Confidence is a logistic regression: is the
best id right? Both with an L2 penalty on standardised features; coefficients are written for the raw ones. Questions in
other languages are too few to fit on, therefore their coefficients come from the English questions put through the
multilingual model, without words; then words get the weight that they have in English, and the nearest phrase three
times its own: a vector is off by what the languages differ in, and the nearest phrase suffers least. That was chosen on
32 questions (``tests/stakeholder/other_language_questions.py`` and data-sizes).

With ``--check`` nothing is written, and exit code 1 says that a file would change.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.stakeholder import sizes_questions, table_questions  # noqa: E402
from tests.stakeholder.toy import table_records  # noqa: E402

from underspec.stakeholder import guard  # noqa: E402
from underspec.stakeholder.blend import EVIDENCE, FEATURES, Tongue, evidence, nearness, question_vector  # noqa: E402
from underspec.stakeholder.language import is_foreign  # noqa: E402
from underspec.stakeholder.matcher import Matcher  # noqa: E402
from underspec.stakeholder.sorter import KINDS  # noqa: E402
from underspec.stakeholder.texts import findables  # noqa: E402
from underspec.stakeholder.words import lexicon  # noqa: E402
from underspec.task.model import LevelRecords, RecordsFile  # noqa: E402

HOME = ROOT / "src/underspec/stakeholder"
TUNE = ROOT / "tests/routing/questions-tune"
RANKING_PENALTY, CONFIDENCE_PENALTY, SORTING_PENALTY = 0.01, 2.0, 10.0
FOLDS = 6
NEAREST_IN_OTHER_LANGUAGES = 3.0
SEVERAL = {"multi", "many", "more"}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """One question, the set of records it belongs to, and which ids are right."""

    group: str
    question: str
    gold: frozenset[str]
    fine: frozenset[str]
    kind: str


@dataclass(frozen=True)
class Sample:
    """A row as the matcher sees it. ``right``: 1 for gold ids, a half for acceptable ones."""

    row: Row
    table: Array
    right: Array
    leaning: tuple[float, ...]


def rows() -> tuple[list[Row], dict[str, LevelRecords]]:
    """All questions of the tune part, and the records by group."""
    found: list[Row] = []
    path = ROOT / "src/underspec/task/bundled/data-sizes/hidden/records.json"
    levels = RecordsFile.model_validate_json(path.read_bytes()).levels
    records: dict[str, LevelRecords] = {f"data-sizes {level}": known for level, known in levels.items()}
    for line in (ROOT / "tests/routing/questions/data-sizes.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.append(_row(f"data-sizes {row['level']}", row))
    for kind, question, gold, fine in sizes_questions.QUESTIONS + sizes_questions.LATER:
        found.append(Row("data-sizes L1", question, frozenset(gold), frozenset(fine), kind))
    for kind, question, gold, fine in table_questions.QUESTIONS:
        found.append(Row("table", question, frozenset(gold), frozenset(fine), kind))
    records["table"] = table_records()
    for file in sorted(TUNE.glob("*.jsonl")):
        records[file.stem] = RecordsFile.model_validate_json(file.with_suffix(".records.json").read_bytes()).levels[
            "L1"
        ]
        found += [_row(file.stem, json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    return found, records


def _row(group: str, row: dict[str, Any]) -> Row:
    return Row(group, row["question"], frozenset(row["gold"]), frozenset(row["also_ok"]), row["kind"])


def vectors(texts: Sequence[str], tongue: Tongue) -> Array:
    """One row a text."""
    made = [question_vector(text, tongue) for text in texts]
    if any(vector is None for vector in made):
        raise SystemExit("the multilingual model is not installed")
    return np.array(made, dtype=np.float64)


def examples(found: Sequence[Row], records: dict[str, LevelRecords], tongue: Tongue) -> tuple[list[str], list[int]]:
    """Texts and their kind by number; the last kind is a question that has an answer."""
    texts: list[str] = []
    kinds: list[int] = []
    for number, name in enumerate(KINDS):
        own = lexicon(name) + (lexicon(f"{name}_other") if tongue == "foreign" else [])
        texts += own
        kinds += [number] * len(own)
    honest = [row.question for row in found if row.gold and (tongue == "foreign" or not is_foreign(row.question))]
    for name in records:
        if not name.startswith("data-sizes L") or name == "data-sizes L1":
            honest += [phrase for one in findables(records[name]) for phrase in one.phrases]
    return texts + honest, kinds + [len(KINDS)] * len(honest)


def fit_sorter(seen: Array, kinds: NDArray[np.int64]) -> tuple[Array, Array]:
    """Weights (dimensions x kinds) and bias: ridge regression on the kinds, each kind counting the same."""
    size = len(KINDS) + 1
    each = (len(kinds) / size / np.bincount(kinds, minlength=size))[kinds]
    middle = np.average(seen, axis=0, weights=each)
    moved = seen - middle
    wanted = np.eye(size)[kinds] - 1 / size
    gram = (moved * each[:, None]).T @ moved + SORTING_PENALTY * np.eye(seen.shape[1])
    weights = np.linalg.solve(gram, (moved * each[:, None]).T @ wanted)
    return np.asarray(weights, dtype=np.float64), np.asarray(-middle @ weights, dtype=np.float64)


def held_out_leanings(texts: Sequence[str], kinds: Sequence[int], tongue: Tongue) -> dict[str, tuple[float, ...]]:
    """Leanings of all examples, each from a sorter that was fitted without it."""
    seen, numbers = vectors(texts, tongue), np.array(kinds)
    order = np.random.default_rng(0).permutation(len(texts))
    found: dict[str, tuple[float, ...]] = {}
    for part in np.array_split(order, FOLDS):
        rest = np.setdiff1d(order, part)
        weights, bias = fit_sorter(seen[rest], numbers[rest])
        for place in part:
            scores = seen[place] @ weights + bias
            found[texts[place]] = tuple(float(score) for score in scores[:-1] - scores[-1])
    return found


def samples(found: Sequence[Row], records: dict[str, LevelRecords], tongue: Tongue) -> list[Sample]:
    """One sample for each English question that asks one thing."""
    texts, kinds = examples(found, records, tongue)
    known = held_out_leanings(texts, kinds, tongue)
    weights, bias = fit_sorter(vectors(texts, tongue), np.array(kinds))
    matchers = {group: Matcher(known) for group, known in records.items()}
    made = []
    for row in found:
        if row.kind in SEVERAL or len(row.gold) > 1 or is_foreign(row.question):
            continue
        matcher = matchers[row.group]
        table = matcher.foreign(row.question) if tongue == "foreign" else matcher.english(row.question)
        if table is None:
            raise SystemExit("the multilingual model is not installed")
        right = [1.0 if name in row.gold else 0.5 if name in row.fine else 0.0 for name in matcher.ids]
        scores = vectors([row.question], tongue)[0] @ weights + bias
        leaning = known.get(row.question) or tuple(float(score) for score in scores[:-1] - scores[-1])
        made.append(Sample(row, table.astype(np.float64), np.array(right), leaning))
    return made


def fit_ranking(known: Sequence[Sample], used: NDArray[np.bool_], steps: int = 400) -> Array:
    """Weights of the features; those not ``used`` get 0."""
    known = [sample for sample in known if sample.row.gold]
    spread = np.concatenate([sample.table for sample in known]).std(axis=0) + 1e-6
    scaled = [sample.table / spread * used for sample in known]
    weights = np.zeros(len(used))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, steps + 1):  # Adam
        gradient = RANKING_PENALTY * weights
        for table, sample in zip(scaled, known, strict=True):
            logits = table @ weights
            share = np.exp(logits - logits.max())
            share /= share.sum()
            wanted = sample.right / sample.right.sum()
            reached = share * sample.right
            target = 0.5 * wanted + 0.5 * reached / (reached.sum() + 1e-12)
            gradient += table.T @ (share - target) / len(known)
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        weights -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return np.asarray(weights / spread * used)


def evidences(known: Sequence[Sample], weights: Array, tongue: Tongue) -> tuple[Array, Array]:
    """Evidence and whether the best id is right, a row a sample."""
    seen, right = [], []
    for sample in known:
        logits = (sample.table @ weights).astype(np.float32)
        vector = question_vector(sample.row.question, tongue)
        assert vector is not None
        table, says_nothing = sample.table.astype(np.float32), guard.is_vague(sample.row.question)
        seen.append(evidence(table, logits, nearness(vector, tongue), sample.leaning, tongue, says_nothing))
        right.append(sample.right[int(np.argmax(logits))] > 0)
    return np.array(seen, dtype=np.float64), np.array(right, dtype=np.float64)


def fit_confidence(seen: Array, right: Array) -> tuple[Array, float]:
    """Coefficients and intercept (Newton's method)."""
    middle, spread = seen.mean(axis=0), seen.std(axis=0) + 1e-6
    design = np.column_stack([(seen - middle) / spread, np.ones(len(seen))])
    weights = np.zeros(design.shape[1])
    penalty = CONFIDENCE_PENALTY * np.eye(len(weights))
    penalty[-1, -1] = 0
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        hessian = (design * (chance * (1 - chance))[:, None]).T @ design + penalty
        weights -= np.linalg.solve(hessian, design.T @ (chance - right) + penalty @ weights)
    raw = weights[:-1] / spread
    return raw, float(weights[-1] - raw @ middle)


def fit(known: Sequence[Sample], tongue: Tongue, words: float = 0.0) -> tuple[Array, Array, float]:
    """Everything for one tongue. ``words``: the weight of the lexical feature in other languages."""
    names = FEATURES[tongue]
    weights = fit_ranking(known, np.array([tongue == "english" or name != "lexical" for name in names]))
    if tongue == "foreign":
        weights[names.index("nearest")] *= NEAREST_IN_OTHER_LANGUAGES
        weights[names.index("lexical")] = words
    confidence, intercept = fit_confidence(*evidences(known, weights, tongue))
    return weights, confidence, intercept


def left_out(known: Sequence[Sample], tongue: Tongue) -> None:
    """Print, for each group of records, figures of a fit that has not seen it."""
    domains = sorted({sample.row.group.split()[0] for sample in known})
    for domain in domains:
        test = [sample for sample in known if sample.row.group.split()[0] == domain]
        weights, confidence, intercept = fit([sample for sample in known if sample not in test], tongue)
        seen, right = evidences(test, weights, tongue)
        chance = 1 / (1 + np.exp(-(seen @ confidence + intercept)))
        asked = np.array([bool(sample.row.gold) for sample in test])
        line = f"{tongue} {domain}: {len(test)} questions, top-1 {right[asked].mean():.3f}"
        for level in (0.3, 0.4, 0.5, 0.6, 0.7):
            given = chance >= level
            line += f" | {level}: unanswerable {given[~asked].mean():.3f}, right {(given * right)[asked].mean():.3f}"
        print(line, file=sys.stderr)


def main() -> int:
    """Fit, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    found, records = rows()
    document: dict[str, Any] = {}
    sorters: dict[str, Any] = {}
    words = 0.0
    for tongue in FEATURES:
        known = samples(found, records, tongue)
        if not check:
            left_out(known, tongue)
        weights, confidence, intercept = fit(known, tongue, words)
        names = FEATURES[tongue]
        words = float(weights[names.index("lexical")])
        document[tongue] = {
            "weights": {name: round(float(one), 3) for name, one in zip(names, weights, strict=True)},
            "confidence": {name: round(float(one), 3) for name, one in zip(EVIDENCE, confidence, strict=True)},
            "intercept": round(intercept, 3),
        }
        texts, kinds = examples(found, records, tongue)
        turned, bias = fit_sorter(vectors(texts, tongue), np.array(kinds))
        sorters[tongue] = {"bias": bias.round(4).tolist(), "weights": turned.round(4).tolist()}
    made = {"blend.json": json.dumps(document, indent=2) + "\n", "sorter.json": json.dumps(sorters) + "\n"}
    if check:
        return int(any(text != (HOME / name).read_text(encoding="utf-8") for name, text in made.items()))
    for name, text in made.items():
        (HOME / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
