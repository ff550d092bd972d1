"""The shape of ``report.json``, as models from which its JSON Schema is made.

Keys may be added, so that readers must leave alone what they do not know; none is taken away or changes its meaning
without another ``schema`` number.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Rate = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Pair = Annotated[list[float], Field(min_length=2, max_length=2)]
ByName = dict[str, Rate]


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow")


class CaseRate(_Part):
    """Cases passed of a suite, over all items together."""

    passed: Count
    total: Count
    rate: Rate | None = Field(description="null where there is no case")


class Counts(_Part):
    """Every planned item is counted: planned = scored + the sum of unscored."""

    planned: Count
    scored: Count
    unscored: dict[str, Count] = Field(
        description="by boundary: agent, task, stakeholder, judge, model_service, sandbox, harness, or not_run"
    )


class Figure(_Part):
    """A mean over tasks."""

    mean: float | None
    interval: Pair | None = Field(description="95 %, over tasks; null with fewer than two")
    items: Count = Field(description="how many items it is of")


class CriticFigure(Figure):
    """One of the critic's three scores."""

    unscored: dict[str, Count]


class StructureFigures(Counts):
    """How deliverables are built beside the golden sources (ICAE III-F)."""

    ratio: dict[str, Figure] = Field(description="generated over golden: files, loc")
    similarity: dict[str, Figure] = Field(description="0 to 1: class, method, method_qualified, namespace")


class ReviewFigures(Counts):
    """What a critic says of deliverables (ICAE III-F)."""

    stale: Count
    models: list[str]
    repeats: list[Count] = Field(description="verdicts planned for each score")
    scores: dict[str, CriticFigure] = Field(description="0 to 1: semantic, api, design")


class Interaction(_Part):
    """Interaction quality, macro-averaged over tasks (ICAE III-F)."""

    sessions: Count
    tasks: Count
    silent: Count = Field(description="sessions in which nothing was asked")
    questions: Count
    coverage: Rate | None
    fallback_rate: Rate | None
    budget_use: Rate | None
    coverage_by_kind: ByName
    coverage_by_category: ByName = Field(description="empty in a public export: categories tell what is hidden")
    disclosure: list[Rate] = Field(description="mean coverage after the first question, the second, ...")
    fallbacks: Count
    acknowledged_defaults: Count
    more_asked: Count
    alignments: Count
    forced_alignments: Count


class Spending(_Part):
    """What one role's model was used, over all items and attempts."""

    calls: Count
    input: Count
    output: Count
    cache_read: Count
    cache_write: Count
    reasoning: Count
    retries: Count
    seconds: float
    waited: float
    known_cost: float = Field(description="dollars, of calls whose cost is known")
    billed: float = Field(description="known_cost without what our own cache answered")
    uncosted: Count = Field(description="answered calls of unknown cost")
    interrupted: Count
    refused: Count
    failed: Count
    tokens: Count = Field(description="in and out, cached ones included")
    cost: float | None = Field(description="dollars; null where any of it is unknown")


class Figures(Counts):
    """What a row and its tasks have. Rates are 0 to 1, or null where there is nothing that they could be of."""

    stale: Count = Field(description="items made from other inputs than those of the last run")
    overall_pooled: Rate | None = Field(description="native and enhanced cases of all items together")
    overall_macro: Rate | None = Field(description="mean over tasks of each task's mean")
    interval: Pair | None = Field(description="of the measure that interval_of names; null with fewer than two tasks")
    interval_of: str
    intervals: dict[str, Pair | None]
    bounds: list[float | None] = Field(description="the score if all that is unscored had failed, and had passed")
    public: Rate | None
    native: Rate | None
    enhanced: Rate | None
    hidden: Rate | None
    cases: dict[str, CaseRate]
    outcomes: dict[str, Count] = Field(description="native and enhanced cases: pass, mismatch, missing, oversize")
    states: dict[str, list[str]] = Field(description="what was seen in each suite of any item")
    task_pass: Rate | None = Field(description="share of tasks of which every case, or acceptance test, passes")
    clarification: Rate | None
    clarification_strict: Rate | None
    unit_pass: Rate | None
    questions: Count
    coverage: Rate | None
    fallback_rate: Rate | None
    budget_use: Rate | None
    interaction: Interaction
    cost: float | None = Field(description="mean dollars an item for the builder's model (SWE-Clar Table 5)")
    spending: dict[str, Spending] = Field(description="by role")
    structure: StructureFigures | None = Field(default=None, description="null where it was not planned")
    review: ReviewFigures | None = Field(default=None, description="null where it was not planned")


class TaskFigures(Figures):
    """One task under one condition."""

    task: str


class ConditionOfRow(_Part):
    """Every field of the condition, and its id."""

    id: str = Field(description="SHA-256 of what differs from defaults")
    agent: str
    model: str | None = None
    protocol: str = "build"


class Row(Figures):
    """One condition."""

    agent: str
    model: str | None
    condition: ConditionOfRow
    tasks: list[TaskFigures]


class Intervals(_Part):
    """How intervals are made: docs/statistics.md."""

    method: str
    level: float
    clusters: str


class RunReport(Counts):
    """One run: what ``underspec report --json`` prints."""

    model_config = ConfigDict(extra="allow", title="Run report")
    report_schema: Literal[1] = Field(alias="schema")
    run: str
    comparable: bool = Field(description="whether everything ran in images with digests")
    intervals: Intervals
    stale: Count
    rows: list[Row]


class ColumnOfTable(_Part):
    """A column of a table."""

    name: str
    kind: Literal["string", "int", "float", "bool", "strings"]
    says: str


class TableOfExport(_Part):
    """A table that was written."""

    says: str
    rows: Count
    files: list[str]
    columns: list[ColumnOfTable]


class EvidenceLog(_Part):
    """A log of the engine's."""

    run: str
    file: str = Field(description="below the run's folder")
    bytes: Count
    sha256: str
    copied: str | None = Field(description="where the export has a copy")


class Trajectories(_Part):
    """What stands in trajectories.jsonl."""

    file: str
    lines: Count
    without_messages: dict[str, Count] = Field(description="phases without messages, by reason")
    incomplete: Count = Field(description="phases of which the log has fewer calls than the ledger, or more")
    weights: dict[str, float]
    components: dict[str, str] = Field(description="what each component of a reward is")


class ExportReport(_Part):
    """``report.json`` of an export."""

    model_config = ConfigDict(extra="allow", title="Underspec export")
    export_schema: Literal[1] = Field(alias="schema")
    underspec: str = Field(description="version of the package that wrote it")
    public: bool = Field(description="whether everything hidden was left out")
    runs: list[RunReport]
    tables: dict[str, TableOfExport]
    trajectories: Trajectories
    evidence: list[EvidenceLog]
    notes: list[str]


def export_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of an export's ``report.json``; that of one run's report is its ``$defs/RunReport``."""
    schema = ExportReport.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_bytes() -> bytes:
    """The same as a file."""
    return json.dumps(export_schema(), indent=2, ensure_ascii=True).encode() + b"\n"
