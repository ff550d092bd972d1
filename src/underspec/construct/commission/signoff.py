"""signoff: two people have read the task and said so; before that it is a draft (SWE-Clar 2.4)."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from underspec.construct.commission.assembling import assemble_commission
from underspec.construct.findings import GateFinding, Verdict, feedback
from underspec.construct.folder import tree_digest
from underspec.construct.materials import of_task, read_part, write_part
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.errors import UsageError
from underspec.task.layout import TASK_TOML
from underspec.task.model import NonEmpty, Part
from underspec.task.validate import validate_task

SIGNOFFS = "signoffs.json"
REVIEWERS = 2
CHECKS = {
    "consistent": "requests, units, questions and tests say the same",
    "interface_fixed": "the interface fixes all that tests need, and nothing that is hidden",
    "private": "nothing in it points to a person, an account or a machine",
}
Check = Literal["consistent", "interface_fixed", "private"]


class SignOff(Part):
    """One reviewer's word on one state of the task. ``digest`` is of the task's files as they were read."""

    reviewer: NonEmpty
    date: NonEmpty
    digest: NonEmpty
    checks: tuple[Check, ...]
    note: str = ""


class SignOffs(Part):
    """``signoffs.json``."""

    signed: tuple[SignOff, ...] = ()


class Sign:
    """Puts the task together; its gate waits for people."""

    name = "signoff"
    needs: tuple[str, ...] = ("extract", "units", "interface", "drafts")
    version = 1
    prompts: tuple[str, ...] = ()
    files: Mapping[str, str] = {
        "<task>/": "the task to be read; mend the stage that a file comes from, and not it here",
        SIGNOFFS: "who has signed; `underspec construct sign WORK --reviewer NAME` writes it",
    }
    calls = 0

    def reads(self, project: Project) -> dict[str, str]:
        """Options of the stage that decides ``task.toml``."""
        from underspec.artifact.canonical import digest_of

        return {"options": digest_of(project.options_of("drafts"))}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Put the task together anew; earlier signatures stay, and count for what they were given to."""
        earlier = work.out / SIGNOFFS
        kept = earlier.read_bytes() if earlier.is_file() else None
        folder = work.out / work.project.task
        shutil.rmtree(folder, ignore_errors=True)
        assemble_commission(work.project, work.project.options_of("drafts"), work.of, work.of("drafts"), folder)
        if kept is None:
            write_part(work.out / SIGNOFFS, SignOffs())

    async def gate(self, work: Work) -> Verdict:
        """The task is valid, and two people have signed it as it is."""
        name = work.project.task
        folder = work.out / name
        if not folder.is_dir():
            mend = "`construct resume --redo signoff` puts it together again"
            return Verdict(
                findings=(GateFinding(kind="missing_file", message="is missing", file=f"{name}/", mend=mend),)
            )
        findings = [of_task(finding) for finding in validate_task(folder)]
        signed = read_part(work.out, SIGNOFFS, SignOffs, findings)
        digest = tree_digest(folder)
        facts = {"digest": digest, "signed": 0}
        now = work.evidence / name
        assemble_commission(work.project, work.project.options_of("drafts"), work.of, work.of("drafts"), now)
        if tree_digest(now) != digest:
            message = "is not what the stages before have left"
            findings.append(
                GateFinding(kind="outdated", message=message, file=f"{name}/", mend="`construct resume --redo signoff`")
            )
        if signed is None:
            return Verdict(findings=tuple(findings), facts=facts)
        for place, one in enumerate(signed.signed):
            where = f"$.signed[{place}]"
            if missing := sorted(set(CHECKS) - set(one.checks)):
                message = f"{one.reviewer} has not said: {CHECKS[missing[0]]}"
                findings.append(GateFinding(kind="unchecked", message=message, file=SIGNOFFS, where=where))
            if one.digest != digest:
                message = f"{one.reviewer} has read another state of the task"
                mend = f"read it again, and `underspec construct sign WORK --reviewer {one.reviewer!r}`"
                findings.append(
                    GateFinding(
                        kind="other_state", message=message, severity="warning", file=SIGNOFFS, where=where, mend=mend
                    )
                )
        people = {
            _same(one.reviewer) for one in signed.signed if one.digest == digest and set(CHECKS) <= set(one.checks)
        }
        facts["signed"] = len(people)
        if len(people) < REVIEWERS:
            message = f"{len(people)} of {REVIEWERS} reviewers have signed this state of the task"
            mend = f"let another person read {name}/ and run `underspec construct sign WORK --reviewer NAME`"
            findings.append(GateFinding(kind="not_signed", message=message, file=SIGNOFFS, mend=mend))
        return Verdict(findings=tuple(findings), facts=facts)


def sign(out: Path, reviewer: str, note: str = "") -> SignOff:
    """Record a reviewer's word on the task as it is now, instead of an earlier word of the same person.

    Raises:
        UsageError: there is no task to sign yet, or the reviewer has no name.
    """
    if not reviewer.strip():
        raise UsageError("a reviewer has a name", where="--reviewer", mend="give a name or an id")
    folder = next((path.parent for path in sorted(out.glob(f"*/{TASK_TOML}"))), None)
    if folder is None:
        raise UsageError("there is no task to sign yet", file=str(out), mend="run the stages before it first")
    findings: list[GateFinding] = []
    known = read_part(out, SIGNOFFS, SignOffs, findings)
    if known is None:
        raise UsageError(f"is damaged: {feedback(findings)}", file=str(out / SIGNOFFS), mend="correct or remove it")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    checks: tuple[Check, ...] = ("consistent", "interface_fixed", "private")
    one = SignOff(reviewer=reviewer.strip(), date=today, digest=tree_digest(folder), checks=checks, note=note)
    others = tuple(each for each in known.signed if _same(each.reviewer) != _same(reviewer))
    write_part(out / SIGNOFFS, SignOffs(signed=(*others, one)))
    return one


def _same(reviewer: str) -> str:
    return " ".join(reviewer.casefold().split())


SIGNOFF = Sign()
