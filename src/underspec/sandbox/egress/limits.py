"""What one proxy uses at most, for clients that are hostile."""

from __future__ import annotations

import resource
from dataclasses import dataclass, field

CHUNK = 64 * 1024
"""Bytes that are held at once for each direction of a connection."""

MAX_HEAD_BYTES = 16 * 1024
MAX_ANSWER_HEAD_BYTES = 64 * 1024


def _connections() -> int:
    """Two handles each; ten builds at once leave the rest of the process a third of its handles."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 64 if soft == resource.RLIM_INFINITY else max(8, min(64, soft // 32))


@dataclass(frozen=True)
class Limits:
    """Seconds, and how many ``connections`` are served at once; others wait in the socket's backlog.

    ``head`` is for the client to send a request's head, or TLS's first message; ``connect`` for each address of a
    host, and for looking it up; ``idle`` for a connection on which nothing moves. Refusals are answered the more
    slowly the more there were, up to ``pause``: a client that does nothing else must not keep this process from its
    work.
    """

    connections: int = field(default_factory=_connections)
    head: float = 10.0
    connect: float = 10.0
    idle: float = 90.0
    hang_up: float = 0.5
    pause: float = 0.25
