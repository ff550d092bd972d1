"""State folders: who owns which sandbox, so that only what dead owners of ours left behind is ever removed.

Each sandbox has ``<tmp>/underspec-<uid>/<id>/owner.json`` and, where limits can be set, control groups named
``underspec-<id>``.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from underspec.artifact.files import host_exhaustion
from underspec.errors import SandboxError
from underspec.sandbox.keeper.groups import ROOT, Group, find_place, kill_members, members, remove_folder
from underspec.sandbox.protocol import Owner

_OWNER = "owner.json"
_KEEPER_PATIENCE = 3.0


@dataclass(frozen=True)
class Process:
    """A process that cannot be mistaken for a later one of the same number on the same boot."""

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> Process | None:
        """The process that has this number now, or None."""
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return None if fields[0] in (b"Z", b"X") else cls(pid, int(fields[19]))

    def alive(self) -> bool:
        """Whether it still runs."""
        return Process.of(self.pid) == self


def group_name(sandbox_id: str) -> str:
    """The name of a sandbox's control groups."""
    return f"underspec-{sandbox_id}"


def state_home() -> Path:
    """The folder of all our state folders, ours alone.

    Raises:
        SandboxError: somebody else made it, or others may write to it.
    """
    home = Path(tempfile.gettempdir()) / f"underspec-{os.geteuid()}"
    with host_exhaustion(home), contextlib.suppress(FileExistsError):
        home.mkdir(mode=0o700)
    status = home.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise SandboxError(
            "the folder for sandbox state is not a private folder of this user",
            file=str(home),
            mend="remove it, or set TMPDIR to another folder",
        )
    return home


def create_state(sandbox_id: str, owner: Owner) -> Path:
    """A new state folder, named by the sandbox's id, that says who owns it."""
    home = state_home()
    # Until the document in it is whole, its name says whose it is.
    own = Process.of(os.getpid())
    by = f"{own.pid}.{own.started}.{_namespace()}" if own else ""
    prepared = home / f".{sandbox_id}.{by}"
    with host_exhaustion(prepared):
        prepared.mkdir(mode=0o700)
        _write(prepared, owner, None)
        return prepared.rename(home / sandbox_id)


def name_keeper(state: Path, owner: Owner, pid: int) -> None:
    """Note the keeper's process in the state folder."""
    with host_exhaustion(state):
        _write(state, owner, Process.of(pid))


def _write(state: Path, owner: Owner, keeper: Process | None) -> None:
    own = Process.of(os.getpid())
    document = {
        **_place(),
        "run": owner.run,
        "purpose": owner.purpose,
        "owner": asdict(own) if own else None,
        "keeper": asdict(keeper) if keeper else None,
        "groups": list(dict.fromkeys(Group(find_place(), group_name(_id_of(state))).folders.values())),
    }
    temporary = state / ".owner.tmp"
    temporary.write_text(json.dumps(document))
    temporary.replace(state / _OWNER)


def _place() -> dict[str, str]:
    """Where process numbers mean what they say: machine, boot and process namespace."""
    machine = Path("/etc/machine-id")
    return {
        "machine": machine.read_text().strip() if machine.is_file() else "",
        "boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        "processes": str(Path("/proc/self/ns/pid").readlink()),
    }


def reap() -> list[str]:
    """Remove what dead owners of ours left behind; returns the ids removed."""
    return [state.name for state in sorted(state_home().iterdir()) if _is_left_over(state) and remove_state(state)]


def _is_left_over(state: Path) -> bool:
    try:
        document = json.loads((state / _OWNER).read_text())
    except (FileNotFoundError, NotADirectoryError):
        return _is_unfinished(state)
    except ValueError:
        return False
    return is_ownerless(document)


def _is_unfinished(state: Path) -> bool:
    """Whether whoever began this folder died before it was whole. Such a folder lives for an instant only."""
    try:
        if not (state.name.startswith(".") and stat.S_ISDIR(state.lstat().st_mode)):
            return False
        _, _, pid, started, namespace = state.name.split(".")
        if namespace == _namespace():
            return not Process(int(pid), int(started)).alive()
    except FileNotFoundError:
        return False  # whole by now, or removed by somebody else
    except ValueError:
        pass  # of another version
    with contextlib.suppress(FileNotFoundError):
        return time.time() - state.lstat().st_mtime > 60
    return False


def _id_of(state: Path) -> str:
    """The sandbox's id, which the name of a folder that is not whole yet begins with too."""
    return state.name.lstrip(".").partition(".")[0]


def _namespace() -> str:
    """The number of this process's process namespace."""
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def owner_document(state: Path) -> str:
    """What a state folder says about who owns it, as JSON."""
    return (state / _OWNER).read_text()


def is_ownerless(document: dict[str, Any]) -> bool:
    """Whether the process that owned a sandbox, as such a document says, was one of this machine's and is dead."""
    here = _place()
    if document["machine"] != here["machine"]:
        return False
    if document["boot"] != here["boot"]:
        return bool(here["machine"])
    if document["processes"] != here["processes"] or document["owner"] is None:
        return False
    if Process(**document["owner"]).alive():
        return False
    _wait_for_keeper(Process(**document["keeper"]) if document["keeper"] else None)
    return True


def _wait_for_keeper(keeper: Process | None) -> None:
    """A keeper whose harness is gone is tidying up itself; one that hangs is killed, and its sandbox with it."""
    until = time.monotonic() + _KEEPER_PATIENCE
    while keeper is not None and keeper.alive() and time.monotonic() < until:
        time.sleep(0.01)
    if keeper is not None and keeper.alive():
        with contextlib.suppress(ProcessLookupError):
            os.kill(keeper.pid, 9)


def remove_state(state: Path) -> bool:
    """Kill whatever is still in a sandbox's control groups, and remove them and its folder. False if it was gone."""
    try:
        groups = json.loads((state / _OWNER).read_text())["groups"]
    except FileNotFoundError:
        groups = []
    for folder in groups:
        if Path(folder).name == group_name(state.name) and Path(folder).is_relative_to(ROOT):
            _remove_group(folder)
    try:
        shutil.rmtree(state)
    except FileNotFoundError:
        return False
    return True


def _remove_group(folder: str) -> None:
    until = time.monotonic() + _KEEPER_PATIENCE
    while not remove_folder(folder) and time.monotonic() < until:
        for part, _, _ in os.walk(folder):
            kill_members([part], members(part))
        time.sleep(0.005)
