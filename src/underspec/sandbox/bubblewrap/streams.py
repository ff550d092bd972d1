"""The streams of one command: its output, bounded, and its input."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import Callable

_CHUNK = 1 << 18
_PIPE_SIZE = 1 << 18


class Output:
    """Reads a pipe on the event loop, up to a limit.

    Bytes up to ``limit`` are kept (when asked) and shown to ``on_chunk``; at the first byte beyond, ``on_limit`` is
    called once, and the rest is thrown away.
    """

    def __init__(
        self, limit: int, keep: bool, on_chunk: Callable[[bytes], None] | None, on_limit: Callable[[], None]
    ) -> None:
        reading, self.writing = os.pipe()
        self._reading = reading
        with contextlib.suppress(OSError):  # a user's share of pipe memory may be used up
            fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
        os.set_blocking(reading, False)
        self._limit = limit
        self._left = limit
        self._keep = keep
        self._on_chunk = on_chunk
        self._on_limit = on_limit
        self._kept = bytearray()
        self.cut = False
        self.failure: Exception | None = None
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        self._loop.add_reader(reading, self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._reading, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self.close()
            return
        self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        kept = chunk[: self._left]
        self._left -= len(kept)
        if kept and self._keep:
            self._kept += kept
        if kept and self._on_chunk and self.failure is None:
            try:
                self._on_chunk(kept)
            except Exception as error:  # noqa: BLE001 - the caller's own, raised again in its exec
                self.failure = error
        if len(kept) < len(chunk) and not self.cut:
            self.cut = True
            self._on_limit()

    async def finish(self, grace: float) -> int | None:
        """After the command's end: take what it wrote.

        Returns the pipe's descriptor when a background process still holds its other end after ``grace`` seconds.
        """
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), grace)
        while not self._over.is_set():
            try:
                chunk = os.read(self._reading, _CHUNK)
            except BlockingIOError:
                self._loop.remove_reader(self._reading)
                held, self._reading = self._reading, -1
                self._over.set()
                return held
            if not chunk:
                self.close()
            else:
                self._take(chunk)
        return None

    def close(self) -> None:
        """Stop reading."""
        if self._reading >= 0:
            self._loop.remove_reader(self._reading)
            os.close(self._reading)
            self._reading = -1
        self._over.set()

    def close_writing(self) -> None:
        """Close our copy of the end that the command has."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    def content(self) -> bytes:
        """What was kept."""
        return bytes(self._kept)


class Input:
    """Feeds bytes to a pipe as fast as the command takes them."""

    def __init__(self, content: bytes) -> None:
        self.reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        self._left = memoryview(content)
        self._loop = asyncio.get_running_loop()
        self._loop.add_writer(self._writing, self._write)

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._writing, self._left) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.close()  # the command does not want more
            return
        if not self._left:
            self.close()

    def close(self) -> None:
        """Stop writing; the command sees the end of its input."""
        if self._writing >= 0:
            self._loop.remove_writer(self._writing)
            os.close(self._writing)
            self._writing = -1

    def close_reading(self) -> None:
        """Close our copy of the end that the command has."""
        if self.reading >= 0:
            os.close(self.reading)
            self.reading = -1
