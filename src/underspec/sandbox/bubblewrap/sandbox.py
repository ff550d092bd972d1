"""One bubblewrap sandbox, as the harness holds it."""

from __future__ import annotations

import asyncio
import fnmatch
import marshal
import os
import secrets
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from underspec.artifact.deliverable import MAX_DELIVERABLE_BYTES, MAX_DELIVERABLE_FILES, Deliverable
from underspec.errors import EnvironmentLacksError, SandboxError, SandboxGoneError, UsageError
from underspec.sandbox.bubblewrap.command import Order, run
from underspec.sandbox.bubblewrap.files import work
from underspec.sandbox.bubblewrap.host import host_path
from underspec.sandbox.bubblewrap.line import KeeperLine
from underspec.sandbox.bubblewrap.roots import root_digest, root_entries
from underspec.sandbox.bubblewrap.state import create_state, group_name, name_keeper, remove_state
from underspec.sandbox.deliverable import deliverable_of, sealed_file
from underspec.sandbox.keeper.tree import ChangedError, write_tree
from underspec.sandbox.protocol import CHANNEL_PORT, WORKSPACE, CollectedFile, ExecResult, SandboxSpec

INSTALL = "install it: `apt install bubblewrap`, `dnf install bubblewrap` or `pacman -S bubblewrap`"
_HOME = "/root"


_KILL_PATIENCE = 120.0


class BubblewrapSandbox:
    """See :class:`underspec.sandbox.protocol.Sandbox`."""

    def __init__(self, spec: SandboxSpec) -> None:
        self._spec = spec
        self._id = secrets.token_hex(8)
        self._state: Path | None = None
        self._line: KeeperLine | None = None
        self._killed = False
        self._closed = False
        self._closing: asyncio.Future[None] | None = None
        self.notes: dict[str, str] = {}
        """How parts were made where there is more than one way: ``workspace`` by ``overlay`` or ``copy``."""

    @property
    def id(self) -> str:
        """The name of its state folder, and part of the names of its control groups."""
        return self._id

    @property
    def image_digest(self) -> str:
        """What the root tree is made of."""
        return root_digest(self._spec.image)

    async def start(self) -> None:
        """Set everything up; on failure nothing is left."""
        self._check_spec()
        program = shutil.which("bwrap")
        if program is None:
            raise EnvironmentLacksError("bubblewrap is not installed", mend=INSTALL)
        self._state = create_state(self.id, self._spec.owner)
        try:
            self._line = KeeperLine()
            name_keeper(self._state, self._spec.owner, self._line.pid)
            started, _ = await self._line.order("start", **self._plan(os.path.realpath(program)))
            self.notes = started["notes"]
        except BaseException:
            await self.close()
            raise

    def _check_spec(self) -> None:
        """Before anything is made."""
        if self._state is not None or self._closed:
            raise SandboxError("a sandbox is started once")
        for mount in self._spec.mounts:
            _check_target(mount.target)
        for path in (*(mount.source for mount in self._spec.mounts), self._spec.lower):
            if path is not None and not path.exists():
                raise SandboxError("there is no such file or folder to show in a sandbox", file=str(path))

    def _plan(self, program: str) -> dict[str, Any]:
        return {
            **self._common_plan(),
            "group": group_name(self.id),
            "bubblewrap": program,
            "entries": list(root_entries(self._spec.image)),
        }

    def _common_plan(self) -> dict[str, Any]:
        spec, limits = self._spec, self._spec.limits
        return {
            "state": str(self._state),
            "workspace": WORKSPACE,
            "lower": str(spec.lower.resolve()) if spec.lower else None,
            "mounts": [(str(mount.source.resolve()), mount.target) for mount in spec.mounts],
            "limits": {
                "memory": limits.memory,
                "disk": limits.disk,
                "processes": limits.processes,
                "cpus": limits.cpus,
                "files": limits.files,
                "open_files": limits.open_files,
            },
        }

    def _running(self) -> KeeperLine:
        if self._line is None or self._closed:
            raise SandboxGoneError("the sandbox is not running")
        return self._line

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
        """Run one command to its end."""
        if self._killed:
            raise SandboxGoneError("everything in the sandbox was killed")
        environment = {"PATH": host_path(), "HOME": _HOME, "LANG": "C.UTF-8", **self._spec.env, **(env or {})}
        _check_command(argv, cwd, environment)
        order = Order(
            argv=argv,
            cwd=cwd,
            env=environment,
            stdin=stdin,
            timeout=timeout,
            limit=self._spec.limits.output,
            on_stdout=on_stdout,
            on_stderr=on_stderr,
            keep_output=keep_output,
            end_on_output_limit=end_on_output_limit,
        )
        return await run(self._running(), order)

    async def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file, with its parent folders."""
        order = {"work": "put", "path": _absolute(path), "executable": executable}
        await work(self._running(), order, feed=lambda stream: _write(stream, content))

    async def put_tree(self, source: Path, path: str) -> None:
        """Copy a host folder to ``path``, merging with what is there."""

        def feed(stream: BinaryIO) -> None:
            folder = os.open(source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                dropped = write_tree(folder, stream).dropped
            except ChangedError as error:
                raise SandboxError("a file changed while it was copied into a sandbox", file=str(error)) from error
            finally:
                os.close(folder)
            for path in (path for path, reason in dropped if reason == "unreadable"):
                raise SandboxError("a file cannot be read", file=f"{source}/{os.fsdecode(path)}")

        await work(self._running(), {"work": "put_tree", "path": _absolute(path)}, feed=feed)

    async def get(self, path: str, *, max_bytes: int) -> bytes:
        """Read a regular file."""
        order = {"work": "get", "path": _absolute(path), "max_bytes": max_bytes}
        content: bytes = (await work(self._running(), order, take=lambda stream: stream.read()))[1]
        return content

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
        """Regular files directly in a folder."""
        line, path = self._running(), _absolute(path)
        listed = (await work(line, {"work": "list", "path": path}))[0]["files"]
        found = [(name, size) for name, size in listed if fnmatch.fnmatchcase(name, pattern)]
        names: list[str] = []
        total = 0
        for name, size in found:
            if size > max_file or (want and not want(name, size)):
                continue
            if len(names) < max_files and total + size <= max_total:
                names.append(name)
                total += size
        contents: dict[str, bytes | None] = {}
        if names:
            order = {"work": "read", "path": path, "max_file": max_file}
            contents = (
                await work(
                    line,
                    order,
                    feed=lambda stream: _write(stream, marshal.dumps(names)),
                    take=lambda stream: dict(zip(names, _contents(stream), strict=False)),
                )
            )[1]
        return [CollectedFile(name, size, contents.get(name)) for name, size in found]

    async def listen(self, port: int = CHANNEL_PORT) -> socket.socket:
        """A listening socket on the sandbox's own loopback."""
        _, descriptors = await self._running().order("listen", port=port)
        return socket.socket(fileno=descriptors[0])

    async def connect(self, port: int) -> socket.socket:
        """A connection to the sandbox's own loopback."""
        _, descriptors = await self._running().order("connect", port=port)
        return socket.socket(fileno=descriptors[0])

    async def kill_all(self) -> None:
        """Kill everything inside; files stay."""
        self._killed = True
        try:
            async with asyncio.timeout(_KILL_PATIENCE):
                await self._running().order("kill_all")
        except TimeoutError as error:
            raise SandboxError(f"not everything in a sandbox was dead after {_KILL_PATIENCE:g} s") from error

    async def archive(self, destination: Path, *, path: str = WORKSPACE) -> Deliverable:
        """Seal ``path`` as a PAX tar at the host path ``destination``."""
        return await self.archive_within(
            destination, path=path, max_bytes=MAX_DELIVERABLE_BYTES, max_files=MAX_DELIVERABLE_FILES
        )

    async def archive_within(self, destination: Path, *, path: str, max_bytes: int, max_files: int) -> Deliverable:
        """:meth:`archive` with limits of the caller's."""
        if not self._killed:
            raise SandboxError("a sandbox is archived after everything in it was killed")
        order = {"work": "archive", "path": _absolute(path), "max_bytes": max_bytes, "max_files": max_files}
        with sealed_file(destination) as descriptor:
            counts = (await work(self._running(), order, into=descriptor))[0]
        return deliverable_of(counts["sha256"], counts["files"], counts["bytes"], counts["dropped"])

    async def close(self) -> None:
        """Kill and remove everything. Goes on even if the caller is cancelled meanwhile."""
        self._closed = True
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._line is not None:
            await self._line.close()
        if self._state is not None and self._state.exists():
            # The keeper could not tidy up: it was killed, or never came up.
            remove_state(self._state)


def _check_command(argv: Sequence[str], cwd: str, environment: Mapping[str, str]) -> None:
    """What the kernel could not take is wrong use, said before anything starts."""
    if not argv or not argv[0]:
        raise UsageError("a command needs a program")
    for text in (*argv, cwd, *environment, *environment.values()):
        _check_text(text)
    for name in environment:
        if not name or "=" in name:
            raise UsageError(f"not the name of an environment variable: {name!r}")


def _check_text(text: str) -> None:
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise UsageError(f"not a text that can be passed on: {text!r}") from error
    if "\0" in text:
        raise UsageError(f"a zero byte cannot be passed on: {text!r}")


def _check_target(target: str) -> None:
    """A mount must not change what makes the sandbox one."""
    names = target.split("/")[1:]
    plain = target.startswith("/") and "\0" not in target and not {"", ".", ".."} & set(names)
    if not plain or names[0] in ("proc", "dev", "sys"):
        raise UsageError(
            f"nothing can be mounted at {target!r}",
            mend="use an absolute path without `.` and `..`, outside /proc, /dev and /sys",
        )


def _absolute(path: str) -> str:
    _check_text(path)
    if not path.startswith("/"):
        raise UsageError(f"a path inside a sandbox is absolute: {path!r}")
    return path


def _write(stream: BinaryIO, content: bytes) -> None:
    stream.write(content)


def _contents(stream: BinaryIO) -> list[bytes | None]:
    contents: list[bytes | None] = []
    while len(header := stream.read(8)) == 8:
        length = int.from_bytes(header, "big", signed=True)
        contents.append(None if length < 0 else stream.read(length))
    return contents
