"""Keys of model providers, handed from an environment to workers of the same user on the same node, past Ray.

Ray's daemons pass their environment on to all that they start, keep what is sent through them, and write logs. So keys
are not given to it: a socket that only its user may use answers with them, and a worker that needs some asks for them
and keeps them in its own memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import stat
import struct
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from underspec.errors import EnvironmentLacksError, UsageError

_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)")
_PLACE = re.compile(r"_(?:BASE_URL|ENDPOINT|REGION|API_VERSION)$")
_RAY = re.compile(r"^RAY_")
_CREDENTIALS = struct.Struct("3i")
_SECONDS = 5.0
_MOST_BYTES = 1024**2
_LONGEST_PATH = 107
"""Of a socket's address (unix(7))."""


def secrets_in(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables whose names say that they hold a key. Ray's own stay where they are."""
    return {name: value for name, value in environment.items() if _SECRET.search(name) and not _RAY.search(name)}


def handed_out(environment: Mapping[str, str]) -> dict[str, str]:
    """What workers are given: keys, and where the services are that these open."""
    places = {name: value for name, value in environment.items() if _PLACE.search(name) and not _RAY.search(name)}
    return {**places, **secrets_in(environment)}


@contextlib.contextmanager
def without_secrets(environment: dict[str, str] | os._Environ[str]) -> Iterator[None]:
    """No key stands in the environment while the block runs: what is started there inherits none."""
    taken = secrets_in(environment)
    for name in taken:
        del environment[name]
    try:
        yield
    finally:
        environment.update(taken)


def default_socket() -> Path:
    """Where workers of this user look for keys on their node."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return (Path(runtime) if runtime else Path(tempfile.gettempdir()) / f"underspec-{os.getuid()}") / "keys.sock"


@contextlib.contextmanager
def served_keys(place: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Answer with the keys of ``environment`` at the socket ``place`` while the block runs.

    Raises:
        UsageError: somebody else answers there, something else lies there, the folder is another user's, open to others
            or cannot be made, or the path is too long for a socket.
    """
    if len(os.fsencode(place)) > _LONGEST_PATH:
        mend = f"name one of at most {_LONGEST_PATH} bytes, with --socket"
        raise UsageError("the path is too long for a socket", file=str(place), mend=mend)
    _private_folder(place.parent)
    answer = json.dumps(handed_out(environment)).encode()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        _bind(listener, place)
        stopping = threading.Event()
        thread = threading.Thread(target=_answer, args=(listener, answer, stopping), daemon=True)
        thread.start()
        try:
            yield place
        finally:
            stopping.set()
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join(_SECONDS)
            place.unlink(missing_ok=True)
    finally:
        listener.close()


def _private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        mend = "name a socket in a folder that you can make"
        raise UsageError(f"cannot be made: {error.strerror}", file=str(folder), mend=mend) from error
    status = folder.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077:
        mend = "remove it, or set XDG_RUNTIME_DIR to a folder that only you may use"
        raise UsageError("keys are not handed out where others may reach", file=str(folder), mend=mend)


def _bind(listener: socket.socket, place: Path) -> None:
    with contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            other.connect(str(place))
        raise UsageError("keys are handed out there already", file=str(place), mend="stop the other one first")
    if place.exists() and not stat.S_ISSOCK(place.lstat().st_mode):
        raise UsageError("something else lies there", file=str(place), mend="name a path where nothing lies yet")
    place.unlink(missing_ok=True)  # of one that was killed
    listener.bind(str(place))
    place.chmod(0o600)
    listener.listen()


def _answer(listener: socket.socket, answer: bytes, stopping: threading.Event) -> None:
    while not stopping.is_set():
        try:
            connection, _address = listener.accept()
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            connection.settimeout(_SECONDS)
            if _peer_user(connection) == os.getuid():
                connection.sendall(answer)


def fetch_keys(place: Path) -> dict[str, str]:
    """What is handed out at ``place``; empty where nobody answers.

    Raises:
        EnvironmentLacksError: what answers there is not ours, or broken.
    """
    received = bytearray()
    until = time.monotonic() + _SECONDS
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_SECONDS)
            connection.connect(str(place))
            # Whoever could put a socket there could send every call of a model to a service of its own.
            if _peer_user(connection) != os.getuid():
                raise EnvironmentLacksError("another user answers where keys are asked for", file=str(place))
            while chunk := connection.recv(65536):
                received += chunk
                if len(received) > _MOST_BYTES or time.monotonic() > until:
                    raise EnvironmentLacksError("what answers is not `underspec keys`", file=str(place))
    except (FileNotFoundError, ConnectionRefusedError):
        return {}
    except OSError as error:
        raise EnvironmentLacksError(f"keys cannot be asked for: {error}", mend=f"see what is at {place}") from error
    try:
        keys = json.loads(received)
    except (ValueError, RecursionError) as error:
        raise EnvironmentLacksError("what answers is not `underspec keys`", file=str(place)) from error
    if not isinstance(keys, dict):
        raise EnvironmentLacksError("what answers is not `underspec keys`", file=str(place))
    return handed_out({str(name): str(value) for name, value in keys.items()})


def _peer_user(connection: socket.socket) -> int:
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _pid, user, _group = _CREDENTIALS.unpack(peer)
    return int(user)
