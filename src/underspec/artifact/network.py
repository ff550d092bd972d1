"""What a phase used of its network: counts, without times, so that equal use gives equal files."""

from __future__ import annotations

from typing import Literal

from underspec.artifact.base import Artifact

Outcome = Literal["allowed", "refused", "failed"]


class HostUse(Artifact):
    """Requests to one host that were decided alike. ``rule`` is the policy's, or what failed."""

    host: str
    outcome: Outcome
    rule: str
    requests: int


class NetworkUse(Artifact):
    """Every request that left a phase's sandboxes, or tried to, by host and outcome.

    ``lists`` and ``policy`` are digests. Beyond a number of hosts the rest is counted under the host ``*``.
    """

    schema_version: Literal[1] = 1
    network: Literal["registries", "open"]
    lists: str
    policy: str
    hosts: tuple[HostUse, ...]
