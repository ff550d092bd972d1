"""Drives what was delivered, from a private acceptance test: commands, files, its servers, and services that it calls.

The deliverable runs in a sandbox of its own. Nothing of it is here: whatever it prints, writes or answers comes as
bytes over one line to the harness, so that it can neither read the tests nor touch their verdicts. ::

    def test_an_empty_list_sums_to_nothing(delivery):
        done = delivery.run("python3", "sums.py", "--json", files={"in.json": "[]"})
        assert done.exit_code == 0, done
        assert done.text == "0\\n"

    def test_a_note_is_kept(delivery):
        service = delivery.start("python3", "server.py", "--port", "8000", port=8000)
        assert service.request("POST", "/notes", {"text": "hello"}).status == 201

Every test is given the deliverable as it was delivered; nothing is left of the test before.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import http.server
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LINE = ("127.0.0.1", 8079)
WORKSPACE = "/workspace"
MOST_BYTES = 8 * 1024**2
_ACCEPTORS = 4
_TICK = 0.02

Content = str | bytes


class DeliveryError(AssertionError):
    """What was delivered did not do what the test needs in order to go on: such as to listen on its port."""


class LineError(RuntimeError):
    """The harness could not do what was asked of it."""


def _bytes(content: Content) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _encoded(content: Content) -> str:
    return base64.b64encode(_bytes(content)).decode("ascii")


@dataclass(frozen=True)
class Ended:
    """How a command ended: ``exit_code`` is None where a signal or a limit (``time``, ``memory``, ...) ended it."""

    exit_code: int | None
    signal: int | None
    limit: str | None
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """Standard output as UTF-8; what is none fails the test."""
        return self.stdout.decode("utf-8")

    @property
    def errors(self) -> str:
        """Standard error as text."""
        return self.stderr.decode("utf-8", "replace")

    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.text)


@dataclass(frozen=True)
class Response:
    """What a delivered server answered; header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode("utf-8")

    def json(self) -> Any:
        """The body as one JSON document."""
        return json.loads(self.text)


@dataclass(frozen=True)
class Request:
    """What the deliverable sent to a :class:`Fake`; header names in lower case. ``at`` is in seconds, from nowhere."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    def json(self) -> Any:
        """The body as one JSON document."""
        return json.loads(self.body.decode("utf-8"))


@dataclass(frozen=True)
class Answer:
    """What a :class:`Fake` answers. ``body`` that is neither text nor bytes is sent as JSON; status 0 is no answer at
    all: the connection is closed without a word."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Delivery:
    """What was delivered, in its workspace (``/workspace``). Paths are relative to that, or absolute."""

    def __init__(self) -> None:
        self._fakes: list[Fake] = []

    @classmethod
    def fresh(cls) -> Delivery:
        """What was delivered, as it was delivered; whatever ran of it before is gone."""
        _ask({"op": "fresh"})
        return cls()

    def run(
        self,
        *argv: str,
        stdin: Content = b"",
        files: Mapping[str, Content] | None = None,
        env: Mapping[str, str] | None = None,
        seconds: float = 30.0,
    ) -> Ended:
        """Run a command to its end, after writing ``files``. Beyond ``seconds`` it is killed (limit ``time``)."""
        for path, content in (files or {}).items():
            self.write(path, content)
        order = {"op": "run", "argv": list(argv), "stdin": _encoded(stdin), "env": dict(env or {}), "seconds": seconds}
        end = _ask(order)
        return Ended(
            end["exit_code"],
            end["signal"],
            end["limit"],
            base64.b64decode(end["stdout"]),
            base64.b64decode(end["stderr"]),
        )

    def write(self, path: str, content: Content) -> None:
        """Write a file, with its parent folders."""
        _ask({"op": "write", "path": _absolute(path), "content": _encoded(content)})

    def read(self, path: str) -> bytes | None:
        """A regular file's content; None where there is none, or one larger than 8 MiB."""
        content = _ask({"op": "read", "path": _absolute(path), "most": MOST_BYTES})["content"]
        return None if content is None else base64.b64decode(content)

    def names(self, folder: str = ".") -> list[str]:
        """Names of the regular files directly in a folder, sorted; none where there is no such folder."""
        return list(_ask({"op": "names", "path": _absolute(folder)})["names"])

    def start(
        self,
        *argv: str,
        port: int | None = None,
        files: Mapping[str, Content] | None = None,
        env: Mapping[str, str] | None = None,
        patience: float = 15.0,
    ) -> Service:
        """Start a command in the background; with ``port``, wait until it listens there, on its own 127.0.0.1."""
        for path, content in (files or {}).items():
            self.write(path, content)
        number = _ask({"op": "start", "argv": list(argv), "env": dict(env or {})})["number"]
        service = Service(number, port or 0)
        if port is not None:
            service.wait(patience)
        return service

    def fake(self, port: int, answer: Callable[[Request], Answer]) -> Fake:
        """Be a service that the deliverable reaches at ``http://127.0.0.1:<port>``."""
        fake = Fake(port, answer)
        self._fakes.append(fake)
        return fake

    def check(self) -> None:
        """Raise what a fake's own ``answer`` raised, if one did."""
        for failure in (failure for fake in self._fakes for failure in fake.failures):
            raise failure

    def close(self) -> None:
        """Stop all fakes."""
        for fake in self._fakes:
            fake.close()


class Service:
    """A command that was started, as a rule a server."""

    def __init__(self, number: int, port: int) -> None:
        self._number = number
        self.port = port

    def wait(self, patience: float) -> None:
        """Wait until it listens, ``patience`` seconds at most."""
        until = time.monotonic() + patience
        while True:
            connection = _connect(self.port)
            if connection is not None:
                connection.close()
                return
            ended = _ask({"op": "ended", "number": self._number})
            if ended["ended"] or time.monotonic() > until:
                said = base64.b64decode(ended["stderr"]).decode("utf-8", "replace")[-1000:]
                state = f"ended with {ended['exit_code']}" if ended["ended"] else "is running"
                raise DeliveryError(f"nobody listens on port {self.port}; the server {state}: {said}")
            time.sleep(_TICK)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 10.0,
    ) -> Response:
        """One request on a connection of its own. ``body`` that is neither text nor bytes is sent as JSON."""
        sent = dict(headers or {})
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        connection.sock = _connect(self.port)
        if connection.sock is None:
            raise DeliveryError(f"nobody listens on port {self.port} any more")
        connection.sock.settimeout(seconds)
        try:
            connection.request(method, path, body if body is None else _bytes(body), sent)
            answer = connection.getresponse()
            content = answer.read(MOST_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise DeliveryError(f"{method} {path} got no answer: {type(error).__name__}: {error}") from error
        finally:
            connection.close()
        if len(content) > MOST_BYTES:
            raise DeliveryError(f"{method} {path} was answered with more than {MOST_BYTES} bytes")
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    @property
    def ended(self) -> bool:
        """Whether it has ended by itself."""
        return bool(_ask({"op": "ended", "number": self._number})["ended"])

    def kill(self) -> None:
        """Kill it, and whatever it started, at once: as a power cut would."""
        _ask({"op": "kill", "number": self._number})


class Fake:
    """An HTTP service outside of the deliverable. ``requests`` are what came, in order."""

    def __init__(self, port: int, answer: Callable[[Request], Answer]) -> None:
        self.requests: list[Request] = []
        self.failures: list[BaseException] = []
        self._answer = answer
        self._lock = threading.Lock()
        self._open = True
        self._waiting: dict[int, socket.socket] = {}
        _ask({"op": "offer", "port": port})
        for number in range(_ACCEPTORS):
            threading.Thread(target=self._accept, args=(number, port), daemon=True).start()

    def _accept(self, number: int, port: int) -> None:
        while self._open:
            line = _line()
            self._waiting[number] = line
            try:
                _send(line, {"op": "accept", "port": port})
                _receive(line)
                server: Any = self
                _Handler(line, ("127.0.0.1", 0), server)
            except (OSError, LineError, ValueError):
                pass  # the deliverable, or the test, has hung up, or what came is no request
            finally:
                line.close()

    def answer(self, request: Request) -> Answer:
        """Note a request and find its answer; one at a time."""
        with self._lock:
            self.requests.append(request)
            try:
                return self._answer(request)
            except Exception as error:  # noqa: BLE001 - it is the test's own, and is raised there
                self.failures.append(error)
                return Answer(599)

    def close(self) -> None:
        """Hang up."""
        self._open = False
        for line in list(self._waiting.values()):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


class _Handler(http.server.BaseHTTPRequestHandler):
    """One request of the deliverable."""

    timeout = 30
    server_version, sys_version = "fake", ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._do
        raise AttributeError(name)

    def _do(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(length, MOST_BYTES)) if length > 0 else b""
        headers = {name.lower(): value for name, value in self.headers.items()}
        fake: Any = self.server
        answer = fake.answer(Request(self.command, self.path, headers, body, time.monotonic()))
        self.close_connection = True
        if not answer.status:
            return
        content, kind = _body_of(answer.body)
        self.send_response(answer.status)
        for name, value in {"Content-Type": kind, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *words: Any) -> None:
        """The test keeps the requests itself."""


def _body_of(body: Any) -> tuple[bytes, str]:
    if isinstance(body, (str, bytes)):
        return _bytes(body), "text/plain; charset=utf-8"
    return json.dumps(body).encode(), "application/json"


def _absolute(path: str) -> str:
    return path if path.startswith("/") else f"{WORKSPACE}/{path}"


def _line() -> socket.socket:
    line = socket.create_connection(LINE)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def _send(line: socket.socket, order: dict[str, Any]) -> None:
    line.sendall(json.dumps(order).encode() + b"\n")


def _answer(said: bytes) -> dict[str, Any]:
    if not said.endswith(b"\n"):
        raise LineError("the harness hung up")
    answer: dict[str, Any] = json.loads(said)
    if "error" in answer:
        raise LineError(answer["error"])
    if "refused" in answer:
        raise DeliveryError(answer["refused"])
    return answer


def _receive(line: socket.socket) -> dict[str, Any]:
    """One answer, and not a byte more: what follows it belongs to somebody else."""
    said = bytearray()
    while not said.endswith(b"\n") and (byte := line.recv(1)):
        said += byte
    return _answer(bytes(said))


def _ask(order: dict[str, Any]) -> dict[str, Any]:
    with _line() as line, line.makefile("rb") as stream:
        _send(line, order)
        return _answer(stream.readline())


def _connect(port: int) -> socket.socket | None:
    """A connection to a port of the deliverable's loopback; None when nobody listens there."""
    line = _line()
    try:
        _send(line, {"op": "connect", "port": port})
        if _receive(line)["ok"]:
            return line
    except BaseException:
        line.close()
        raise
    line.close()
    return None
