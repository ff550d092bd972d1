"""What some of the failing cases printed, for a reader: bounded, and without what was expected.

Expected outputs stand in the task alone. This file decides nothing; the verdicts are in the outcomes beside it.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from underspec.artifact.base import Artifact
from underspec.artifact.outcomes import CaseOutcome, SuiteName

MOST_CASES = 12
"""Failing cases kept of each suite: the first ones, files in name order."""
MOST_BYTES = 4096
"""Bytes kept of each output."""


def _is_base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from error
    return text


class FailedCase(Artifact):
    """One failing case. ``actual`` is the first :data:`MOST_BYTES` bytes of its output in base64, and ``size`` the
    bytes of the whole; both are None where there is no output, or one too large to be kept at all."""

    suite: SuiteName
    file: str
    index: int
    outcome: CaseOutcome
    actual: Annotated[str, AfterValidator(_is_base64)] | None
    size: int | None = Field(default=None, ge=0)

    @classmethod
    def of(cls, suite: SuiteName, file: str, index: int, outcome: CaseOutcome, output: bytes | None) -> FailedCase:
        """Keep the beginning of an output."""
        kept = None if output is None else base64.b64encode(output[:MOST_BYTES]).decode("ascii")
        size = None if output is None else len(output)
        return cls(suite=suite, file=file, index=index, outcome=outcome, actual=kept, size=size)

    @property
    def output(self) -> bytes | None:
        """The bytes that were kept."""
        return None if self.actual is None else base64.b64decode(self.actual)

    @property
    def cut(self) -> bool:
        """Whether there was more than was kept."""
        return self.size is not None and self.size > MOST_BYTES


class Failures(Artifact):
    """The first failing cases of each suite of one graded deliverable."""

    schema_version: Literal[1] = 1
    task: str
    deliverable: str | None
    cases: tuple[FailedCase, ...]
