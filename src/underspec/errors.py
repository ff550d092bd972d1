"""Every typed failure of the package.

A failure belongs to exactly one *boundary*, the party whose fault it is:

========================  =========================================================  ==================
boundary                  what went wrong                                            what happens to it
========================  =========================================================  ==================
``agent``                 the builder or its program (limit reached, crash)          scored as handed over
``task``                  the task folder, its cases or its golden implementation    said before a run
``stakeholder``           the router, the client or the supervisor                   retried, then unscored
``judge``                 a judge or critic                                          retried, then unscored
``model_service``         a provider of models                                       retried, then unscored
``sandbox``               isolation, or the host it needs (disk, memory, cgroups)    retried, then unscored
``harness``               our own files and code                                     retried, then unscored
========================  =========================================================  ==================

Two further classes are about the command line and not about an item: :class:`UsageError` (exit 2) and
:class:`EnvironmentLacksError` (exit 3). Each message says what is wrong, where, and how to mend it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar


class Boundary(StrEnum):
    """The party to which a failure belongs."""

    AGENT = "agent"
    TASK = "task"
    STAKEHOLDER = "stakeholder"
    JUDGE = "judge"
    MODEL_SERVICE = "model_service"
    SANDBOX = "sandbox"
    HARNESS = "harness"


class UnderspecError(Exception):
    """Base of all our errors.

    Args:
        message: what is wrong, in one sentence.
        file: the file concerned, if any.
        where: the place inside it, as a JSON path such as ``$.cases[3].input``.
        mend: what the reader can do about it.
    """

    boundary: ClassVar[Boundary] = Boundary.HARNESS
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, file: str | None = None, where: str | None = None, mend: str | None = None):
        super().__init__(message)
        self.message = message
        self.file = file
        self.where = where
        self.mend = mend

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.file, self.where) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.mend})" if self.mend else text


class AgentError(UnderspecError):
    """The agent failed; its phase ends and what it handed over is graded."""

    boundary = Boundary.AGENT


class DeliverableTooLargeError(AgentError):
    """The deliverable has more bytes or files than a deliverable may have."""


class TaskError(UnderspecError):
    """A task folder is wrong; says file, place and mend."""

    boundary = Boundary.TASK


class GoldenError(TaskError):
    """The golden implementation cannot be fetched or is not the one that the task names."""


class StakeholderError(UnderspecError):
    """The router, or the session it serves, failed."""

    boundary = Boundary.STAKEHOLDER


class JudgeError(UnderspecError):
    """A judge or critic gave no usable verdict."""

    boundary = Boundary.JUDGE


class ModelServiceError(UnderspecError):
    """A model provider failed."""

    boundary = Boundary.MODEL_SERVICE


class SandboxError(UnderspecError):
    """Isolation could not be set up or broke down."""

    boundary = Boundary.SANDBOX


class SandboxGoneError(SandboxError):
    """The sandbox ended while something still needed it."""


class HostExhaustedError(SandboxError):
    """The host itself has no disk, memory or process left; nobody's score may suffer for it."""

    exit_code = 3


class HarnessError(UnderspecError):
    """Our own files or code are at fault."""

    boundary = Boundary.HARNESS


class StoreError(HarnessError):
    """A file of the run store is missing, damaged or belongs to another version."""


class ClaimLostError(HarnessError):
    """Another process took over the phase that this one was working on."""


class UsageError(UnderspecError):
    """The command was used wrongly (exit 2)."""

    exit_code = 2


class EnvironmentLacksError(UnderspecError):
    """The machine lacks something; the mend says what to install (exit 3)."""

    boundary = Boundary.SANDBOX
    exit_code = 3
