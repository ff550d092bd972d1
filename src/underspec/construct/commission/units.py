"""units: what is asked about, what is hidden at first, and the request that hides it (SWE-Clar 2.3, 2.4, B.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from underspec.artifact.files import write_atomic
from underspec.construct.commission.candidate import parsed
from underspec.construct.commission.extract import GROUND, REQUIREMENTS, Requirements
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.materials import read_part, write_part
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.task.model import NonEmpty, Part

UNITS, INITIAL = "units.json", "initial.md"
LEAST, MOST = 3, 7
TOPIC = "{topic}"
_LITERAL = re.compile(
    r"\"([^\"\n]{1,60})\"|“([^”\n]{1,60})”|`([^`\n]{1,60})`"
    r"|(?<![\w.])(\d+(?:[.,]\d+)*%?)(?!\w)|\b([a-z]+_[a-z_]+|[a-z]+[A-Z]\w+|[A-Z]{3,}\w*)\b"
)


class PlannedUnit(Part):
    """One unit before there are tests. ``requirements`` are ids of what it rests on."""

    id: str = Field(pattern=r"^RU-\d{3}$")
    topic: NonEmpty
    answer: NonEmpty
    initially_hidden: bool
    requirements: tuple[NonEmpty, ...] = Field(min_length=1)


class PlannedUnits(Part):
    """``units.json``. ``question`` has :data:`TOPIC` in it; ``background`` are requirements that no unit asks about."""

    question: NonEmpty
    units: tuple[PlannedUnit, ...] = Field(min_length=1)
    background: tuple[NonEmpty, ...] = ()


_UNIT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "topic": {"type": "string"},
        "answer": {"type": "string"},
        "initially_hidden": {"type": "boolean"},
        "requirements": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "topic", "answer", "initially_hidden", "requirements"],
}
SHAPE = Shape(
    "units",
    {
        "question": {"type": "string"},
        "units": {"type": "array", "items": _UNIT},
        "background": {"type": "array", "items": {"type": "string"}},
        "initial": {"type": "string"},
    },
)


class Units:
    """Asks for units and for the request that leaves the hidden ones out."""

    name = "units"
    needs: tuple[str, ...] = ("extract",)
    version = 1
    prompts: tuple[str, ...] = ("rules", "material", "malformed")
    files: Mapping[str, str] = {
        UNITS: "three to seven units: topic, reference answer, hidden at first or not",
        INITIAL: "the request that the agent is given",
    }
    calls = 1

    def reads(self, project: Project) -> dict[str, str]:
        """Nothing else."""
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Ask for both at once, since what the one hides the other must not say."""
        problems: list[GateFinding] = []
        found = read_part(work.of("extract"), REQUIREMENTS, Requirements, problems)
        if found is None:
            raise NoProposalError(f"the requirements are not whole: {feedback(problems)}", kind="bad_needs")
        ground = (work.of("extract") / GROUND).read_text(encoding="utf-8", errors="replace")
        user = work.prompt(
            "material",
            sections={"findings": bool(findings)},
            findings=as_data(findings=feedback(findings)),
            material=as_data(requirements=found.model_dump_json(indent=1), complete=ground),
        )
        units, initial = await work.ask(work.prompt("rules"), user, SHAPE, _read, again=work.prompt("malformed"))
        write_part(work.out / UNITS, units)
        write_atomic(work.out / INITIAL, (initial.strip() + "\n").encode())

    async def gate(self, work: Work) -> Verdict:
        """Number, topics, what is hidden, and what each rests on."""
        findings: list[GateFinding] = []
        units = read_part(work.out, UNITS, PlannedUnits, findings)
        found = read_part(work.of("extract"), REQUIREMENTS, Requirements, findings)
        path = work.out / INITIAL
        initial = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        if not initial.strip():
            findings.append(GateFinding(kind="missing_file", message="is missing or empty", file=INITIAL))
        if units is None or found is None:
            return Verdict(findings=tuple(findings))
        findings += judge_units(units, set(found.by_id()), initial)
        hidden = sum(unit.initially_hidden for unit in units.units)
        return Verdict(findings=tuple(findings), facts={"units": len(units.units), "hidden": hidden})


def judge_units(units: PlannedUnits, requirements: set[str], initial: str) -> Iterator[GateFinding]:
    """Everything that is wrong with units and the request that hides them."""
    if not LEAST <= len(units.units) <= MOST:
        yield _finding("number", f"there are {len(units.units)} units, and {LEAST} to {MOST} are wanted", "$.units")
    if TOPIC not in units.question:
        yield _finding("question", f"the question names no {TOPIC}", "$.question", f"write {TOPIC} where it belongs")
    if not any(unit.initially_hidden for unit in units.units):
        yield _finding("nothing_hidden", "the request hides nothing", "$.units", "leave something out of the request")
    used: set[str] = set(units.background)
    ids: set[str] = set()
    for place, unit in enumerate(units.units):
        where = f"$.units[{place}]"
        used |= set(unit.requirements)
        if unit.id in ids:
            yield _finding("id_twice", f"{unit.id} is used twice", where)
        ids.add(unit.id)
        for literal in sorted(literals_of(unit.answer)):
            if _holds(unit.topic, literal):
                message = f"the topic of {unit.id} gives {literal!r} of its answer away"
                yield _finding("topic_tells", message, f"{where}.topic", "name the topic in plain words")
            if unit.initially_hidden and _holds(initial, literal) and len(literal) > 1:
                message = f"the request says {literal!r}, which {unit.id} is to hide"
                mend = "take it out of the request, or say that the unit is not hidden"
                yield _finding("hidden_literal", message, where, mend, file=INITIAL)
        if re.search(r"[\d\"`“”]", unit.topic):
            yield _finding("topic_tells", f"the topic of {unit.id} has a value in it", f"{where}.topic")
    for unknown in sorted(used - requirements):
        yield _finding("no_such_requirement", f"there is no requirement {unknown}", "$.units")
    for missing in sorted(requirements - used):
        mend = "let a unit rest on it, or name it under background"
        yield _finding("requirement_without_unit", f"{missing} is in no unit and not background", "$.units", mend)


def literals_of(answer: str) -> set[str]:
    """What of an answer cannot be said by chance: numbers, quoted words, and names as programs have them."""
    return {next(part for part in found.groups() if part) for found in _LITERAL.finditer(answer)}


def _holds(text: str, literal: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(literal)}(?!\w)", text, re.IGNORECASE) is not None


def _finding(kind: str, message: str, where: str, mend: str | None = None, file: str = UNITS) -> GateFinding:
    return GateFinding(kind=kind, message=message, file=file, where=where, mend=mend)


def _read(document: dict[str, Any]) -> tuple[PlannedUnits, str] | None:
    initial = document.get("initial")
    kept: dict[str, Any] = {name: document[name] for name in ("question", "units", "background") if name in document}
    try:
        units = parsed(PlannedUnits, kept)
    except ValidationError:
        return None
    return (units, initial) if isinstance(initial, str) and initial.strip() else None


UNITS_STAGE = Units()
