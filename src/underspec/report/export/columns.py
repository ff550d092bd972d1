"""The tables of an export: their columns, with types that hold in every format, and what each says."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from underspec.artifact.condition import Condition
from underspec.report.scores import BESIDE, RATIOS

Kind = Literal["string", "int", "float", "bool", "strings"]
TableName = Literal["items", "cases", "questions", "units", "calls"]


@dataclass(frozen=True)
class Column:
    """One column. Any may be null. ``hidden`` ones are for the operator, and not in a public export."""

    name: str
    kind: Kind
    says: str
    hidden: bool = False


def _condition_kind(annotation: Any) -> Kind:
    """The type of a field of a condition, as a column has it."""
    inside = [each for each in get_args(annotation) if each is not type(None)]
    if get_origin(annotation) in (Union, types.UnionType) and len(inside) == 1:
        return _condition_kind(inside[0])
    kinds: dict[Any, Kind] = {bool: "bool", int: "int", float: "float"}
    return kinds.get(annotation, "string")


def condition_columns() -> tuple[Column, ...]:
    """One column for each field of a condition, under the field's own name."""
    return tuple(
        Column(name, _condition_kind(field.annotation), "of the condition")
        for name, field in Condition.model_fields.items()
    )


_ITEM = (
    Column("run", "string", "the run's name"),
    Column("item", "string", "the item's id: SHA-256 over task, condition and epoch"),
    Column("task", "string", "the task's id"),
)
_PLACE = (
    *_ITEM,
    Column("condition_id", "string", "SHA-256 of what differs from defaults"),
    Column("epoch", "int", "from 1"),
)

ITEMS = (
    *_PLACE,
    Column("task_title", "string", "null where the task was not to be had"),
    Column("task_family", "string", "repository or commission"),
    Column("task_category", "string", "what kind of software"),
    Column("task_language", "string", "of the original"),
    *condition_columns(),
    Column("scored", "bool", "whether there is all that the score is made of"),
    Column("unscored_boundary", "string", "whose failure it was, or not_run"),
    Column("unscored_reason", "string", "what happened", hidden=True),
    Column("stale", "bool", "made from other inputs than those of the last run"),
    Column("ended", "string", "done, failed or limit"),
    Column("limit", "string", "which limit ended it"),
    Column("task_digest", "string", "of the task's folder, as it was graded"),
    Column("comparison", "string", "rule by which outputs were compared: bytes, published or tests"),
    Column("image_digest", "string", "digest of the image that it was graded in"),
    Column("deliverable", "string", "SHA-256 over what was handed over"),
    Column("deliverable_files", "int", "files handed over"),
    Column("deliverable_bytes", "int", "bytes of their contents"),
    Column("build_attempts", "int", "attempts at building, failed ones among them"),
    *(
        column
        for view in ("overall", "public", "native", "enhanced", "hidden")
        for column in (
            Column(f"{view}_passed", "int", f"cases passed, {view}"),
            Column(f"{view}_total", "int", f"cases, {view}"),
            Column(f"{view}_rate", "float", "their share, 0 to 1"),
        )
    ),
    Column("task_pass", "bool", "every case, or every acceptance test, passes"),
    Column("tests_passed", "int", "acceptance tests passed"),
    Column("tests_total", "int", "acceptance tests"),
    Column("unit_pass", "float", "share of requirement units whose tests pass, 0 to 1"),
    Column("clarification", "float", "clarification score, 0 to 1"),
    Column("clarification_strict", "float", "share of fully correct answers, 0 to 1"),
    Column("questions", "int", "questions asked; approved rounds where a client answered"),
    Column("coverage", "float", "constraint coverage, 0 to 1 (ICAE III-F)"),
    Column("fallback_rate", "float", "share of questions that found nothing, 0 to 1"),
    Column("budget_use", "float", "questions asked over those allowed, 0 to 1"),
    *(Column(name, "float", "beside the original or by the critic, 0 to 1 (ICAE III-F)") for name in BESIDE),
    *(Column(name, "float", "of the generated tree over the original, 0 or more") for name in RATIOS),
    Column("critic_model", "string", "who the critic was"),
    Column("seconds", "float", "wall time of the builder's published attempts"),
    Column("calls", "int", "calls of the builder's model that make up the task's cost, failed attempts among them"),
    Column("tokens", "int", "their tokens in and out, cached ones included"),
    Column("cost", "float", "dollars; null where any of it is unknown"),
    Column("total_cost", "float", "dollars over all roles; null where any of it is unknown"),
)
CASES = (
    *_ITEM,
    Column("suite", "string", "public, native or enhanced"),
    Column("file", "string", "stem of the case file; in a public export null where the case is hidden"),
    Column("index", "int", "place in it from 0; in a public export null where the case is hidden"),
    Column("outcome", "string", "pass, mismatch, missing or oversize"),
    Column("hidden", "bool", "whether no agent can be told the case"),
)
QUESTIONS = (
    *_ITEM,
    Column("number", "int", "from 1"),
    Column("question", "string", "as asked", hidden=True),
    Column("reply", "string", "as the agent got it", hidden=True),
    Column("fallback", "bool", "the fixed fallback was the whole reply; null where a client answered"),
    Column("acknowledged_default", "bool", "the question proposed a sensible default"),
    Column("alignment", "string", "the reply brought the signature: routed or forced"),
    Column("remaining", "int", "budget after it; null where questions are not counted"),
    Column("matched", "strings", "ids of the records that were given", hidden=True),
    Column("drafts", "int", "drafts of the reply, where a client answered", hidden=True),
    Column("objections", "strings", "what the supervisor found wanting in drafts", hidden=True),
    Column("ungrounded", "int", "numbers, names and quotations of the reply that stand nowhere else", hidden=True),
)
UNITS = (
    *_ITEM,
    Column("unit", "string", "the requirement unit's id"),
    Column("passed", "bool", "every acceptance test of it passes; null where it was not accepted or rejected"),
    Column("label", "string", "correct, partial or incorrect; null where the answer was not judged"),
    Column("label_score", "float", "1, 0.5 or 0"),
    Column("reviews", "int", "readings of the answer by the judge"),
    Column("disputed", "bool", "whether they differ"),
    Column("answer", "string", "what the agent answered", hidden=True),
    Column("failed_tests", "strings", "ids of its tests that do not pass", hidden=True),
)
CALLS = (
    *_ITEM,
    Column("phase", "string", "build, clarify, implement, answer, judge, review, ..."),
    Column("attempt", "int", "which attempt at the phase, from 1"),
    Column("number", "int", "from 1 within the attempt"),
    Column("role", "string", "builder, router, client, supervisor, judge, critic, ..."),
    Column("model", "string", "provider/name"),
    Column("kind", "string", "generate or compact"),
    Column("outcome", "string", "ok, refused, error or cancelled"),
    Column("error", "string", "the signal, where it failed"),
    Column("stop_reason", "string", "why the answer ended"),
    Column("input", "int", "tokens in at the full rate"),
    Column("output", "int", "tokens out, reasoning among them"),
    Column("cache_read", "int", "tokens in from the provider's cache"),
    Column("cache_write", "int", "tokens in that it wrote to its cache"),
    Column("reasoning", "int", "tokens of reasoning"),
    Column("local_cache", "bool", "answered from our own cache; nothing was billed"),
    Column("retries", "int", "attempts of the call after the first"),
    Column("seconds", "float", "how long it took"),
    Column("waited", "float", "seconds of them in which limits or overload held it up"),
    Column("cost", "float", "dollars; null where unknown"),
    Column("in_task_cost", "bool", "whether it counts in the task's cost (SWE-Clar Table 5)"),
)
TABLES: dict[TableName, tuple[Column, ...]] = {
    "items": ITEMS,
    "cases": CASES,
    "questions": QUESTIONS,
    "units": UNITS,
    "calls": CALLS,
}
MEANING: dict[TableName, str] = {
    "items": "One row for each planned item: task, condition and epoch, what became of it, and what it took.",
    "cases": "One row for each graded case of each item (ICAE III-F).",
    "questions": "One row for each question with its reply.",
    "units": "One row for each requirement unit of each item that clarifies (SWE-Clar 2.3).",
    "calls": "One row for each model call of each attempt, whatever its role.",
}


def columns_of(table: TableName, *, public: bool) -> tuple[Column, ...]:
    """The columns of a table; those for the operator are left out of a public export."""
    return tuple(column for column in TABLES[table] if not (public and column.hidden))
