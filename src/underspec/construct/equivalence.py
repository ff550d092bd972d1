"""Semantic equivalence: whether a request *with* its records says what the GroundPRD says (ICAE III-C, App. D).

The model gives a similarity and what it found; whether that is equivalent is decided here: a similarity of at least
0.90 and no material contradiction. Everything that it reads is data between marked lines (:mod:`.data`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, ValidationError

from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.prompts import load_prompt, render
from underspec.task.model import Level, LevelRecords

ROLE = "equivalence"
PROMPTS = ("rules", "material", "malformed")
LEAST_SIMILARITY = 0.90
LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")

Risk = Literal["low", "medium", "high"]


def _number(value: Any) -> Any:
    """JSON numbers alone: a text or a truth value is no similarity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("is no number")
    return value


class Contradiction(BaseModel):
    """A statement of request or records that says something else than the GroundPRD."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    statement: str
    material: StrictBool


class Equivalence(BaseModel):
    """One judgement. ``similarity`` is 0 to 1; ``missing`` are points that stand in neither request nor records."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    missing: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    reason: str
    similarity: Annotated[float, BeforeValidator(_number), Field(ge=0, le=1, allow_inf_nan=False)]
    execution_contract_risk: Risk
    likely_to_fail_same_tests: StrictBool

    @property
    def material(self) -> tuple[str, ...]:
        """The contradictions that change what is built or tested."""
        return tuple(each.statement for each in self.contradictions if each.material)

    @property
    def equivalent(self) -> bool:
        """Whether the task is the same: similarity of at least 0.90, and no material contradiction."""
        return self.similarity >= LEAST_SIMILARITY and not self.material


_TEXT = {"type": "string"}
_CONTRADICTION = {
    "type": "object",
    "properties": {"statement": _TEXT, "material": {"type": "boolean"}},
    "required": ["statement", "material"],
    "additionalProperties": False,
}
SHAPE = Shape(
    "equivalence",
    {
        "missing": {"type": "array", "items": _TEXT},
        "contradictions": {"type": "array", "items": _CONTRADICTION},
        "reason": _TEXT,
        "similarity": {"type": "number", "minimum": 0, "maximum": 1},
        "execution_contract_risk": {"type": "string", "enum": ["low", "medium", "high"]},
        "likely_to_fail_same_tests": {"type": "boolean"},
    },
)


def read_equivalence(document: dict[str, Any]) -> Equivalence | None:
    """A judgement; None where something of it is missing or of another form."""
    try:
        return Equivalence.model_validate(document)
    except (ValidationError, RecursionError):
        return None


def prompt_hashes(override: Path | None = None) -> dict[str, str]:
    """The prompts' hashes, for the stage that judges."""
    return {f"{ROLE}/{name}": load_prompt(ROLE, name, override=override).sha256 for name in PROMPTS}


def material(request: str, known: LevelRecords, ground: str) -> str:
    """What is compared, as data: the GroundPRD, the request, and all that can be answered at its level."""
    answers = [f"{name}: {response}" for name, response in known.responses().items()]
    for place, pointer in enumerate(known.pointers):
        answers.append(f"P{place} explains the words: {pointer.reference}")
    return as_data(GroundPRD=ground, request=request, records="\n\n".join(answers))


async def judge_equivalence(work: Work, level: Level, request: str, known: LevelRecords, ground: str) -> Equivalence:
    """Ask the stage's model about one level.

    Raises:
        NoProposalError: no attempt brought a judgement.
        UsageError, ModelServiceError, CostLimitError: see :meth:`underspec.construct.stage.Work.ask`.
    """
    override = Path(work.project.prompts) if work.project.prompts else None

    def prompt(name: str, **values: str) -> str:
        return render(load_prompt(ROLE, name, override=override), sections={}, values=values)

    user = prompt("material", level=level, material=material(request, known, ground))
    return await work.ask(prompt("rules"), user, SHAPE, read_equivalence, again=prompt("malformed"))


def check_equivalence(level: Level, judged: Equivalence) -> Iterator[GateFinding]:
    """What keeps the gate shut, and what somebody should look at. ``file`` is the request's in the task."""
    file, reason = f"hidden/requests/{level}.md", judged.reason[:300]

    def said(kind: str, message: str, mend: str, *, sure: bool = True) -> GateFinding:
        severity: Literal["error", "warning"] = "error" if sure else "warning"
        return GateFinding(kind=kind, message=message, severity=severity, file=file, evidence=reason, mend=mend)

    if judged.similarity < LEAST_SIMILARITY:
        lacking = f"; missing: {'; '.join(judged.missing)[:300]}" if judged.missing else ""
        message = f"{level} with its records conveys {judged.similarity:.2f} of the GroundPRD, less than 0.90{lacking}"
        yield said("not_equivalent", message, "write what is missing into a record's response")
    for statement in judged.material:
        message = f"{level} or its records contradict the GroundPRD: {statement[:300]}"
        yield said("contradicts_ground", message, "correct the request, the record, or the GroundPRD")
    if judged.likely_to_fail_same_tests:
        message = f"whoever builds from {level} and its records probably fails the same tests"
        yield said("fails_same_tests", message, "find out which point is lost")
    if judged.execution_contract_risk != "low":
        message = f"the execution contract of {level} is at {judged.execution_contract_risk} risk"
        high = judged.execution_contract_risk == "high"
        yield said("contract_at_risk", message, "say exactly how requests and answers look", sure=high)
    if judged.missing and judged.similarity >= LEAST_SIMILARITY:
        message = f"{level} and its records lack: {'; '.join(judged.missing)[:300]}"
        yield said("points_missing", message, "look whether they matter", sure=False)
