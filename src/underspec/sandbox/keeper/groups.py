"""Control groups: hard limits on memory, processes and CPU, and a sure hold on everything that a command starts.

Version 1 (one tree a controller), version 2 (one tree) or nothing, where this process may not set limits. A sandbox
has one group; each command in it a sub-group, so that what it started can be found and killed however it hides.

Files on the sandbox's disk are pages of memory to the kernel, and charged to the group that wrote them. So the
group's hard limit is ``memory`` plus ``disk``; :mod:`underspec.sandbox.keeper.police` sees to ``memory`` itself.
"""

from __future__ import annotations

import errno
import os

from underspec.sandbox.keeper import kernel

ROOT = "/sys/fs/cgroup"
_PERIOD = 100_000
_KILLED_AT_ONCE = 64


def _read(path: str) -> str:
    with open(path) as stream:
        return stream.read()


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def make_folder(folder: str) -> None:
    """Make a group; the kernel fills the folder with the group's files."""
    os.mkdir(folder)


def drop_folder(folder: str) -> None:
    """Remove a group without members; the kernel takes the group's files along."""
    os.rmdir(folder)


class Place:
    """Where this process may create groups: ``version`` 1, 2 or 0 (nowhere) and a parent folder a controller."""

    def __init__(self, version: int, parents: dict[str, str]) -> None:
        self.version = version
        self.parents = parents


def find_place(root: str = ROOT, own: str = "/proc/self/cgroup") -> Place:
    """Look where groups can be created, without creating any."""
    try:
        lines = _read(own).splitlines()
    except FileNotFoundError:
        return Place(0, {})
    if os.path.exists(f"{root}/cgroup.controllers"):
        return _find_unified(root, lines)
    parents = {}
    for line in lines:
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name not in ("memory", "pids", "cpu"):
                continue
            for mounted in (names, name):
                folder = f"{root}/{mounted}{path.rstrip('/')}"
                if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
                    parents[name] = folder
                    break
    return Place(1, parents) if parents else Place(0, {})


def _find_unified(root: str, lines: list[str]) -> Place:
    own = next((line[3:] for line in lines if line.startswith("0::")), None)
    if own is None:
        return Place(0, {})
    # Groups with processes of their own cannot pass controllers on, except the machine's root group.
    candidates = [root] if not os.path.exists(f"{root}/cgroup.type") else []
    if own.strip("/"):
        candidates.append(os.path.dirname(f"{root}{own.rstrip('/')}"))
    for folder in candidates:
        if not os.access(f"{folder}/cgroup.procs", os.W_OK) or not os.access(folder, os.W_OK | os.X_OK):
            continue
        enabled = _enable(folder)
        if enabled:
            return Place(2, dict.fromkeys(enabled, folder))
    return Place(0, {})


def _enable(folder: str) -> list[str]:
    """Controllers that children of ``folder`` have, after asking for the three."""
    control = f"{folder}/cgroup.subtree_control"
    for name in ("memory", "pids", "cpu"):
        if name in _read(control).split():
            continue
        try:
            _write(control, f"+{name}")
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EBUSY, errno.ENOENT, errno.EROFS, errno.EINVAL):
                raise
    return [name for name in ("memory", "pids", "cpu") if name in _read(control).split()]


class Group:
    """The group of one sandbox. Without a place for groups every method does nothing."""

    def __init__(self, place: Place, name: str) -> None:
        self.version = place.version
        self.folders = {controller: f"{parent}/{name}" for controller, parent in place.parents.items()}
        self._unique = list(dict.fromkeys(self.folders.values()))
        self.tracking = self._tracking()
        self._retired: list[SubGroup] = []

    def _tracking(self) -> str | None:
        for controller in ("pids", "memory", "cpu"):
            if controller in self.folders:
                return self.folders[controller]
        return None

    def create(self, *, memory: int, disk: int, processes: int, cpus: float) -> None:
        """Make the folders and set the limits. Sizes in bytes."""
        for folder in self._unique:
            make_folder(folder)
        if "memory" in self.folders:
            self._limit_memory(self.folders["memory"], memory + disk)
        if "pids" in self.folders:
            _write(f"{self.folders['pids']}/pids.max", str(processes))
        if "cpu" in self.folders:
            quota = max(1000, int(cpus * _PERIOD))
            if self.version == 1:
                _write(f"{self.folders['cpu']}/cpu.cfs_period_us", str(_PERIOD))
                _write(f"{self.folders['cpu']}/cpu.cfs_quota_us", str(quota))
            else:
                _write(f"{self.folders['cpu']}/cpu.max", f"{quota} {_PERIOD}")

    def _limit_memory(self, folder: str, size: int) -> None:
        if self.version == 1:
            _write(f"{folder}/memory.limit_in_bytes", str(size))
            if os.path.exists(f"{folder}/memory.memsw.limit_in_bytes"):
                _write(f"{folder}/memory.memsw.limit_in_bytes", str(size))
            return
        _write(f"{folder}/memory.max", str(size))
        if os.path.exists(f"{folder}/memory.swap.max"):
            _write(f"{folder}/memory.swap.max", "0")

    def join(self, sub: SubGroup | None = None) -> None:
        """Move the calling process (which has one thread) into the sandbox's group, and into a part of it."""
        for folder in self._unique:
            _join(sub.folder if sub is not None and folder == self.tracking else folder, self.version)

    def counters(self) -> tuple[int, int]:
        """How often the kernel killed for memory, and how often it refused a new process."""
        kills = refusals = 0
        if "memory" in self.folders:
            name = "memory.oom_control" if self.version == 1 else "memory.events"
            kills = _field(f"{self.folders['memory']}/{name}", "oom_kill")
        if "pids" in self.folders:
            refusals = _field(f"{self.folders['pids']}/pids.events", "max")
        return kills, refusals

    @property
    def counts_memory(self) -> bool:
        """Whether there is a limit on memory."""
        return "memory" in self.folders

    def memory_use(self) -> tuple[int, int, int]:
        """Bytes charged in all, as anonymous memory, and as shared memory (which files on a tmpfs are)."""
        folder = self.folders["memory"]
        if self.version == 1:
            names = ("memory.usage_in_bytes", "total_rss", "total_shmem")
        else:
            names = ("memory.current", "anon", "shmem")
        stat = f"{folder}/memory.stat"
        return int(_read(f"{folder}/{names[0]}")), _field(stat, names[1]), _field(stat, names[2])

    def members(self) -> list[int]:
        """Process ids in the group."""
        folder = self.tracking
        return [] if folder is None else [pid for path, _, _ in os.walk(folder) for pid in members(path)]

    def sub(self, name: str) -> SubGroup | None:
        """A new sub-group for one command; None where there are no groups."""
        if self.tracking is None:
            return None
        self._sweep()
        folder = f"{self.tracking}/{name}"
        make_folder(folder)
        return SubGroup(folder, has_pids="pids" in self.folders and self.version == 1)

    def all_folders(self) -> list[str]:
        """Every folder of the group that exists, sub-groups included."""
        return [path for folder in self._unique for path, _, _ in os.walk(folder)]

    def retire(self, sub: SubGroup) -> None:
        """A command has ended: remove its sub-group, later if what it left in the background still lives."""
        self._retired.append(sub)
        self._sweep()

    def _sweep(self) -> None:
        self._retired = [sub for sub in self._retired if not sub.remove()]

    def remove(self) -> bool:
        """Remove the folders with their sub-groups; false while something in them still lives."""
        return _remove_all(self._unique)


class SubGroup:
    """Everything that one command started."""

    def __init__(self, folder: str, *, has_pids: bool) -> None:
        self.folder = folder
        self._has_pids = has_pids

    def kill(self) -> bool:
        """Kill all members. Returns whether none is left; call again until so."""
        if os.path.exists(f"{self.folder}/cgroup.kill"):
            _write(f"{self.folder}/cgroup.kill", "1")
        else:
            if self._has_pids:
                _write(f"{self.folder}/pids.max", "0")  # so that none can fork away
            kill_members([self.folder], self.members())
        return not self.members()

    def refusals(self) -> int:
        """How often the kernel refused one of the members a new process, where it counts that here."""
        return _field(f"{self.folder}/pids.events", "max")

    def members(self) -> list[int]:
        """Process ids of the members, zombies included until they are reaped."""
        return members(self.folder)

    def remove(self) -> bool:
        """Remove the folder; false while something in it still lives."""
        return remove_folder(self.folder)


def _join(folder: str, version: int) -> None:
    # Moving one's only thread spares version 1 a lock over the whole machine, which costs milliseconds.
    _write(f"{folder}/{'tasks' if version == 1 else 'cgroup.procs'}", "0")


def members(folder: str) -> list[int]:
    """Process ids in a group; empty when the group is gone."""
    try:
        return [int(line) for line in _read(f"{folder}/cgroup.procs").split()]
    except (FileNotFoundError, OSError) as error:
        if error.errno in (errno.ENOENT, errno.ENODEV):
            return []
        raise


def kill_members(folders: list[str], pids: list[int]) -> int:
    """Kill those of the processes ``pids``, listed a moment ago, that are in one of the groups now; returns how many.

    A number alone will not do: where processes come and go by the thousand, one that was listed may be somebody else's
    by the time it is used. A process descriptor pins who has the number; if the number is then still listed, it is
    either a member's or its holder is dead.
    """
    killed = 0
    for start in range(0, len(pids), _KILLED_AT_ONCE):
        handles: dict[int, int] = {}
        try:
            for pid in pids[start : start + _KILLED_AT_ONCE]:
                try:
                    handles[pid] = os.pidfd_open(pid)
                except ProcessLookupError:
                    continue
            now = {pid for folder in folders for pid in members(folder)}
            for pid in now & handles.keys():
                try:
                    kernel.signal_process(handles[pid], kernel.SIGKILL)
                except ProcessLookupError:
                    continue
                killed += 1
        finally:
            for handle in handles.values():
                os.close(handle)
    return killed


def remove_folder(folder: str) -> bool:
    """Remove a group and its sub-groups. False while something in them lives; true when gone."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return True
    if not _remove_all([f"{folder}/{name}" for name in names]):
        return False
    try:
        drop_folder(folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno == errno.EBUSY:
            return False
        raise
    return True


def _remove_all(folders: list[str]) -> bool:
    """Remove each that can be removed, whatever becomes of the others."""
    return False not in [remove_folder(folder) for folder in folders]


def _field(path: str, name: str) -> int:
    try:
        text = _read(path)
    except FileNotFoundError:
        return 0
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
