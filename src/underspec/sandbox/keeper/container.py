"""One sandbox in a container of an engine with Docker's API.

The engine makes and limits the container: root tree, namespaces, capabilities, control groups. Into it the keeper, as
root of the same machine, moves what engines cannot offer: one disk of a fixed size behind all writable places, the
workspace as an overlay of a host folder, inputs whose owner shows as root. None of that is mounted where the host
could see it, so nothing is left when the container goes. Commands enter as they do in every other sandbox.
"""

from __future__ import annotations

import os
import select
import time

from underspec.sandbox.keeper import identity, kernel
from underspec.sandbox.keeper.box import Box, SetupError
from underspec.sandbox.keeper.copying import CopyError
from underspec.sandbox.keeper.engine import Engine, EngineError
from underspec.sandbox.keeper.ground import ROOT as STAGED
from underspec.sandbox.keeper.ground import Ground, make_shown
from underspec.sandbox.keeper.groups import ROOT as GROUPS
from underspec.sandbox.keeper.groups import Group, Place, remove_folder
from underspec.sandbox.keeper.launch import NAMESPACES
from underspec.sandbox.keeper.police import Police
from underspec.sandbox.keeper.seccomp import build_filter
from underspec.sandbox.keeper.stage import WRITABLE, Stage, TargetError
from underspec.sandbox.keeper.transplant import TransplantError, transplant, unmount_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A map that knows nobody whom a file could belong to.
_NO_OWNER = "1879048191 1879048191 1\n"
# What no file is taken from or put to.
_NO_FILES = ("/proc", "/sys")
_PATIENCE = 20.0
_TICK = 0.002
_ELSEWHERE = "the engine's containers are not processes of this machine, as this process sees it"
_RESTLESS = "process 1 of the container does not come to rest: its image needs bash and sleep"
_EXITING = 0x4
_NO_SPACE = "no space left on device"


class RootGround(Ground):
    """Root inside is root of the host."""

    def __init__(self) -> None:
        super().__init__(None, 0)
        self.unprivileged = False
        self._nobody: int | None = None

    def publish(self, tree: int) -> None:
        """Make a clone of the machine's own read-only, and nobody's inside, where its file system can map owners."""
        if self._nobody is None:
            self._nobody = identity.create_user_namespace(_NO_OWNER, _NO_OWNER)
        if not make_shown(tree, self._nobody):
            make_shown(tree, None)

    def show(self, source: str) -> int | None:
        """A read-only clone under which the source's owner is root inside; None where that cannot be: copy then."""
        tree = kernel.clone_mount(source)
        status = os.stat(source)
        if (status.st_uid, status.st_gid) == (0, 0):
            make_shown(tree, None)
            return tree
        owners = self._owners(status)
        try:
            if make_shown(tree, owners):
                return tree
        finally:
            os.close(owners)
        os.close(tree)
        return None


class ContainerBox(Box):
    """Not started until :meth:`start`; gone after :meth:`remove`."""

    def __init__(self) -> None:
        super().__init__()
        self._engine: Engine | None = None
        self._container = ""
        self._handle = -1

    def start(self, order: dict[str, Any]) -> dict[str, Any]:
        """Set everything up; returns notes on how. Raises SetupError or OSError."""
        self._state = os.open(order["state"], os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._state_parent = os.open(os.path.dirname(order["state"]), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._name = os.path.basename(order["state"])
        self.limits = order["limits"]
        self.seccomp = build_filter()
        identity.take_root()
        try:
            self._engine = Engine(order["socket"])
            pid = self._make_container(self._engine, order["container"], order["create"])
        except EngineError as error:
            kind = "exhausted" if _NO_SPACE in str(error) else "sandbox"
            raise SetupError("lacks" if error.status == 0 else kind, f"container engine: {error}") from error
        self._meet(pid, order["marker"])
        self.group = container_group(pid)
        self.police = Police(self.group, self.limits["memory"])
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        ground = RootGround() if self.user is None else Ground(self.user, self.inside_root)
        stage = Stage(ground, order["workspace"])
        try:
            stage.build(
                order["entries"],
                lower=order["lower"],
                mounts=order["mounts"],
                disk=self.limits["disk"],
                files=self.limits["files"],
            )
        except TargetError as error:
            raise SetupError("usage", str(error)) from error
        except CopyError as error:
            raise SetupError("sandbox", f"a folder could not be copied in: {error}") from error
        places = (*order["places"], *WRITABLE, order["workspace"])
        try:
            transplant(self.others["mnt"], [(kernel.clone_mount(f"{STAGED}{path}"), path) for path in places])
        except TransplantError as error:
            raise SetupError("sandbox", str(error)) from error
        return {"notes": stage.notes}

    def _make_container(self, engine: Engine, name: str, create: bytes) -> int:
        """Create and start it; returns the host id of its process 1."""
        import json

        self._container = name
        engine.checked("POST", f"/containers/create?name={name}", create)
        engine.checked("POST", f"/containers/{name}/start")
        return int(json.loads(engine.checked("GET", f"/containers/{name}/json"))["State"]["Pid"])

    def _meet(self, pid: int, marker: str) -> None:
        """Hold on to process 1 and its namespaces, having made sure that it is the one."""
        if pid == 0:
            raise SetupError("sandbox", _RESTLESS)
        try:
            self._handle = os.pidfd_open(pid)
        except OSError as error:
            raise SetupError("lacks", _ELSEWHERE) from error
        self._wait_for_rest(pid, marker.encode())
        self.init_pid = pid
        self.others = {
            name: os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC)
            for name in NAMESPACES
            if os.path.exists(f"/proc/{pid}/ns/{name}")
        }
        self.pid_namespace = os.open(f"/proc/{pid}/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.proc = os.open(f"/proc/{pid}/root/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if os.readlink(f"/proc/{pid}/ns/user") != os.readlink("/proc/self/ns/user"):
            self.user = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
            with open(f"/proc/{pid}/uid_map") as stream:
                self.inside_root = int(stream.read().split()[1])

    def _wait_for_rest(self, pid: int, marker: bytes) -> None:
        """Process 1 must be deaf to everything, the ends of orphans above all, before anything of the sandbox runs."""
        until = time.monotonic() + _PATIENCE
        known = False
        while time.monotonic() < until and not self._has_ended():
            with open(f"/proc/{pid}/environ", "rb") as stream:
                known = marker in stream.read().split(b"\0")
            with open(f"/proc/{pid}/status") as status:
                fields = dict(line.split(":", 1) for line in status.read().splitlines())
            deaf = int(fields["SigIgn"], 16) >> (kernel.SIGCHLD - 1) & 1
            if known and deaf and fields["Name"].strip() == "sleep":
                return
            time.sleep(_TICK)
        if self._has_ended() or known:
            raise SetupError("sandbox", _RESTLESS)
        raise SetupError("lacks", _ELSEWHERE)

    def _has_ended(self) -> bool:
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return bool(poll.poll(0))

    def kill(self) -> None:
        """Kill process 1; the kernel kills the rest."""
        if self.init_pid is not None:
            try:
                kernel.signal_process(self._handle, kernel.SIGKILL)
            except ProcessLookupError:
                return

    def alive(self) -> bool:
        """Whether commands can still be run. Once process 1 has begun to end, what dies inside dies of that."""
        if self.init_pid is None:
            return False
        try:
            with open(f"/proc/{self.init_pid}/stat", "rb") as stream:
                return not int(stream.read().rpartition(b")")[2].split()[6]) & _EXITING
        except (FileNotFoundError, ProcessLookupError):
            return False

    def ended_elsewhere(self) -> bool:
        """Whether process 1, which is a child of the engine, has ended."""
        return self.init_pid is not None and self._has_ended()

    def work_on_files(self, order: dict[str, Any], descriptors: list[int]) -> int:
        """Fork a helper on the tree; ``descriptors`` are where content comes from or goes to, and the answer."""
        content, answer = descriptors
        child = os.fork()
        if child == 0:
            try:
                import hashlib  # noqa: F401 - here, since the library's files are out of reach after the next lines

                from underspec.sandbox.keeper.inside import serve

                kernel.setns(self.others["mnt"], kernel.CLONE_NEWNS)
                identity.become_inside_root(self.user)  # or the mounts of its namespace would be locked
                kernel.unshare(kernel.CLONE_NEWNS)
                kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
                for path in _NO_FILES:
                    unmount_all(path)
                root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
                serve(root, None, self.seccomp, order, content, answer)
            finally:
                os._exit(1)
        return child

    def remove(self) -> None:
        """Remove container and state folder. Everything inside is dead already."""
        for descriptor in (*self.others.values(), self.pid_namespace, self.proc):
            if descriptor >= 0:
                os.close(descriptor)
        for folder in reversed(self.group.all_folders()):
            if folder not in self.group.folders.values():
                remove_folder(folder)
        self.group = Group(Place(0, {}), "")
        if self._engine is not None and self._container:
            try:
                self._engine.request("DELETE", f"/containers/{self._container}?force=1&v=1", patience=_PATIENCE)
            except EngineError:
                return  # the state folder stays, and with it somebody comes again
        super().remove()


def container_group(pid: int, root: str = GROUPS) -> Group:
    """The control groups that an engine made for a container whose process 1 is ``pid``."""
    with open(f"/proc/{pid}/cgroup") as stream:
        lines = stream.read().splitlines()
    folders: dict[str, str] = {}
    version = 2 if os.path.exists(f"{root}/cgroup.controllers") else 1
    for line in lines:
        number, names, path = line.split(":", 2)
        if path in ("", "/"):
            continue
        if version == 2 and number == "0":
            folder = f"{root}{path}"
            if os.path.isdir(folder):
                with open(f"{folder}/cgroup.controllers") as stream:
                    held = stream.read().split()
                folders = {name: folder for name in ("memory", "pids", "cpu") if name in held}
        elif version == 1:
            for name in names.split(","):
                for mounted in (names, name):
                    folder = f"{root}/{mounted}{path}"
                    if name in ("memory", "pids", "cpu", "devices") and os.path.isdir(folder):
                        folders[name] = folder
    bases = {os.path.basename(folder) for folder in folders.values()}
    if len(bases) != 1:
        return Group(Place(0, {}), "")
    return Group(Place(version, {name: os.path.dirname(folder) for name, folder in folders.items()}), bases.pop())
