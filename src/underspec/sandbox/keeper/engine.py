"""Speak to a container engine over its Unix socket: whole requests, whole answers, nothing else.

Version 1.0 of HTTP, so that an answer ends where the connection does and comes in one piece. Paths carry no API
version: engines then take their own, and what is asked for here has been the same in all of them since 20.10.
"""

from __future__ import annotations

import _socket
import os

_CHUNK = 1 << 18
_PATIENCE = 600.0


class EngineError(Exception):
    """The engine said no, or nothing. ``status`` is its HTTP status, 0 when it could not be reached."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Engine:
    """``path`` is the socket. Its folder is kept open, so that it stays in reach when mounts hide it."""

    def __init__(self, path: str) -> None:
        """Raises EngineError where there is no such folder."""
        self._path = path
        try:
            self._folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise EngineError(0, f"no engine listens at {path}: {error.strerror}") from error

    def close(self) -> None:
        """Let the folder go."""
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1

    def request(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json", patience: float = _PATIENCE
    ) -> tuple[int, bytes]:
        """One request; returns status and body. ``patience`` in seconds.

        Raises:
            EngineError: the engine cannot be reached or does not answer.
        """
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        line.settimeout(patience)
        try:
            line.connect(f"/proc/self/fd/{self._folder}/{os.path.basename(self._path)}")
            head = f"{method} {path} HTTP/1.0\r\nHost: engine\r\nContent-Type: {kind}\r\n"
            line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            parts = []
            while part := line.recv(_CHUNK):
                parts.append(part)
        except OSError as error:
            raise EngineError(0, f"no engine answers at {self._path}: {error}") from error
        finally:
            line.close()
        header, _, content = b"".join(parts).partition(b"\r\n\r\n")
        fields = header.split(b" ", 2)
        if len(fields) < 2 or not fields[0].startswith(b"HTTP/") or not fields[1].isdigit():
            raise EngineError(0, f"what answers at {self._path} is no engine")
        return int(fields[1]), content

    def checked(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        """A request that must succeed.

        Raises:
            EngineError: with what the engine said.
        """
        status, content = self.request(method, path, body, kind)
        if status >= 400:
            raise EngineError(status, _message(content))
        return content


def _message(content: bytes) -> str:
    """What an engine says of a failure, which is ``{"message": ...}``."""
    import json

    try:
        said = json.loads(content)
    except ValueError:
        said = None
    if isinstance(said, dict) and isinstance(said.get("message"), str):
        return str(said["message"])
    return content.decode(errors="replace").strip()
