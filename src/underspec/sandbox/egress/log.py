"""The log: one line of JSON a request, and counts. What is logged was sent by hostile clients, so that both are
bounded."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, get_args

from underspec.artifact.files import host_exhaustion
from underspec.artifact.network import HostUse, NetworkUse, Outcome
from underspec.sandbox.egress.policy import Policy

MAX_BYTES = 64 * 1024**2
MAX_HOSTS = 1000
OTHERS = "*"
_LONGEST_PATH = 1000
_LAST = json.dumps({"log": "full", "max_bytes": MAX_BYTES}).encode() + b"\n"


@dataclass
class Request:
    """One request, as the log tells of it. ``host`` is None where none was named that could be one; ``path`` is
    without its query, which may hold secrets. ``up`` and ``down`` are bytes."""

    method: str = ""
    scheme: str = ""
    host: str | None = None
    port: int = 0
    path: str | None = None
    outcome: Outcome = "failed"
    rule: str = "incomplete"
    up: int = 0
    down: int = 0
    seconds: float = 0.0


class NetworkLog:
    """Writes lines to a file, which must not exist yet, and counts requests."""

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._room = max_bytes
        self._counts: Counter[tuple[str, Outcome, str]] = Counter()
        self._hosts: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def add(self, request: Request, part: str) -> None:
        """One request more. ``part`` says which of a phase's sandboxes it came from.

        Raises:
            HostExhaustedError: there is no room for the line.
            OSError: it could not be written for another reason.
        """
        host = request.host or ""
        if host not in self._hosts and len(self._hosts) >= MAX_HOSTS:
            host = OTHERS
        self._hosts.add(host)
        self._counts[host, request.outcome, request.rule] += 1
        if self._room <= 0:
            return
        line = _line(request, part)
        self._room -= len(line)
        with host_exhaustion(self._path):
            _write(self._file, line if self._room > 0 else _LAST)

    def use(self, policy: Policy) -> NetworkUse:
        """What was counted, in an order that does not depend on time."""
        order = get_args(Outcome)
        counted = sorted(self._counts.items(), key=lambda each: (each[0][0], order.index(each[0][1]), each[0][2]))
        return NetworkUse(
            network=policy.kind,
            lists=policy.lists.digest,
            policy=policy.digest,
            hosts=tuple(
                HostUse(host=host, outcome=outcome, rule=rule, requests=count)
                for (host, outcome, rule), count in counted
            ),
        )


def _line(request: Request, part: str) -> bytes:
    document: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "part": part,
        "method": request.method[:32],
        "scheme": request.scheme,
        "host": request.host,
        "port": request.port,
    }
    if request.path is not None:
        document["path"] = request.path[:_LONGEST_PATH]
    document |= {
        "outcome": request.outcome,
        "rule": request.rule,
        "up": request.up,
        "down": request.down,
        "seconds": round(request.seconds, 3),
    }
    return json.dumps(document).encode() + b"\n"


def _write(file: int, line: bytes) -> None:
    while line:
        line = line[os.write(file, line) :]
