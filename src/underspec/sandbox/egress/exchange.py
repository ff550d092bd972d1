"""One plain request, handed on and answered. Heads are written anew from what was understood of them, and one request
goes over a connection, so that nothing can be read one way here and another way there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Iterable
from typing import TypeVar

import h11

from underspec.sandbox.egress.limits import Limits
from underspec.sandbox.egress.peer import Peer
from underspec.sandbox.egress.policy import Target

Headers = list[tuple[bytes, bytes]]
T = TypeVar("T")

# They are about one connection (RFC 9110, 7.6.1); what frames a body is set by us.
_OF_A_CONNECTION = frozenset(
    (
        b"connection",
        b"expect",
        b"host",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
_VIA = (b"Via", b"1.1 sandbox")
_CLOSE = (b"Connection", b"close")
_CHUNKED = (b"Transfer-Encoding", b"chunked")


class UpstreamError(Exception):
    """The host that was asked gave no answer that can be handed on; nothing of one was sent yet."""


async def exchange(client: Peer, upstream: Peer, request: h11.Request, target: Target, limits: Limits) -> None:
    """Hand on the request whose head was read from ``client``, and its answer.

    Raises:
        UpstreamError: there is no answer.
        OSError, h11.RemoteProtocolError: the client is gone or sends what is no HTTP, or the answer broke off.
    """
    uploading = asyncio.create_task(_upload(client, upstream, _request(request, target), limits))
    downloading = asyncio.create_task(_download(client, upstream, limits))
    both: set[asyncio.Task[None]] = {uploading, downloading}
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if not downloading.done():
            uploading.result()  # the client's faults end it all; what the host does about a request is its answer
        await downloading
    finally:
        for each in both:
            each.cancel()
        await asyncio.wait(both)
        for each in both:
            if not each.cancelled():
                each.exception()  # seen; one of them was raised


async def _upload(client: Peer, upstream: Peer, head: h11.Request, limits: Limits) -> None:
    host_listens = await _sent(upstream, head, limits)
    while True:
        if client.http.they_are_waiting_for_100_continue:
            await _in_time(client.send(h11.InformationalResponse(status_code=100, headers=[])), limits)
        event = await _in_time(client.next_event(), limits)
        if isinstance(event, h11.Data):
            event = h11.Data(data=event.data)
        elif isinstance(event, h11.EndOfMessage):
            event = h11.EndOfMessage()  # without trailers
        else:
            raise h11.RemoteProtocolError("the request broke off")
        host_listens = host_listens and await _sent(upstream, event, limits)
        if isinstance(event, h11.EndOfMessage):
            return


async def _sent(upstream: Peer, event: h11.Event, limits: Limits) -> bool:
    """Send to the host. One that listens no more may still answer, or have answered."""
    with contextlib.suppress(OSError):
        await _in_time(upstream.send(event), limits)
        return True
    return False


async def _download(client: Peer, upstream: Peer, limits: Limits) -> None:
    head = await _answer_head(upstream, limits)
    await _in_time(client.send(_response(head)), limits)
    try:
        while True:
            event = await _in_time(upstream.next_event(), limits)
            if isinstance(event, h11.EndOfMessage):
                await _in_time(client.send(h11.EndOfMessage()), limits)
                return
            if not isinstance(event, h11.Data):
                raise h11.RemoteProtocolError("the answer broke off")
            await _in_time(client.send(h11.Data(data=event.data)), limits)
    except (OSError, h11.ProtocolError):
        client.reset_on_close()
        raise


async def _answer_head(upstream: Peer, limits: Limits) -> h11.Response:
    try:
        while True:
            event = await _in_time(upstream.next_event(), limits)
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise UpstreamError("the host hung up without an answer")
    except TimeoutError as error:
        raise UpstreamError("the host did not answer in time") from error
    except (OSError, h11.ProtocolError) as error:
        raise UpstreamError("the host's answer is no HTTP, or broke off") from error


async def _in_time(step: Awaitable[T], limits: Limits) -> T:
    async with asyncio.timeout(limits.idle):
        return await step


def _request(request: h11.Request, target: Target) -> h11.Request:
    """The head as the host gets it: with the host and port that were checked, whatever the client wrote there."""
    host = target.host if target.port == 80 else f"{target.host}:{target.port}"
    headers = [(b"Host", host.encode()), *_passed_on(request.headers), _VIA, _CLOSE]
    if any(name == b"transfer-encoding" for name, _ in request.headers):
        headers.append(_CHUNKED)
    return h11.Request(method=request.method, target=target.path, headers=headers)


def _response(answer: h11.Response) -> h11.Response:
    chunked = any(name == b"transfer-encoding" for name, _ in answer.headers)
    headers = _passed_on(answer.headers)
    if chunked:
        headers = [(name, value) for name, value in headers if name.lower() != b"content-length"]
    return h11.Response(status_code=answer.status_code, headers=[*headers, _VIA, _CLOSE], reason=answer.reason)


def _passed_on(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    given = list(headers)
    named = {word.strip().lower() for name, value in given if name == b"connection" for word in value.split(b",")}
    # Who calls a body's length a matter of the connection would have it read as another request's beginning.
    dropped = (_OF_A_CONNECTION | named) - {b"content-length"}
    return [(name, value) for name, value in given if name not in dropped]
