"""What a gate says: typed findings with evidence, and its verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from underspec.errors import JudgeError

Severity = Literal["error", "warning"]
MOST_SAID = 40


class GateFinding(BaseModel):
    """One thing that a gate found.

    ``kind`` is a short fixed name, such as ``time_dependent``, by which tests and people tell findings apart. ``file``
    is relative to the stage's ``out`` folder, ``where`` a place in it. ``evidence`` is what was seen: a short text, or
    the name of a file in the stage's ``evidence`` folder. Errors keep the gate shut; warnings do not. ``stage`` names
    an earlier stage whose files are at fault: it is given the finding when it is proposed anew.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    message: str
    severity: Severity = "error"
    file: str | None = None
    where: str | None = None
    evidence: str | None = None
    mend: str | None = None
    stage: str | None = None


class Verdict(BaseModel):
    """A gate's verdict. It is open exactly when no finding is an error. ``facts`` are figures that were measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    findings: tuple[GateFinding, ...] = ()
    facts: dict[str, Any] = {}

    @property
    def ok(self) -> bool:
        """Whether the gate is open."""
        return not any(finding.severity == "error" for finding in self.findings)


class NoProposalError(JudgeError):
    """A model gave nothing that could be taken for a stage's files. The runner treats it as a refusal of the gate."""

    def __init__(self, message: str, *, kind: str = "no_proposal", file: str | None = None, mend: str | None = None):
        super().__init__(message, file=file, mend=mend)
        self.kind = kind

    def finding(self) -> GateFinding:
        """The same as a finding."""
        return GateFinding(kind=self.kind, message=self.message, file=self.file, mend=self.mend)


def feedback(findings: Iterable[GateFinding]) -> str:
    """Findings as text for a model's next turn, errors first, at most :data:`MOST_SAID` of them."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "error")
    lines = []
    for finding in ordered[:MOST_SAID]:
        place = ", ".join(part for part in (finding.file, finding.where) if part)
        line = f"- {finding.kind}{f' in {place}' if place else ''}: {finding.message}"
        lines.append(f"{line} Seen: {finding.evidence}" if finding.evidence else line)
    if len(ordered) > MOST_SAID:
        lines.append(f"- and {len(ordered) - MOST_SAID} more")
    return "\n".join(lines)
