"""How a build ended. What it produced is the deliverable beside it."""

from __future__ import annotations

from typing import Literal

from underspec.artifact.base import Artifact


class BuildEnd(Artifact):
    """Why the agent stopped.

    ``ended``: ``done`` (the agent said so), ``failed`` (its program ended badly) or ``limit`` (``limit`` names which,
    ``layer`` who enforced it). Whatever it is, the deliverable is graded.
    """

    schema_version: Literal[1] = 1
    agent: str
    agent_version: str
    ended: Literal["done", "failed", "limit"]
    detail: str = ""
    limit: str | None = None
    layer: str | None = None
    exit_code: int | None = None
