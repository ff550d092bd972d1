"""The Sandbox protocol: where code that somebody else wrote runs.

One small asynchronous interface for every backend. A sandbox has a private root, a workspace, a loopback network
of its own and hard limits. Nothing in it outlives :meth:`Sandbox.kill_all`; nothing of it outlives
:meth:`Sandbox.close`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from underspec.artifact.deliverable import Deliverable

WORKSPACE = "/workspace"
CHANNEL_PORT = 8077

LimitName = Literal["time", "memory", "output", "processes", "disk", "cpu"]


@dataclass(frozen=True)
class Limits:
    """What one sandbox may use. Sizes in bytes.

    ``disk`` bounds everything that can be written, all writable places together. ``output`` bounds what one ``exec``
    may print on stdout and on stderr, each.
    """

    memory: int = 2 * 1024**3
    cpus: float = 1.0
    processes: int = 512
    files: int = 200_000
    disk: int = 2 * 1024**3
    output: int = 10 * 1024**2
    open_files: int = 4096


@dataclass(frozen=True)
class Mount:
    """A host file or folder shown read-only inside. It must not hold anything hidden from the agent."""

    source: Path
    target: str


@dataclass(frozen=True)
class Owner:
    """Who made a sandbox: written beside its leftovers, so that only ours are ever reaped."""

    run: str
    purpose: str


@dataclass(frozen=True)
class SandboxSpec:
    """What to start.

    ``lower`` is a host folder (a deliverable) shown as the initial content of the workspace without being copied and
    without being changed. ``image`` is the name of an image (``host`` is the machine's own /usr, allow-listed).
    """

    owner: Owner
    image: str = "host"
    limits: Limits = field(default_factory=Limits)
    lower: Path | None = None
    mounts: tuple[Mount, ...] = ()
    network: Literal["none", "registries", "open"] = "none"
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExecResult:
    """How one command ended.

    ``exit_code`` is None when a signal ended it (``signal`` says which). ``limit`` names the limit that ended it or
    that it ran into, ``layer`` who enforced it (``sandbox`` or ``exec``). ``stdout`` and ``stderr`` are cut at the
    output limit, with ``stdout_cut``/``stderr_cut`` set; the command is ended when it goes beyond.
    """

    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    limit: LimitName | None = None
    layer: Literal["sandbox", "exec"] | None = None
    stdout_cut: bool = False
    stderr_cut: bool = False

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.exit_code == 0 and self.limit is None


@dataclass(frozen=True)
class CollectedFile:
    """One regular file found by :meth:`Sandbox.collect`. ``content`` is None when it was larger than allowed."""

    name: str
    size: int
    content: bytes | None


class Sandbox(Protocol):
    """A running sandbox. All paths are absolute paths inside it unless said otherwise."""

    @property
    def id(self) -> str:
        """A name unique on this host."""

    @property
    def image_digest(self) -> str:
        """What the root tree is made of; ``host:...`` is not comparable between machines."""

    async def start(self) -> None:
        """Set everything up.

        Raises:
            EnvironmentLacksError: the machine lacks what the backend needs.
            HostExhaustedError: the host has no room.
            SandboxError: anything else.
        """

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        on_stdout: Callable[[bytes], None] | None = None,
        on_stderr: Callable[[bytes], None] | None = None,
        keep_output: bool = True,
        end_on_output_limit: bool = True,
    ) -> ExecResult:
        """Run one command to its end. Background processes that it leaves keep running.

        ``timeout`` in seconds kills the command and everything it started. With ``keep_output`` false nothing is held
        in memory (``on_stdout`` still sees each chunk). With ``end_on_output_limit`` false, what goes beyond the
        output limit is read and thrown away and the command lives on.

        Raises:
            SandboxGoneError: the sandbox was killed or died.
        """

    async def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file, with its parent folders, owned by the sandbox's user. Links are resolved inside only."""

    async def put_tree(self, source: Path, path: str) -> None:
        """Copy a host folder (regular files, folders, symbolic links) to ``path``, merging with what is there."""

    async def get(self, path: str, *, max_bytes: int) -> bytes:
        """Read a regular file. Raises AgentError when it is missing, no regular file, or larger than that."""

    async def collect(
        self,
        path: str,
        *,
        max_file: int,
        max_files: int,
        max_total: int,
        pattern: str = "*",
        want: Callable[[str, int], bool] | None = None,
    ) -> list[CollectedFile]:
        """Regular files directly in the folder ``path``, in name order, without following any link on the way.

        A missing folder, or one that is a link, gives an empty list: the deliverable's own doing, never an error.
        Files beyond ``max_files`` or ``max_total`` bytes come with ``content`` None; with ``want``, so does each file
        for whose name and size it is false, unread and not counted towards the two. It is called once for each file
        that is no larger than ``max_file``, in name order.
        """

    async def listen(self, port: int = CHANNEL_PORT) -> socket.socket:
        """A listening TCP socket on 127.0.0.1:``port`` *inside* the sandbox, served from outside."""

    async def connect(self, port: int) -> socket.socket:
        """A TCP connection from outside to 127.0.0.1:``port`` *inside* the sandbox.

        Raises:
            AgentError: nobody listens there, or takes the connection within a second.
        """

    async def kill_all(self) -> None:
        """Kill everything inside, whatever it does about it; files stay. No ``exec`` is possible afterwards."""

    async def archive(self, destination: Path, *, path: str = WORKSPACE) -> Deliverable:
        """Seal ``path`` as a PAX tar at the host path ``destination``. Only after :meth:`kill_all`.

        Raises:
            DeliverableTooLargeError: more than 2 GiB or 200,000 files.
        """

    async def close(self) -> None:
        """Kill and remove everything. May be called at any time, more than once."""


@dataclass(frozen=True)
class Check:
    """One line of ``underspec doctor``: what was looked at, whether it is fine, and what to do if not."""

    name: str
    ok: bool
    detail: str
    mend: str | None = None
    required: bool = True


class SandboxBackend(Protocol):
    """Makes sandboxes of one kind. Found by entry point group ``underspec.sandboxes``."""

    name: str

    def checks(self) -> list[Check]:
        """What this machine can and cannot do, for ``doctor`` and for the run's manifest."""

    def create(self, spec: SandboxSpec) -> Sandbox:
        """A sandbox, not yet started."""

    def image_digest(self, image: str) -> str:
        """The digest of an image, without starting anything."""

    def reap(self) -> list[str]:
        """Remove what dead owners of ours left behind; returns the ids removed. Never touches anything else."""
