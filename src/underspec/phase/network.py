"""What a phase's sandboxes may reach, joined to its work: the policy of its task, the log in its attempt, the counts
among its artifacts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from underspec.artifact.condition import Network
from underspec.phase.work import Work
from underspec.sandbox.egress.lists import Lists, packaged_lists
from underspec.sandbox.egress.log import NetworkLog
from underspec.sandbox.egress.networked import Grant, NetworkedBackend
from underspec.sandbox.egress.policy import Policy
from underspec.sandbox.egress.source import Source
from underspec.task import release
from underspec.task.model import Task

LOG_FILE = "network.jsonl"
NETWORK_FILE = "network.json"


def network_policy(task: Task, network: Network, lists: Lists | None = None) -> Policy | None:
    """What ``network`` grants in work on the task; None for nothing. ``lists`` are the packaged ones when None."""
    if network == "none":
        return None
    return Policy(network, lists or packaged_lists(), Source(*release.own_source(task)))


def identity_of_network(task: Task, network: Network, lists: Lists | None = None) -> Any:
    """What of a network belongs into a phase's key."""
    policy = network_policy(task, network, lists)
    return "none" if policy is None else [policy.kind, policy.digest]


@contextlib.contextmanager
def networked(work: Work, policy: Policy | None) -> Iterator[Work]:
    """The same work, whose backend grants the policy to every sandbox that asks for a network.

    The log lies in the attempt, and the counts among the artifacts once the block has ended well.
    """
    if policy is None:
        yield work
        return
    with NetworkLog(work.attempt / LOG_FILE) as log:
        yield replace(work, backend=NetworkedBackend(work.backend, Grant(policy, log)))
        (work.artifact / NETWORK_FILE).write_bytes(log.use(policy).to_bytes())
