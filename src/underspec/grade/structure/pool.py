"""Several worker processes that read source files; one that dies takes its file with it and nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from underspec.errors import EnvironmentLacksError, HarnessError
from underspec.grade.structure.limits import MAX_ANSWERS, SECONDS

AHEAD = 2  # requests under way in one worker: one is read while one waits, and both fit into the pipe
MOST_DEATHS = 25  # of a tree; one that ends more workers is not read on
WALL_SECONDS = 600.0  # a file, where even the limit on processor time does not help
FILES_A_WORKER = 40  # fewer are done before a second process has started

# What a process needs to find Python and our package; keys of services stay out.
_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Request:
    """One file: where it lies, and what it is read with."""

    path: str
    grammar: str
    query: str


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def read_sources(
    requests: Sequence[Request],
    workers: int | None = None,
    on_done: Callable[[int], None] | None = None,
    seconds: float = SECONDS,
) -> Iterator[dict[str, Any]]:
    """The answers of :func:`underspec.grade.structure.source.read_source`, in the order of the requests.

    A file at which a worker ends has the answer ``{"excluded": "unparsed", "why": ...}``, and so have the files after
    it when a tree ends too many or defines too much. Otherwise the answers do not depend on the number of workers.
    ``on_done`` is told how many are done; ``seconds`` is the processor time that one file may take.

    Raises:
        EnvironmentLacksError: the grammars are not installed.
        HarnessError: our own part of a worker fails.
    """
    if not requests:
        return iter(())
    if find_spec("tree_sitter_language_pack") is None or find_spec("tree_sitter") is None:
        mend = "install underspec with its dependencies, or: pip install 'tree-sitter-language-pack<1'"
        raise EnvironmentLacksError("the grammars that read source files are not installed", mend=mend)
    wanted = workers or max(1, min(processors(), -(-len(requests) // FILES_A_WORKER)))
    shared = _Shared(requests, on_done, seconds)
    threads = [threading.Thread(target=_serve, args=(shared,), daemon=True) for _ in range(wanted)]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(0.5)
            shared.end_overdue()
    except BaseException:
        shared.stop()
        raise
    if shared.failure is not None:
        raise shared.failure
    return (json.loads(answer) if answer is not None else _unparsed(shared.why) for answer in shared.answers)


class _Shared:
    """What the threads, one a worker, have in common."""

    def __init__(self, requests: Sequence[Request], on_done: Callable[[int], None] | None, seconds: float) -> None:
        self.requests = requests
        self._seconds = seconds
        self.answers: list[bytes | None] = [None] * len(requests)
        self.why = ""
        self.failure: HarnessError | None = None
        self._on_done = on_done
        self._waiting = iter(range(len(requests)))
        self._lock = threading.Lock()
        self._done = 0
        self._bytes = 0
        self._deaths = 0
        self._deadlines: dict[subprocess.Popen[bytes], float] = {}
        self._stopped = False

    def next(self) -> int | None:
        with self._lock:
            return None if self._stopped else next(self._waiting, None)

    def answer(self, number: int, answer: bytes, process: subprocess.Popen[bytes]) -> None:
        self.answers[number] = answer
        with self._lock:
            self._bytes += len(answer)
            if self._bytes > MAX_ANSWERS:
                self._stopped, self.why = True, "the tree defines more than can be compared"
            if process in self._deadlines:
                self._deadlines[process] = time.monotonic() + WALL_SECONDS
            self._done += 1
            if self._on_done is not None:
                self._on_done(self._done)

    def start(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(
                # -P: the folder from which we are started must not be searched for modules.
                [sys.executable, "-P", "-m", "underspec.grade.structure.worker", str(self._seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            )
            self._deadlines[process] = time.monotonic() + WALL_SECONDS
            return process

    def ended(self, process: subprocess.Popen[bytes], *, died: bool) -> None:
        with self._lock:
            del self._deadlines[process]
            self._deaths += died
            if self._deaths >= MOST_DEATHS:
                self._stopped, self.why = True, "the tree ended too many workers"

    def end_overdue(self) -> None:
        with self._lock:
            for process, deadline in self._deadlines.items():
                if time.monotonic() > deadline:
                    process.kill()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._deadlines:
                process.kill()


def _unparsed(why: str) -> dict[str, Any]:
    return {"excluded": "unparsed", "why": why}


def _serve(shared: _Shared) -> None:
    """Keep one worker busy until nothing waits, with a new one whenever it ends."""
    under_way: list[int] = []
    while (process := shared.start()) is not None:
        _converse(process, shared, under_way)
        shared.ended(process, died=bool(under_way))
        if not under_way:
            return
        number = under_way.pop(0)
        if process.returncode >= 0:
            # A parser ends its process by a signal. What ends otherwise is our own program.
            shared.failure = HarnessError(
                "the process that reads source files failed",
                file=shared.requests[number].path,
                mend="see what it says: python -P -m underspec.grade.structure.worker 10 < /dev/null",
            )
            shared.stop()
            return
        shared.answer(number, json.dumps(_unparsed(_why(process.returncode))).encode(), process)


def _converse(process: subprocess.Popen[bytes], shared: _Shared, under_way: list[int]) -> None:
    """Requests to one worker and answers from it, until it ends or nothing waits. ``under_way`` is what stays open."""
    assert process.stdin is not None
    assert process.stdout is not None
    asked = 0
    try:
        while True:
            while len(under_way) < AHEAD and (number := shared.next()) is not None:
                under_way.append(number)
            if not under_way:
                break
            try:
                for number in under_way[asked:]:
                    request = shared.requests[number]
                    process.stdin.write(json.dumps([request.path, request.grammar, request.query]).encode() + b"\n")
                process.stdin.flush()
            except BrokenPipeError:
                pass  # it has ended; what it still answered can be read
            asked = len(under_way)
            line = process.stdout.readline()
            if not line.endswith(b"\n"):
                break
            shared.answer(under_way.pop(0), line, process)
            asked -= 1
    finally:
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdout.close()
        process.wait()


def _why(code: int) -> str:
    if -code in (signal.SIGPROF, signal.SIGKILL):
        return "it takes too long"
    return f"the parser ended with {signal.Signals(-code).name}"
