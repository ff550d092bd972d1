"""What stands beside the score: structure, the critic, what private tests and the judge found, cost and time."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from underspec.artifact.acceptance import Acceptance, AcceptanceFailures, TestVerdict
from underspec.artifact.answers import Answers
from underspec.artifact.judgements import Judgements, UnitJudgement
from underspec.artifact.ledger import Spending
from underspec.artifact.review import CRITIC_DIMENSIONS, Review
from underspec.artifact.structure import DIMENSIONS, Structure
from underspec.report.collect import Collected
from underspec.report.html.visible import prose
from underspec.task import release
from underspec.task.model import Task, Unit

_MOST_TESTS = 400
_MOST_RATIONALES = 6
_CRITIC_WORDS = {"semantic": "Behaviour", "api": "Public interface", "design": "Design"}
_DIMENSION_WORDS = {
    "class_like": "Classes",
    "method": "Methods",
    "method_qualified": "Methods with their owners",
    "namespace": "Namespaces",
}


@dataclass(frozen=True)
class StructureView:
    """Sizes of both trees, and how alike their names are. ``unscored`` says why there is no likeness."""

    sizes: tuple[tuple[str, int, int, float | None], ...]
    likeness: tuple[tuple[str, float | None, int, int, int], ...]
    unscored: str | None
    parse_errors: int
    notes: tuple[str, ...]


def structure_view(structure: Structure, *, public: bool) -> StructureView:
    """The comparison of two trees: counts, and remarks that may name files for the operator alone."""
    golden, generated = structure.golden, structure.generated
    overlap = structure.overlap
    return StructureView(
        sizes=(
            ("Files", golden.files, generated.files, structure.file_ratio),
            ("Lines of code", golden.loc, generated.loc, structure.loc_ratio),
        ),
        likeness=tuple(
            (
                _DIMENSION_WORDS[each],
                structure.similarity(each),
                overlap[each].golden,
                overlap[each].generated,
                overlap[each].common,
            )
            for each in DIMENSIONS
            if each in overlap
        ),
        unscored=structure.unscored,
        parse_errors=generated.parse_errors.places,
        notes=() if public else structure.notes,
    )


@dataclass(frozen=True)
class CriticView:
    """One dimension. ``rationales`` are empty where they are left out."""

    title: str
    score: float | None
    spread: tuple[float, float] | None
    verdicts: int
    planned: int
    unscored: str | None
    rationales: tuple[tuple[float, Markup], ...]
    shown: str


def critic_views(review: Review, *, public: bool) -> tuple[CriticView, ...]:
    """The three scores of a critic."""
    return tuple(_critic(review, dimension, public=public) for dimension in CRITIC_DIMENSIONS)


def _critic(review: Review, dimension: str, *, public: bool) -> CriticView:
    score = review.dimension(dimension)  # type: ignore[arg-type]
    kept = () if public else score.verdicts[:_MOST_RATIONALES]
    read = [
        f"{side}: {shown.whole} of {shown.files} files whole, {shown.cut} cut, {shown.left_out} left out"
        for side, shown in (("golden", score.golden), ("generated", score.generated))
    ]
    unscored = None
    if score.unscored is not None:
        unscored = f"{score.unscored.boundary}" if public else f"{score.unscored.boundary}: {score.unscored.reason}"
    return CriticView(
        title=_CRITIC_WORDS[dimension],
        score=score.score,
        spread=score.range if len(score.verdicts) > 1 else None,
        verdicts=len(score.verdicts),
        planned=score.planned,
        unscored=unscored,
        rationales=tuple((each.score, prose(each.rationale, 8000)) for each in kept),
        shown="; ".join(read),
    )


@dataclass(frozen=True)
class TestView:
    """One private test, for the operator."""

    __test__ = False  # no test of ours

    id: str
    verdict: str
    message: Markup | None


@dataclass(frozen=True)
class AcceptanceView:
    """What private tests found; ``tests`` is empty where their names are left out."""

    passed: bool
    tests_passed: int
    tests_total: int
    units_passed: int
    units_total: int
    tests: tuple[TestView, ...]
    left_out: int
    notes: tuple[Markup, ...]


def acceptance_view(acceptance: Acceptance, failures: AcceptanceFailures | None, *, public: bool) -> AcceptanceView:
    """The verdict on all private tests, those that fail first."""
    messages = {each.id: each.message for each in failures.tests} if failures else {}
    ordered = sorted(acceptance.tests, key=lambda test: test.verdict is TestVerdict.PASSED)
    kept = [] if public else ordered[:_MOST_TESTS]
    tests, units = acceptance.test_rate, acceptance.unit_rate
    return AcceptanceView(
        passed=acceptance.passed,
        tests_passed=tests.passed,
        tests_total=tests.total,
        units_passed=units.passed,
        units_total=units.total,
        tests=tuple(
            TestView(test.id, str(test.verdict), prose(messages[test.id], 3000) if messages.get(test.id) else None)
            for test in kept
        ),
        left_out=len(ordered) - len(kept) if not public else 0,
        notes=() if public else tuple(prose(note, 1000) for note in acceptance.notes[:20]),
    )


@dataclass(frozen=True)
class UnitView:
    """One requirement unit, for the operator: what was wanted, answered and found."""

    id: str
    hidden: bool | None
    passed: bool | None
    label: str | None
    requirement: Markup | None
    question: Markup | None
    reference: Markup | None
    answer: Markup | None
    reviews: tuple[tuple[str, Markup], ...]


@dataclass(frozen=True)
class UnderstandingView:
    """What the judge made of the answers; ``units`` is empty where they are left out."""

    score: float | None
    strict: float | None
    labels: tuple[tuple[str, int], ...]
    units: tuple[UnitView, ...]
    besides: Markup | None = None


def understanding_view(collected: Collected, task: Task | None, *, public: bool) -> UnderstandingView | None:
    """Answers and judgements of an item that clarifies; None where there are neither."""
    clarified = collected.clarified
    if clarified is None or (clarified.judgements is None and clarified.answers is None):
        return None
    judgements = clarified.judgements
    counts: dict[str, int] = {}
    for unit in judgements.units if judgements else ():
        word = str(unit.label) if unit.label else "not settled"
        counts[word] = counts.get(word, 0) + 1
    units = () if public else _units(judgements, clarified.answers, clarified.acceptance, task)
    besides = clarified.answers.besides if clarified.answers and not public else ""
    return UnderstandingView(
        score=judgements.score if judgements else None,
        strict=judgements.strict if judgements else None,
        labels=tuple(counts.items()),
        units=units,
        besides=prose(besides, 12_000) if besides.strip() else None,
    )


def _units(
    judgements: Judgements | None, answers: Answers | None, acceptance: Acceptance | None, task: Task | None
) -> tuple[UnitView, ...]:
    known: dict[str, Unit] = {}
    questions: dict[str, str] = {}
    if task is not None and task.units is not None:
        known = {unit.id: unit for unit in release.reference_units(task)}
        questions = {question.unit: question.text for question in release.unit_questions(task)}
    judged: dict[str, UnitJudgement] = {unit.unit: unit for unit in judgements.units} if judgements else {}
    answered = {each.unit: each.text for each in answers.answers} if answers else {}
    accepted = {unit.id: unit.passed for unit in acceptance.units} if acceptance else {}
    found = []
    for identity in dict.fromkeys([*judged, *answered, *accepted]):
        unit, verdict = known.get(identity), judged.get(identity)
        found.append(
            UnitView(
                id=identity,
                hidden=unit.initially_hidden if unit else None,
                passed=accepted.get(identity),
                label=str(verdict.label) if verdict and verdict.label else None,
                requirement=prose(unit.requirement, 4000) if unit else None,
                question=prose(questions[identity], 2000) if identity in questions else None,
                reference=prose(unit.answer, 4000) if unit else None,
                answer=prose(answered[identity], 8000) if answered.get(identity, "").strip() else None,
                reviews=tuple((str(each.label), prose(each.reason, 3000)) for each in verdict.reviews)
                if verdict
                else (),
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Spent:
    """What one role's model was used."""

    role: str
    spent: Spending


def spent_by_role(collected: Collected) -> tuple[Spent, ...]:
    """What an item's models were used, over all attempts."""
    return tuple(Spent(role, spent) for role, spent in collected.spending.items())
