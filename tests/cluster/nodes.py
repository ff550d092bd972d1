"""A Ray cluster of several nodes on this machine, in a network namespace of its own; each node has one core."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

_BIN = Path(sys.executable).parent
_PORT = 6399
_HEAD = "127.0.0.2"
_PATIENCE = 120.0


def skip_where_impossible() -> None:
    """Skips, with the reason, where no such cluster can be."""
    pytest.importorskip("ray", reason="Ray is not installed")
    if os.geteuid() != 0:
        pytest.skip("a network namespace of its own needs root")
    for program in ("unshare", "nsenter", "taskset", "ip"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian's util-linux and iproute2)")


class Cluster:
    """Nodes by number; the first is the head."""

    def __init__(self, holder: int, folder: Path, environment: Mapping[str, str]) -> None:
        self.holder = holder
        self.folder = folder
        self.environment = dict(environment)
        self.address = f"{_HEAD}:{_PORT}"
        self.nodes: dict[int, subprocess.Popen[bytes]] = {}

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command, as it runs in the cluster's network."""
        return ["nsenter", f"--net=/proc/{self.holder}/ns/net", "--", *command]

    def start(self, number: int, *, core: int) -> None:
        """Start a node on one core of the machine."""
        options = ["--num-cpus=1", "--object-store-memory=80000000", "--disable-usage-stats", "--block"]
        if number == 0:
            options += ["--head", f"--port={_PORT}", f"--temp-dir={self.folder}", "--include-dashboard=false"]
            options += [f"--node-ip-address={_HEAD}"]
        else:
            options += [f"--address={self.address}", f"--node-ip-address=127.0.0.{number + 2}"]
        command = ["taskset", "-c", str(core), str(_BIN / "ray"), "start", *options]
        with (self.folder.parent / f"node-{number}.log").open("wb") as log:
            self.nodes[number] = subprocess.Popen(
                self.inside(command), env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        self._wait_until_alive(len(self.nodes))

    def _wait_until_alive(self, nodes: int) -> None:
        script = (
            "import ray, sys\n"
            f"ray.init(address={self.address!r}, _node_ip_address={_HEAD!r}, log_to_driver=False,"
            " logging_level='CRITICAL')\n"
            f"sys.exit(sum(node['Alive'] for node in ray.nodes()) < {nodes})\n"
        )
        deadline = time.monotonic() + _PATIENCE
        while subprocess.run(
            self.inside([sys.executable, "-c", script]), env=self.environment, capture_output=True
        ).returncode:
            assert time.monotonic() < deadline, "the cluster did not come up"
            time.sleep(0.3)

    def kill(self, number: int) -> None:
        """``kill -9`` everything of one node at once, as if its machine had gone."""
        process = self.nodes.pop(number)
        for pid in [*_descendants(process.pid), process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()

    def underspec(self, *arguments: str, cwd: Path) -> subprocess.Popen[bytes]:
        """Begin an ``underspec`` command on the head."""
        command = self.inside([str(_BIN / "underspec"), *arguments])
        return subprocess.Popen(command, env=self.environment, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(folder.name))
    found, todo = [], [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _in_network_of(holder: int) -> list[int]:
    network = Path(f"/proc/{holder}/ns/net").readlink()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != holder:
            with contextlib.suppress(OSError):
                if (folder / "ns/net").readlink() == network:
                    found.append(int(folder.name))
    return found


@contextlib.contextmanager
def cluster(*, cores: Sequence[int]) -> Iterator[Cluster]:
    """A cluster with one node for each of ``cores``, gone with everything it made when the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # short, since paths of sockets must be
    holder = subprocess.Popen(
        ["unshare", "--net", "sh", "-c", "ip link set lo up && exec sleep 3600"], start_new_session=True
    )
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "XDG_RUNTIME_DIR": str(folder),
    }
    (folder / "r").mkdir()
    made = Cluster(holder.pid, folder / "r", environment)
    try:
        time.sleep(0.2)
        for number, core in enumerate(cores):
            made.start(number, core=core)
        yield made
    finally:
        for number in sorted(made.nodes, reverse=True):
            made.kill(number)
        # Ray's daemons leave their parents: whatever runs in the cluster's network is the cluster's.
        for pid in _in_network_of(holder.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        holder.kill()
        holder.wait()
        shutil.rmtree(folder, ignore_errors=True)
