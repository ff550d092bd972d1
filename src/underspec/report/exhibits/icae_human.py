"""ICAE Table XVI: the critic beside people."""

from __future__ import annotations

from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.report.exhibits.cells import count, span_of, text
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Cell, Column, Table
from underspec.report.exhibits.notes import run_notes

_TITLES = {"semantic": "Semantic similarity", "api": "API similarity", "design": "Design quality"}
_ALIKE = "the scores do not vary"


def table_xvi(evidence: Evidence) -> Table | None:
    """Correlation, error and agreement, dimension by dimension."""
    if evidence.human is None or not evidence.human.dimensions:
        return None
    rows = []
    for name in CRITIC_DIMENSIONS:
        found = evidence.human.dimensions.get(name)
        if found is None:
            continue
        rows.append(
            {
                "dimension": text(_TITLES[name]),
                "samples": count(found.samples),
                "annotators": count(found.annotators),
                "critic": Cell(found.critic_mean),
                "human": Cell(found.human_mean),
                "pearson": Cell(
                    found.pearson.r, span_of(found.pearson.interval), None if found.pearson.r is not None else _ALIKE
                ),
                "mae": Cell(found.mae),
                "rmse": Cell(found.rmse),
                "consistency": Cell(found.consistency, why=None if found.consistency is not None else _ALIKE),
                "absolute": Cell(found.absolute, why=None if found.absolute is not None else _ALIKE),
            }
        )
    columns = (
        Column("dimension", "Dimension"),
        Column("samples", "Deliverables", "count"),
        Column("annotators", "Annotators", "count"),
        Column("critic", "Critic, mean", "percent"),
        Column("human", "Annotators, mean", "percent"),
        Column("pearson", "Pearson's r", "number"),
        Column("mae", "MAE", "percent"),
        Column("rmse", "RMSE", "percent"),
        Column("consistency", "ICC(C,1)", "number"),
        Column("absolute", "ICC(A,1)", "number"),
    )
    notes = [
        *run_notes(evidence),
        "The critic is held against the mean of the annotators; r has Fisher's 95 % interval, MAE and RMSE are in "
        "points of the scale from 0 to 100. ICC(C,1) is the annotators' consistency, ICC(A,1) their absolute "
        "agreement.",
    ]
    return Table("ICAE Table XVI", "icae-table-16", "The critic and people", columns, rows, notes)
