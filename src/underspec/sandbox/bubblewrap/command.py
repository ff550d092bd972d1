"""One ``exec``: from the order to its result."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from underspec.errors import SandboxError, SandboxGoneError
from underspec.sandbox.bubblewrap.line import KeeperLine
from underspec.sandbox.bubblewrap.streams import Input, Output
from underspec.sandbox.protocol import ExecResult, LimitName

# How long output of background processes is waited for once the command itself has ended, in seconds.
_GRACE = 0.05
_STOP_PATIENCE = 20.0
_NOT_FOUND, _NOT_RUNNABLE = 127, 126
_COMMANDS_FAULT = frozenset(
    (
        errno.E2BIG,
        errno.EACCES,
        errno.EINVAL,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOEXEC,
        errno.ENOMEM,
        errno.ENOTDIR,
        errno.EPERM,
        errno.ETXTBSY,
    )
)


@dataclass(frozen=True)
class Order:
    """What ``exec`` was asked for, with the whole environment of the command."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    stdin: bytes
    timeout: float | None
    limit: int
    on_stdout: Callable[[bytes], None] | None
    on_stderr: Callable[[bytes], None] | None
    keep_output: bool
    end_on_output_limit: bool


async def run(line: KeeperLine, order: Order) -> ExecResult:
    """Run it to its end."""
    beyond = asyncio.Event()
    on_limit = beyond.set if order.end_on_output_limit else _ignore
    stdout = Output(order.limit, order.keep_output, order.on_stdout, on_limit)
    stderr = Output(order.limit, order.keep_output, order.on_stderr, on_limit)
    stdin = Input(order.stdin) if order.stdin else None
    watcher = None
    number, answer = 0, None
    try:
        descriptors = [stdout.writing, stderr.writing, *([stdin.reading] if stdin else [])]
        number, answer = await line.begin(
            "exec",
            descriptors,
            argv=list(order.argv),
            cwd=order.cwd,
            env=dict(order.env),
            timeout=order.timeout,
        )
        for stream in (stdout, stderr):
            stream.close_writing()
        if stdin:
            stdin.close_reading()
        watcher = asyncio.ensure_future(_stop_beyond(line, number, beyond))
        report = line.checked(await asyncio.shield(answer))[0]
        held = await asyncio.gather(stdout.finish(_GRACE), stderr.finish(_GRACE))
        await _leave_to_keeper(line, [descriptor for descriptor in held if descriptor is not None])
        return _result(report, stdout, stderr, beyond.is_set())
    except asyncio.CancelledError:
        if answer is not None and not answer.done():
            await _stop(line, number, answer)
        raise
    finally:
        if watcher:
            watcher.cancel()
        for stream in (stdout, stderr):
            stream.close_writing()
            stream.close()
        if stdin:
            stdin.close_reading()
            stdin.close()


def _ignore() -> None:
    """The output limit ends nothing."""


async def _stop_beyond(line: KeeperLine, number: int, beyond: asyncio.Event) -> None:
    await beyond.wait()
    with contextlib.suppress(SandboxGoneError):
        await line.order("stop", exec=number, limit="output")


async def _stop(line: KeeperLine, number: int, answer: asyncio.Future[Any]) -> None:
    """Whoever waited is gone: kill the command and see it dead."""
    with contextlib.suppress(SandboxGoneError, TimeoutError):
        async with asyncio.timeout(_STOP_PATIENCE):
            await line.order("stop", exec=number, limit="cancelled")
            await answer


async def _leave_to_keeper(line: KeeperLine, held: list[int]) -> None:
    """Background processes still hold these pipes; the keeper reads and drops what they print."""
    try:
        if held and line.open:
            await line.order("drain", held)
    finally:
        for descriptor in held:
            os.close(descriptor)


def _layer(limit: LimitName | None) -> Literal["sandbox", "exec"] | None:
    """Who enforces a limit: the one that waits for the command, or the sandbox around all."""
    if limit is None:
        return None
    return "exec" if limit in ("time", "output") else "sandbox"


def _result(report: dict[str, Any], stdout: Output, stderr: Output, beyond: bool) -> ExecResult:
    for stream in (stdout, stderr):
        if stream.failure is not None:
            raise stream.failure
    if report["gone"] and report["signal"] == signal.SIGKILL:
        raise SandboxGoneError("the sandbox ended while a command ran in it")
    code, said = report["code"], str(report.get("said", "")).encode()
    if report["failure"]:
        error, _, text = report["failure"].partition(" ")
        if int(error) not in _COMMANDS_FAULT or "cannot enter the sandbox" in text:
            raise SandboxError(f"a command could not be started: {text}")
        code = _NOT_FOUND if int(error) in (errno.ENOENT, errno.ENOTDIR) else _NOT_RUNNABLE
        said = f"sandbox: {text}\n".encode()
    # It may have ended before it could be ended, and ran into the limit all the same.
    limit: LimitName | None = report["limit"] or ("output" if beyond else None)
    number = report["signal"]
    if report["limit"] in ("time", "output"):
        # All its processes were killed. If the first was quicker to say that another had been, that is chance.
        code, number = None, signal.SIGKILL
    return ExecResult(
        exit_code=code,
        signal=number,
        stdout=stdout.content(),
        stderr=stderr.content() + said,
        seconds=report["seconds"],
        limit=limit,
        layer=_layer(limit),
        stdout_cut=stdout.cut,
        stderr_cut=stderr.cut,
    )
