"""Human validation as tables: ICAE Table XVI, and the judge's labels beside people's."""

from __future__ import annotations

from underspec.measure.agreement import Coefficient
from underspec.measure.interval import Interval
from underspec.report.exhibits.exhibit import Cell, Column, Span, Table
from underspec.report.human.agreement import LABELS, Agreement, DimensionAgreement, LabelAgreement

WORDS = {"semantic": "Semantic similarity", "api": "API similarity", "design": "Design quality"}
_COLUMNS = (
    Column("dimension", "Dimension"),
    Column("samples", "Samples", "count"),
    Column("critic", "Critic", "number"),
    Column("human", "Human", "number"),
    Column("pearson", "Pearson r", "number"),
    Column("mae", "MAE", "number"),
    Column("rmse", "RMSE", "number"),
    Column("critic_c1", "Critic ICC(C,1)", "number"),
    Column("critic_a1", "Critic ICC(A,1)", "number"),
    Column("c1", "ICC(C,1)", "number"),
    Column("a1", "ICC(A,1)", "number"),
)
_NOTHING = "nobody rated what the critic scored"


def human_table(found: Agreement) -> Table:
    """ICAE Table XVI where a critic was validated; else the same for a judge, which SWE-Clar B.3 reports in words."""
    return _critic_table(found) if found.kind == "critic" else _judge_table(found)


def _critic_table(found: Agreement) -> Table:
    return Table(
        name="ICAE Table XVI",
        slug="icae-table-16",
        title="Human validation of critic-based metrics",
        columns=_COLUMNS,
        rows=[_row(each) for each in found.dimensions],
        notes=[*_about(found), *_critic_notes(found)],
    )


def _row(each: DimensionAgreement) -> dict[str, Cell]:
    critic, people = each.critic, each.annotators
    return {
        "dimension": Cell(WORDS[each.dimension]),
        "samples": Cell(critic.pairs),
        "critic": Cell(each.critic_mean, why=None if critic.pairs else _NOTHING),
        "human": Cell(each.human_mean, why=None if critic.pairs else _NOTHING),
        "pearson": _cell(critic.pearson.r, critic.pearson.interval, "too few, or nothing varies"),
        "mae": Cell(critic.mae, why=None if critic.pairs else _NOTHING),
        "rmse": Cell(critic.rmse, why=None if critic.pairs else _NOTHING),
        "critic_c1": _of(critic.icc.consistency, "too few, or nothing varies"),
        "critic_a1": _of(critic.icc.absolute, "too few, or nothing varies"),
        "c1": _of(people.consistency, "too few samples that everybody rated"),
        "a1": _of(people.absolute, "too few samples that everybody rated"),
    }


def _critic_notes(found: Agreement) -> list[str]:
    notes = [
        "Scores and errors are in points from 0 to 100; the critic's are multiplied by 100. Pearson, MAE, RMSE and the "
        "critic's ICCs are of the critic beside the mean of whoever rated a sample; the last two columns are among "
        "people.",
        "Brackets are 95 % intervals: Fisher's z for Pearson, McGraw and Wong's for ICCs; they take samples as "
        "independent.",
    ]
    for each in found.dimensions:
        if each.critic.by_task is not None:
            low, high = each.critic.by_task.pair()
            name = WORDS[each.dimension]
            notes.append(f"{name}: resampling tasks, whose samples are alike, r lies between {low:.2f} and {high:.2f}.")
    everybody = {(each.annotators.subjects, each.annotators.raters) for each in found.dimensions}
    notes += [f"{subjects} samples were rated by all {raters} people." for subjects, raters in sorted(everybody)]
    left_out = {
        each.dimension: (each.unrated, each.unscored) for each in found.dimensions if each.unrated or each.unscored
    }
    for dimension, (unrated, unscored) in left_out.items():
        notes.append(
            f"{WORDS[dimension]}: {unrated} samples nobody rated, {unscored} rated ones have no critic's score."
        )
    return notes


def _judge_table(found: Agreement) -> Table:
    columns = (
        Column("rater", "Judge beside"),
        Column("answers", "Answers", "count"),
        *(Column(f"{one}_{other}", f"{one} / {other}", "count") for one in LABELS for other in LABELS),
        Column("agreed", "Same label", "percent"),
        Column("kappa", "Kappa", "number"),
        Column("weighted", "Weighted kappa", "number"),
    )
    against = {"the majority": found.judge, **(found.by_annotator or {})}
    notes = [
        "Counts are of the judge's label / the person's. Kappa is Cohen's, weighted linearly over correct, partial, "
        "incorrect; brackets are its large-sample 95 % interval, which takes answers as independent.",
        f"{found.split} answers have no majority and {found.unlabelled} no label at all.",
    ]
    if found.alpha is not None and found.alpha.value is not None:
        notes.append(f"Among people, Krippendorff's alpha (ordinal) is {found.alpha.value:.2f}.")
    if found.judge is not None and found.judge.kappa_by_task is not None:
        low, high = found.judge.kappa_by_task.pair()
        notes.append(f"Resampling tasks, whose answers are alike, kappa lies between {low:.2f} and {high:.2f}.")
    return Table(
        name="SWE-Clar B.3",
        slug="swe-clar-judge-validation",
        title="Human validation of the judge's labels",
        columns=columns,
        rows=[_label_row(name, each) for name, each in against.items() if each is not None],
        notes=[*_about(found), *notes],
    )


def _label_row(rater: str, each: LabelAgreement) -> dict[str, Cell]:
    counts = {
        f"{one}_{other}": Cell(each.confusion[row][column])
        for row, one in enumerate(LABELS)
        for column, other in enumerate(LABELS)
    }
    return {
        "rater": Cell(rater),
        "answers": Cell(each.answers),
        **counts,
        "agreed": Cell(each.agreed, why=None if each.answers else "nobody labelled what the judge did"),
        "kappa": _of(each.kappa, "one label throughout"),
        "weighted": _of(each.weighted, "one label throughout"),
    }


def _about(found: Agreement) -> list[str]:
    who = "critic" if found.kind == "critic" else "judge"
    models = ", ".join(found.models) or "unknown"
    notes = [f"Study {found.study}: {found.samples} samples, {len(found.annotators)} people; {who}: {models}."]
    notes += [f"{number} samples are not compared: {why}." for why, number in found.missing.items()]
    return notes


def _of(found: Coefficient, why: str) -> Cell:
    return _cell(found.value, found.interval, why)


def _cell(value: float | None, interval: Interval | None, why: str) -> Cell:
    if value is None:
        return Cell(None, why=why)
    return Cell(value, Span(interval.low, interval.high) if interval else None)
