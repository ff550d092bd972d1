"""uvicorn's connections with what it leaves open: a deadline for requests, a bound on their number, JSON on errors."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from underspec.stakeholder.service.http import READ_SECONDS, problem

HEAD_SECONDS = READ_SECONDS
WHOLE_SECONDS = 180.0
MAX_CONNECTIONS = 1000


class BoundedConnection(H11Protocol):
    """One connection. A request's head has :data:`HEAD_SECONDS` to arrive (a silent connection has as long for its
    first), and a request :data:`WHOLE_SECONDS` until the client has taken its response. Whatever is no HTTP gets
    a 400 like every other, and too many connections a 429."""

    _clock: asyncio.TimerHandle | None = None
    _sent_all: bool = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin the clock."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            self._say(429, "too_many_connections", "come back later", retry=True)
            return
        self._watch(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Read on; the clock of the head begins with its first byte, and no byte after that renews it."""
        if self._clock is None:
            self._watch(HEAD_SECONDS)
        self._reading(lambda: super(BoundedConnection, self).data_received(data))

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to go on: a client that has sent all that it will may still wait for its answer."""
        self._sent_all = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        return self._sent_all

    def on_response_complete(self) -> None:
        """The clock stops, until more is read."""
        self._stop()
        self._reading(super().on_response_complete)
        if self._sent_all and (self.cycle is None or self.cycle.response_complete):
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._stop()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is told so in JSON."""
        self._say(400, "bad_request", "this is no HTTP/1.1 request that is understood here")

    def _reading(self, read: Any) -> None:
        before = self.cycle
        read()
        if self.cycle is not before and not self.cycle.response_complete:
            self._watch(WHOLE_SECONDS)

    def _watch(self, seconds: float) -> None:
        self._stop()
        self._clock = self.loop.call_later(seconds, self._too_slow)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()
        else:
            self._say(408, "too_slow", "send the whole request at once")

    def _say(self, status: int, error: str, detail: str, *, retry: bool = False) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            # Its handler is at work on half a request: what it says would come after the end.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        body = json.dumps(problem(error, detail)).encode() + b"\n"
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        if retry:
            headers.append(("retry-after", "1"))
        try:
            for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
            self.transport.close()
        except h11.LocalProtocolError:
            # Half a response is under way: nothing more can be said in this one.
            self.transport.abort()
