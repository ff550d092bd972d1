"""screen: is this commission one that a task can be made of?"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from underspec.construct.commission.candidate import FILES, MATERIALS, Candidate, parsed, read_candidate
from underspec.construct.commission.quoting import Quote, check_quote
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.materials import read_part, write_part
from underspec.construct.numbers import number_of, whole_of
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.errors import UsageError
from underspec.model.structured import Shape
from underspec.task.digest import entries_digest
from underspec.task.model import NonEmpty, Part
from underspec.task.tree import read_tree

SCREENING = "screening.json"
CANDIDATE = "candidate"
LEAST_PAYMENT = 4000.0  # US dollars (SWE-Clar 2.4)
LEAST_MESSAGES = 4
QUESTIONS = ("new_software", "reproducible_locally", "testable", "incomplete")
_QUOTE = {
    "type": "object",
    "properties": {"message": {"type": "integer"}, "words": {"type": "string"}},
    "required": ["message", "words"],
    "additionalProperties": False,
}
_ANSWER = {
    "type": "object",
    "properties": {
        "holds": {"type": "boolean"},
        "why": {"type": "string"},
        "quotes": {"type": "array", "items": _QUOTE},
    },
    "required": ["holds", "why", "quotes"],
    "additionalProperties": False,
}
SHAPE = Shape("screening", dict.fromkeys(QUESTIONS, _ANSWER))


class Answer(Part):
    """One question about the candidate, answered with words of its own."""

    holds: bool
    why: NonEmpty
    quotes: tuple[Quote, ...] = ()


class Screening(Part):
    """``new_software``: it is built and not changed. ``reproducible_locally``: no account or deployment of the client's
    is needed that a fake could not stand for. ``testable``: its behaviour can be checked from outside.
    ``incomplete``: the request leaves out what the conversation settles."""

    new_software: Answer
    reproducible_locally: Answer
    testable: Answer
    incomplete: Answer


class Screen:
    """Copies the source, and has the four questions answered."""

    name = "screen"
    needs: tuple[str, ...] = ()
    version = 1
    prompts: tuple[str, ...] = ("rules", "material", "malformed")
    files: Mapping[str, str] = {
        SCREENING: "the four questions, each with an answer and quotations",
        **{f"{CANDIDATE}/{name}": what for name, what in FILES.items()},
    }
    calls = 1

    def reads(self, project: Project) -> dict[str, str]:
        """The source folder.

        Raises:
            UsageError: it cannot be read.
        """
        return {"source": _digest(Path(project.source))}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Copy and ask."""
        source = Path(work.project.source)
        _digest(source)
        shutil.rmtree(work.out / CANDIDATE, ignore_errors=True)
        shutil.copytree(source, work.out / CANDIDATE, symlinks=True)
        (work.out / CANDIDATE / MATERIALS).mkdir(exist_ok=True)
        problems: list[GateFinding] = []
        candidate = read_candidate(work.out / CANDIDATE, problems)
        if candidate is None:
            raise NoProposalError(f"the source is not whole: {feedback(problems)}", kind="bad_source")
        user = work.prompt(
            "material",
            sections={"findings": bool(findings)},
            findings=as_data(findings=feedback(findings)),
            material=as_data(conversation=candidate.shown()),
        )
        screening = await work.ask(work.prompt("rules"), user, SHAPE, _read, again=work.prompt("malformed"))
        write_part(work.out / SCREENING, screening)

    async def gate(self, work: Work) -> Verdict:
        """Payment and messages by what was recorded; the rest by answers whose quotations are looked up."""
        findings: list[GateFinding] = []
        candidate = read_candidate(work.out / CANDIDATE, findings)
        screening = read_part(work.out, SCREENING, Screening, findings)
        if candidate is None or screening is None:
            return Verdict(findings=tuple(findings))
        findings += _figures(candidate, work.options)
        for question in QUESTIONS:
            answer: Answer = getattr(screening, question)
            where = f"$.{question}"
            if not answer.holds:
                findings.append(
                    GateFinding(
                        kind="screened_out", message=f"not {question}: {answer.why}", file=SCREENING, where=where
                    )
                )
            elif not answer.quotes:
                mend = "quote what shows it"
                findings.append(
                    GateFinding(kind="not_quoted", message="nothing is quoted", file=SCREENING, where=where, mend=mend)
                )
            for place, quote in enumerate(answer.quotes):
                findings += check_quote(candidate, quote, SCREENING, f"{where}.quotes[{place}]")
        facts = {
            "payment": candidate.job.payment,
            "messages": candidate.last,
            "by_client": sum(each.who == "client" for each in candidate.conversation.messages),
            "milestones": len(candidate.job.milestones),
        }
        return Verdict(findings=tuple(findings), facts=facts)


def _digest(source: Path) -> str:
    found: list[str] = []
    if not source.is_dir():
        mend = "give a folder with request.md, conversation.json, job.toml and materials/"
        raise UsageError("is no folder", file=str(source), mend=mend)
    entries = read_tree(source, lambda finding: found.append(f"{finding.file}: {finding.message}"))
    if found:
        raise UsageError(f"cannot be read whole: {found[0]}", file=str(source), mend="lay plain files there")
    return entries_digest(entries)


def _figures(candidate: Candidate, options: Mapping[str, Any]) -> list[GateFinding]:
    findings = []
    job = candidate.job
    least = number_of(options, "screen", "least_payment", LEAST_PAYMENT)
    if job.payment < least or (job.currency != "USD" and "least_payment" not in options):
        message = f"{job.payment:,.2f} {job.currency} were paid, and USD {least:,.2f} are the least"
        mend = "take another commission, or set screen.least_payment in the job's own currency"
        findings.append(GateFinding(kind="too_small", message=message, file=f"{CANDIDATE}/job.toml", mend=mend))
    paid = sum(milestone.amount for milestone in job.milestones)
    if job.milestones and abs(paid - job.payment) > 0.01:
        message = f"milestones come to {paid:,.2f}, the payment is {job.payment:,.2f}"
        findings.append(GateFinding(kind="payment_differs", message=message, file=f"{CANDIDATE}/job.toml"))
    by_client = sum(each.who == "client" for each in candidate.conversation.messages)
    wanted = whole_of(options, "screen", "least_messages", LEAST_MESSAGES)
    if candidate.last < wanted or not by_client:
        message = f"{candidate.last} messages, {by_client} of them the client's, are too few to tell what was wanted"
        findings.append(GateFinding(kind="too_few_messages", message=message, file=f"{CANDIDATE}/conversation.json"))
    return findings


def _read(document: dict[str, Any]) -> Screening | None:
    try:
        return parsed(Screening, {name: document.get(name) for name in QUESTIONS})
    except ValidationError:
        return None


SCREEN = Screen()
