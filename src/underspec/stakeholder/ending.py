"""A loopback channel by which a phase is ended too: ``POST /finish_clarification`` or ``/submit_delivery``."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

from underspec.stakeholder.channel import ChannelServer
from underspec.stakeholder.http1 import Response
from underspec.stakeholder.session import Answer, Refusal
from underspec.stakeholder.wire import Asked, problem


class Nobody:
    """Where no questions are answered."""

    async def ask(self, question: str, request_id: str | None = None) -> Answer | Refusal:
        """Refuse."""
        return Refusal("session_closed", 0)


class EndingChannel(ChannelServer):
    """See :class:`ChannelServer`. A POST to ``/<name>`` calls ``end`` and is answered."""

    def __init__(self, sock: socket.socket, session: Asked | None, *, name: str, end: Callable[[], None]) -> None:
        super().__init__(sock, session or Nobody())
        self._path = f"/{name}"
        self._end = end

    async def _respond(self, method: str, path: str, body: bytes) -> Response:
        if path.split("?", 1)[0] != self._path:
            return await super()._respond(method, path, body)
        if method != "POST":
            return problem(405, "method_not_allowed", "use POST", allow="POST")
        self._end()
        return Response(200, json.dumps({"data": None, "status": {"ok": True}}).encode() + b"\n", "application/json")
