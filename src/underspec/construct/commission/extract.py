"""extract: what the client wanted, each requirement with the words in which it was said, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError

from underspec.artifact.files import write_atomic
from underspec.construct.commission.candidate import Candidate, parsed, read_candidate
from underspec.construct.commission.quoting import Quote, check_quote
from underspec.construct.commission.scrub import CLEAN
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.materials import read_part, write_part
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.task.model import NonEmpty, Part

REQUIREMENTS, GROUND = "requirements.json", "ground.md"
# Talk about the job and not about the software.
_LOGISTICS = re.compile(
    r"\b(?:milestones?|escrow|invoices? me|hourly rate|upfront|contract (?:is|was|starts|ends)|deadline|"
    r"(?:zoom|phone|video|skype) call|time ?zone|nda|feedback stars?|five stars|upwork|bonus|refund of the fee|"
    r"available (?:today|tomorrow|on monday)|start(?:ing)? (?:today|tomorrow|on monday)|payment (?:to|for) you)\b",
    re.IGNORECASE,
)


class Superseded(Part):
    """What was said before and is no longer wanted."""

    quote: Quote
    was: NonEmpty


class Requirement(Part):
    """One thing that the client wants.

    ``stated`` is explicit when somebody said it, inferred when it follows from what was said; ``quotes`` are the words
    from which one knows, the client's, or a proposal together with the client's yes (``confirmed_by``). ``superseded``
    is what the client had said before.
    """

    id: str = Field(pattern=r"^R-\d{2,3}$")
    text: NonEmpty
    stated: Literal["explicit", "inferred"]
    quotes: tuple[Quote, ...] = Field(min_length=1)
    confirmed_by: Quote | None = None
    superseded: tuple[Superseded, ...] = ()
    depends_on: tuple[NonEmpty, ...] = ()


class Requirements(Part):
    """``requirements.json``. ``left_out`` are proposals that nobody confirmed and talk about the job, with reasons."""

    title: NonEmpty
    requirements: tuple[Requirement, ...] = Field(min_length=1)
    left_out: tuple[Superseded, ...] = ()

    def by_id(self) -> dict[str, Requirement]:
        """Requirements by id."""
        return {each.id: each for each in self.requirements}


_QUOTE = {
    "type": "object",
    "properties": {"message": {"type": "integer"}, "words": {"type": "string"}},
    "required": ["message", "words"],
}
_OLD = {
    "type": "object",
    "properties": {"quote": _QUOTE, "was": {"type": "string"}},
    "required": ["quote", "was"],
}
_REQUIREMENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "text": {"type": "string"},
        "stated": {"type": "string", "enum": ["explicit", "inferred"]},
        "quotes": {"type": "array", "items": _QUOTE},
        "confirmed_by": {"anyOf": [_QUOTE, {"type": "null"}]},
        "superseded": {"type": "array", "items": _OLD},
        "depends_on": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id", "text", "stated", "quotes"],
}
SHAPE = Shape(
    "requirements",
    {
        "title": {"type": "string"},
        "requirements": {"type": "array", "items": _REQUIREMENT},
        "left_out": {"type": "array", "items": _OLD},
    },
)


class Extract:
    """Asks for requirements; what decides is where their words stand."""

    name = "extract"
    needs: tuple[str, ...] = ("scrub",)
    version = 1
    prompts: tuple[str, ...] = ("rules", "material", "malformed")
    files: Mapping[str, str] = {
        REQUIREMENTS: "requirements with quotations, confirmations and what they replaced",
        GROUND: "the complete requirement, written from them; edit it freely",
    }
    calls = 1

    def reads(self, project: Project) -> dict[str, str]:
        """Nothing else."""
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Ask for the list; the complete requirement is written from it."""
        problems: list[GateFinding] = []
        candidate = read_candidate(work.of("scrub") / CLEAN, problems)
        if candidate is None:
            raise NoProposalError(f"the scrubbed candidate is not whole: {feedback(problems)}", kind="bad_needs")
        user = work.prompt(
            "material",
            sections={"findings": bool(findings)},
            findings=as_data(findings=feedback(findings)),
            material=as_data(conversation=candidate.shown()),
        )
        found = await work.ask(work.prompt("rules"), user, SHAPE, _read, again=work.prompt("malformed"))
        write_part(work.out / REQUIREMENTS, found)
        write_atomic(work.out / GROUND, ground_text(found).encode())

    async def gate(self, work: Work) -> Verdict:
        """Who said it, whether it was confirmed, whether it was the last word, and that it is about the software."""
        findings: list[GateFinding] = []
        candidate = read_candidate(work.of("scrub") / CLEAN, findings)
        found = read_part(work.out, REQUIREMENTS, Requirements, findings)
        if not (work.out / GROUND).is_file() or not (work.out / GROUND).read_text(errors="replace").strip():
            findings.append(GateFinding(kind="missing_file", message="is missing or empty", file=GROUND))
        if candidate is None or found is None:
            return Verdict(findings=tuple(findings))
        seen: set[str] = set()
        for place, one in enumerate(found.requirements):
            where = f"$.requirements[{place}]"
            if one.id in seen:
                findings.append(
                    GateFinding(kind="id_twice", message=f"{one.id} is used twice", file=REQUIREMENTS, where=where)
                )
            seen.add(one.id)
            findings += judge_requirement(candidate, one, where)
        for one_id, other in conflicting(found):
            message, mend = f"{one_id} keeps words that {other} says were replaced", "keep what the client said last"
            findings.append(_finding("not_the_last_word", message, f"$.requirements[?id={one_id}]", mend))
        disclosed = disclosure(candidate, found)
        facts = {
            "requirements": len(found.requirements),
            "explicit": sum(each.stated == "explicit" for each in found.requirements),
            "superseded": sum(len(each.superseded) for each in found.requirements),
            "left_out": len(found.left_out),
            "disclosed_at": disclosed,
        }
        return Verdict(findings=tuple(findings), facts=facts)


def judge_requirement(candidate: Candidate, one: Requirement, where: str) -> Iterator[GateFinding]:
    """What is wrong with one requirement."""
    bad = False
    every = [*one.quotes, *([one.confirmed_by] if one.confirmed_by else []), *(each.quote for each in one.superseded)]
    for quote in every:
        for finding in check_quote(candidate, quote, REQUIREMENTS, where):
            bad = True
            yield finding
    if bad:
        return
    last = max(quote.message for quote in one.quotes)
    by_client = any(candidate.speaker(quote.message) == "client" for quote in one.quotes)
    yes = one.confirmed_by
    if not by_client and yes is None:
        yield _finding(
            "unconfirmed",
            f"{one.id} is only proposed by the freelancer",
            where,
            "leave it out, or quote the client's yes",
        )
    if yes is not None and (candidate.speaker(yes.message) != "client" or yes.message < last):
        message = f"{one.id} is confirmed by message {yes.message}, which is not a later one of the client's"
        yield _finding("unconfirmed", message, where, "quote what the client said after the proposal")
    decided = max(last, yes.message) if yes is not None else last
    for each in one.superseded:
        if each.quote.message >= decided:
            message = f"{one.id} is said to replace words of message {each.quote.message}, which came later"
            yield _finding("not_the_last_word", message, where, "keep what the client said last")
    if found := _LOGISTICS.search(one.text):
        message = f"{one.id} is about the job and not about the software: {found[0]!r}"
        yield _finding("logistics", message, where, "leave it out")


def conflicting(found: Requirements) -> Iterator[tuple[str, str]]:
    """Ids of requirements of which one keeps words that another says were replaced."""
    for one in found.requirements:
        kept = {(quote.message, quote.words) for quote in one.quotes}
        for other in found.requirements:
            if other.id != one.id and kept & {(each.quote.message, each.quote.words) for each in other.superseded}:
                yield one.id, other.id


def disclosure(candidate: Candidate, found: Requirements) -> dict[str, dict[str, float]]:
    """When each requirement was known: the place of the message, and the share of the conversation before it (A.2)."""
    known = {}
    for one in found.requirements:
        place = max([*(quote.message for quote in one.quotes), one.confirmed_by.message if one.confirmed_by else 0])
        known[one.id] = {"message": place, "time": place / candidate.last if candidate.last else 0.0}
    return known


def ground_text(found: Requirements) -> str:
    """The complete requirement: one paragraph for each."""
    return "\n\n".join([f"# {found.title}", *(each.text for each in found.requirements)]) + "\n"


def _finding(kind: str, message: str, where: str, mend: str) -> GateFinding:
    return GateFinding(kind=kind, message=message, file=REQUIREMENTS, where=where, mend=mend)


def _read(document: dict[str, Any]) -> Requirements | None:
    kept: dict[str, Any] = {name: document[name] for name in ("title", "requirements", "left_out") if name in document}
    try:
        return parsed(Requirements, kept)
    except ValidationError:
        return None


EXTRACT = Extract()
