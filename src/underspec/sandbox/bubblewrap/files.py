"""Content into and out of a sandbox, through the keeper's confined helper."""

from __future__ import annotations

import asyncio
import errno
import marshal
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from underspec.errors import AgentError, DeliverableTooLargeError, HostExhaustedError, SandboxError, SandboxGoneError
from underspec.sandbox.bubblewrap.line import KeeperLine

# Threads that only wait on pipes; a thread never needs a second one, so they cannot wait for each other.
_THREADS = ThreadPoolExecutor(max_workers=16, thread_name_prefix="sandbox-files")
# What no state of the inside's files brings about. Everything else may be the doing of whoever worked in there.
_HOSTS_FAULT = (errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM)

Feed = Callable[[BinaryIO], None]
Take = Callable[[BinaryIO], Any]


async def work(
    line: KeeperLine,
    order: dict[str, Any],
    *,
    feed: Feed | None = None,
    into: int | None = None,
    take: Take | None = None,
) -> tuple[dict[str, Any], Any]:
    """Let the helper do one thing.

    Args:
        order: what to do, as the helper knows it.
        feed: writes content to a pipe that the helper reads.
        into: a host file that the helper writes instead.
        take: reads what follows the answer.

    Returns:
        The answer and what ``take`` returned.
    """
    content_read, content_write = os.pipe()
    answer_read, answer_write = os.pipe()
    handed = content_read if into is None else into
    try:
        await line.order("files", [handed, answer_write], **order)
    except BaseException:
        os.close(content_write)
        os.close(answer_read)
        raise
    finally:
        os.close(content_read)
        os.close(answer_write)
    talk = _THREADS.submit(_talk, order, content_write, answer_read, feed, take)
    try:
        return await asyncio.wrap_future(talk)
    except asyncio.CancelledError:
        if talk.cancelled():  # before it began; else it closes them itself
            os.close(content_write)
            os.close(answer_read)
        raise


def _talk(
    order: dict[str, Any], content: int, answer: int, feed: Feed | None, take: Take | None
) -> tuple[dict[str, Any], Any]:
    with open(answer, "rb") as answers:
        try:
            with open(content, "wb", buffering=1 << 20) as stream:
                if feed:
                    feed(stream)
        except BrokenPipeError:
            pass  # the helper's answer says why it stopped reading
        message = _message(answers)
        if "error" in message:
            raise _failure(order, message)
        return message, take(answers) if take else None


def _message(answers: BinaryIO) -> dict[str, Any]:
    length = answers.read(8)
    data = answers.read(int.from_bytes(length, "big")) if len(length) == 8 else b""
    if not data:
        raise SandboxGoneError("the sandbox ended while its files were worked on")
    message: dict[str, Any] = marshal.loads(data)
    return message


def _failure(order: dict[str, Any], message: dict[str, Any]) -> Exception:
    path, text = str(order["path"]), str(message["text"])
    if message["error"] == "large":
        return DeliverableTooLargeError(f"the deliverable is too large: {text}", file=path)
    if message["error"] == "broken":
        return SandboxError(text, file=path)
    number = message["errno"]
    if number in (errno.ENOSPC, errno.EDQUOT) and order["work"] == "archive":
        return HostExhaustedError("no space left on the host", file=path, mend="free some disk")
    failure = SandboxError(text, file=path) if number in _HOSTS_FAULT else AgentError(text, file=path)
    if number in (errno.ENOSPC, errno.EDQUOT):
        failure = AgentError("the sandbox's disk is full", file=path)
    failure.__cause__ = OSError(number, text, path)  # for callers that tell failures apart
    return failure
