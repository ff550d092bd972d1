"""A folder tree that behaves like the kernel's control groups, version 1 or 2, as far as the keeper looks.

New groups come with their files, removed ones take them along, groups with members or sub-groups cannot be removed,
controllers must be enabled from above, and a version 2 group with members enables none (but the root).
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from underspec.sandbox.keeper import groups

_FILES = {
    1: {
        "memory": {
            "memory.limit_in_bytes": "9223372036854771712",
            "memory.memsw.limit_in_bytes": "9223372036854771712",
            "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n",
            "memory.usage_in_bytes": "0",
            "memory.stat": "rss 0\nshmem 0\ntotal_rss 0\ntotal_shmem 0\n",
        },
        "pids": {"pids.max": "max", "pids.events": "max 0\n"},
        "cpu": {"cpu.cfs_quota_us": "-1", "cpu.cfs_period_us": "100000"},
    },
    2: {
        "memory": {
            "memory.max": "max",
            "memory.swap.max": "max",
            "memory.current": "0",
            "memory.stat": "anon 0\nshmem 0\n",
            "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n",
        },
        "pids": {"pids.max": "max", "pids.events": "max 0\n"},
        "cpu": {"cpu.max": "max 100000"},
    },
}


class FakeGroups:
    """``root`` takes the place of ``/sys/fs/cgroup``, ``own`` of ``/proc/self/cgroup``."""

    def __init__(self, folder: Path, version: int, monkeypatch: pytest.MonkeyPatch, own: str = "/") -> None:
        self.version = version
        self.root = folder / "cgroup"
        self.own = folder / "self"
        self.killed: list[Path] = []
        monkeypatch.setattr(groups, "make_folder", lambda path: self.make(Path(path)))
        monkeypatch.setattr(groups, "drop_folder", lambda path: self.drop(Path(path)))
        self._write = groups._write
        monkeypatch.setattr(groups, "_write", self.write)
        if version == 1:
            lines = []
            for number, name in enumerate(("memory", "pids", "cpu")):
                self._fill(self.root / name, [name])
                self._fill(self.root / name / own.strip("/"), [name])
                lines.append(f"{number}:{name}:{own}\n")
            self.own.write_text("".join([*lines, "9:name=systemd:/\n", "0::/\n"]))
        else:
            self._fill(self.root, [])
            (self.root / "cgroup.type").unlink()
            (self.root / "cgroup.controllers").write_text("cpu memory pids")
            self.own.write_text(f"0::{own}\n")

    def place(self) -> groups.Place:
        """Where the keeper would create groups."""
        return groups.find_place(str(self.root), str(self.own))

    def make(self, folder: Path) -> None:
        """What mkdir does."""
        parent = folder.parent
        if self.version == 1:
            self._fill(folder, [folder.relative_to(self.root).parts[0]])
        else:
            self._fill(folder, (parent / "cgroup.subtree_control").read_text().split())

    def _fill(self, folder: Path, controllers: list[str]) -> None:
        folder.mkdir(parents=True, exist_ok=self.version == 1)
        (folder / "cgroup.procs").write_text("")
        if self.version == 1:
            (folder / "tasks").write_text("")
        else:
            (folder / "cgroup.controllers").write_text(" ".join(controllers))
            (folder / "cgroup.subtree_control").write_text("")
            (folder / "cgroup.type").write_text("domain")
            (folder / "cgroup.kill").write_text("")
        for controller in controllers:
            for name, content in _FILES[self.version][controller].items():
                (folder / name).write_text(content)

    def drop(self, folder: Path) -> None:
        """What rmdir does."""
        busy = (folder / "cgroup.procs").read_text() or any(entry.is_dir() for entry in folder.iterdir())
        if busy:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        shutil.rmtree(folder)

    def write(self, path: str, text: str) -> None:
        """What writing to a group's file does."""
        file = Path(path)
        if file.name in ("cgroup.procs", "tasks"):
            pid = str(os.getpid()) if text == "0" else text
            tree = self.root / file.relative_to(self.root).parts[0] if self.version == 1 else self.root
            for other in tree.rglob("cgroup.procs"):
                other.write_text("".join(line for line in other.read_text().splitlines(True) if line.strip() != pid))
            procs = file.with_name("cgroup.procs")
            procs.write_text(procs.read_text() + f"{pid}\n")
        elif file.name == "cgroup.subtree_control":
            self._enable(file, text)
        elif file.name == "cgroup.kill":
            self.killed.append(file.parent)
            (file.parent / "cgroup.procs").write_text("")
        else:
            self._write(path, "")  # fails where there is no such file
            file.write_text(text)

    def _enable(self, file: Path, text: str) -> None:
        folder, name = file.parent, text.removeprefix("+")
        if name not in (folder / "cgroup.controllers").read_text().split():
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        if (folder / "cgroup.procs").read_text() and folder != self.root:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        file.write_text(f"{file.read_text()} {name}".strip())
