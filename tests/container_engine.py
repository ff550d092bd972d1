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


class OwnEngine:
    """A ``dockerd`` with a data folder, a socket and no network of its own, that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("dockerd")
        if program is None:
            raise EngineUnavailableError("none runs, and `dockerd` (Debian's docker.io) is not installed")
        self.folder = folder
        self.socket = folder / "docker.sock"
        self._command = [program, "--bridge=none", "--iptables=false", "--ip6tables=false"]
        self._command += ["--data-root", str(folder / "data"), "--exec-root", str(folder / "exec")]
        self._command += ["--pidfile", str(folder / "pid"), "-H", f"unix://{self.socket}"]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        # Where nobody reaps orphans, the pid file of what died with a killed one names a process that seems to live.
        for left in (self.folder / "pid", self.folder / "exec" / "containerd" / "containerd.pid", self.socket):
            left.unlink(missing_ok=True)
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        _wait_for(self.process, self.socket, self.folder / "log")

    def kill(self) -> None:
        """``kill -9``, without its containers, which it finds again when it is started."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(_PATIENCE)

    def stop(self) -> None:
        """Let it end in order."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(_PATIENCE)


@contextlib.contextmanager
def own_engine() -> Iterator[OwnEngine]:
    """An engine of one's own, not started yet; stopped and removed when the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="engine-"))  # short, since paths of sockets must be
    engine = OwnEngine(folder)
    try:
        yield engine
    finally:
        engine.stop()
        _unmount_below(folder)
        shutil.rmtree(folder)


@contextlib.contextmanager
def _own_engine() -> Iterator[str]:
    with own_engine() as engine:
        engine.start()
        yield str(engine.socket)


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
