"""The stakeholder's service under load: how long one question takes, how many there can be, what it needs.

The service runs in a process of its own; this one is the load generator, on the same cores.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from bench.figures import figure

TASK, ROUTER = "data-sizes", "embedded"
SESSIONS, SECONDS = 50, 8.0
MINTED = 2_000
ALONE = 300
_QUESTIONS = Path(__file__).resolve().parents[1] / "tests" / "routing" / "questions" / f"{TASK}.jsonl"
_TOKEN = "bench-operator-credential"


class Connection:
    """One kept-alive connection, with as little between it and the socket as there can be."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def post(self, path: str, token: str, document: Any) -> tuple[int, Any]:
        """Status and body of one POST."""
        body = json.dumps(document).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(answer[9:12]), json.loads(await self._reader.readexactly(length))


@contextlib.asynccontextmanager
async def connected(port: int) -> AsyncIterator[Connection]:
    """A connection to the service."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Connection(reader, writer)
    finally:
        writer.close()


@contextlib.contextmanager
def service(folder: Path, router: str) -> Iterator[tuple[int, int]]:
    """The command as a user starts it; gives port and process id."""
    command = [str(Path(sys.executable).with_name("underspec")), "stakeholder", "serve", "--task", TASK, "--json"]
    command += ["--router", router, "--port", "0", "--db", str(folder / "bench.sqlite")]
    environment = {**os.environ, "UNDERSPEC_OPERATOR_TOKEN": _TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        lines = b""
        while not lines.endswith(b"}\n"):
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("the service did not start")
            lines += line
        try:
            yield int(json.loads(lines)["url"].rsplit(":", 1)[1]), process.pid
        finally:
            process.terminate()


def stakeholder(router: str = ROUTER) -> dict[str, Any]:
    """All figures of the service, with the embedded router that is named."""
    # In the working folder's file system, not in memory: a sync has to cost what it costs.
    with (
        tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as name,
        service(Path(name), router) as (
            port,
            pid,
        ),
    ):
        return {
            **asyncio.run(_alone(port)),
            **asyncio.run(_load(port)),
            **asyncio.run(_minting(port)),
            "stakeholder_memory": figure(_peak_megabytes(pid), "MB", most=400),
        }


async def _mint(connection: Connection, budget: int) -> str:
    status, told = await connection.post("/v1/sessions", _TOKEN, {"task": TASK, "budget": budget})
    if status != 201:
        raise RuntimeError(f"no session: {told}")
    return str(told["credential"])


async def _ask(connection: Connection, credential: str, question: str) -> float:
    start = time.perf_counter()
    status, told = await connection.post("/v1/questions", credential, {"question": question})
    taken = time.perf_counter() - start
    if status != 200 or not told["status"]["ok"]:
        raise RuntimeError(f"no answer: {status} {told}")
    return taken


async def _alone(port: int) -> dict[str, Any]:
    async with connected(port) as connection:
        credential = await _mint(connection, ALONE)
        taken = sorted([await _ask(connection, credential, question) for question in _questions(ALONE, 0)])
    return {
        "stakeholder_one_question": figure(_at(taken, 0.5) * 1e3, "ms", p99=_at(taken, 0.99) * 1e3, most=10),
    }


async def _together(port: int, *, distinct: bool) -> tuple[float, list[float]]:
    """Questions a second, and the seconds that each took, in order."""
    end = time.perf_counter() + SECONDS

    async def ask_on(number: int) -> list[float]:
        taken: list[float] = []
        async with connected(port) as connection:
            credential = await _mint(connection, 10_000)
            questions = _questions(10_000, number)
            while time.perf_counter() < end:
                question = questions[len(taken)]
                # Whatever a router remembers of questions, it has not seen this one.
                own = f"{question} (asked by {number}, {len(taken)})" if distinct else question
                taken.append(await _ask(connection, credential, own))
        return taken

    start = time.perf_counter()
    each = await asyncio.gather(*(ask_on(number) for number in range(SESSIONS)))
    seconds = time.perf_counter() - start
    taken = sorted(one for member in each for one in member)
    return len(taken) / seconds, taken


async def _load(port: int) -> dict[str, Any]:
    repeated, _ = await _together(port, distinct=False)
    rate, taken = await _together(port, distinct=True)
    return {
        "stakeholder_throughput": figure(rate, "questions/s", repeated=repeated, least=200),
        "stakeholder_p99_of_50_sessions": figure(_at(taken, 0.99) * 1e3, "ms", p50=_at(taken, 0.5) * 1e3, most=500),
    }


async def _minting(port: int) -> dict[str, Any]:
    times = []
    async with connected(port) as connection:
        for _ in range(MINTED):
            start = time.perf_counter()
            await _mint(connection, 16)
            times.append(time.perf_counter() - start)
    # Medians of a hundred: one slow sync more or less says nothing about growth.
    first, last = _at(sorted(times[:100]), 0.5), _at(sorted(times[-100:]), 0.5)
    return {"stakeholder_minting": figure(last * 1e3, "ms", baseline=first * 1e3, ratio=last / first)}


def _questions(number: int, offset: int) -> list[str]:
    known = [json.loads(line)["question"] for line in _QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return [known[(offset * 7 + place) % len(known)] for place in range(number)]


def _at(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _peak_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    print(json.dumps(stakeholder(sys.argv[1] if len(sys.argv) > 1 else ROUTER), indent=2))
