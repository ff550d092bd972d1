"""A container engine for tests: the one that runs, or Debian's, started by hand and stopped again."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from underspec.errors import UnderspecError
from underspec.sandbox.docker.connection import ask, socket_path
from underspec.sandbox.keeper.engine import Engine, EngineError

_PATIENCE = 60.0


class EngineUnavailableError(Exception):
    """No engine runs and none can be started; says why."""


@contextlib.contextmanager
def running_engine() -> Iterator[str]:
    """The Unix socket of an engine."""
    if os.geteuid() != 0:
        raise EngineUnavailableError("the docker backend works as root")
    try:
        socket = socket_path()
        ask("/version")
    except UnderspecError:
        with _own_engine() as socket:
            yield socket
    else:
        yield socket


@contextlib.contextmanager
def _own_engine() -> Iterator[str]:
    """One with a data folder, a socket and no network of its own."""
    program = shutil.which("dockerd")
    if program is None:
        raise EngineUnavailableError("none runs, and `dockerd` (Debian's docker.io) is not installed")
    folder = Path(tempfile.mkdtemp(prefix="engine-"))  # short, since paths of sockets must be
    socket = folder / "docker.sock"
    arguments = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--data-root", str(folder / "data")]
    arguments += ["--exec-root", str(folder / "exec"), "--pidfile", str(folder / "pid"), "-H", f"unix://{socket}"]
    try:
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            _wait_for(process, socket, folder / "log")
            yield str(socket)
        finally:
            process.terminate()
            process.wait(_PATIENCE)
    finally:
        _unmount_below(folder)
        shutil.rmtree(folder)


def _wait_for(process: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < until:
        if socket.exists() and _answers(socket):
            return
        time.sleep(0.1)
    last = log.read_text(errors="replace").strip().splitlines()[-1:]
    raise EngineUnavailableError(f"`dockerd` does not come up here: {' '.join(last)}")


def _answers(socket: Path) -> bool:
    try:
        return Engine(str(socket)).request("GET", "/version", patience=_PATIENCE)[0] == 200
    except EngineError:
        return False


def _unmount_below(folder: Path) -> None:
    """What an engine left mounted, deepest first, so that nothing is removed through a mount."""
    targets = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for target in sorted((each for each in targets if each.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", target], check=False, timeout=_PATIENCE)
