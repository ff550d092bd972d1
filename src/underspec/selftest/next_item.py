"""Work that wants to reach the item after it, or the one beside it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from underspec.sandbox.deliverable import extract_deliverable
from underspec.sandbox.protocol import WORKSPACE, Sandbox, SandboxBackend, SandboxSpec
from underspec.selftest.trial import OWNER, Role, Run, Trial

_MARK = "poison-4d1f"

# Everywhere a program could leave something: files, processes, ports, memory, keys, and the machine's own folders.
_LEAVE = f"""
import ctypes, os, socket, subprocess, sys
mark = {_MARK!r}
for top, folders, names in os.walk("/"):
    if top.startswith(("/proc", "/sys")):
        folders.clear()
        continue
    for name in (mark, "sitecustomize.py", "conftest.py", ".bashrc"):
        try:
            with open(os.path.join(top, name), "a") as stream:
                stream.write(f"# {{mark}}\\nimport sys; sys.stderr.write('{{mark}}')\\n")
        except OSError:
            pass
libc = ctypes.CDLL(None, use_errno=True)
segment = libc.shmget(0x4D1F, 4096, 0o1666)
libc.msgget(0x4D1F, 0o1666)
libc.semget(0x4D1F, 1, 0o1666)
if os.uname().machine == "x86_64":  # where the numbers of add_key and keyctl are these
    libc.syscall(248, b"user", mark.encode(), b"x", 1, -4)  # to the user's keyring
if os.fork() == 0:
    os.setsid()
    held = []
    for address in (("127.0.0.1", 48215), ("0.0.0.0", 48216)):
        try:
            held.append(socket.create_server(address))
        except OSError:
            pass
    line = socket.socket(socket.AF_UNIX)
    try:
        line.bind("\\0" + mark)
        line.listen()
    except OSError:
        pass
    sys.stdout.close()
    os.close(1); os.close(2)
    import time
    while True:
        time.sleep(1)
"""

_LOOK = f"""
import ctypes, os, socket
mark = {_MARK!r}
found = []
for top, folders, names in os.walk("/"):
    if top.startswith("/sys"):
        folders.clear()
        continue
    if top.startswith("/proc"):
        if top != "/proc":
            folders.clear()
        for name in folders if top == "/proc" else ():
            try:
                with open(f"/proc/{{name}}/cmdline", "rb") as stream:
                    if name.isdigit() and int(name) != os.getpid() and b"4D1F" in stream.read():
                        found.append(f"process {{name}}")
            except OSError:
                pass
        if top == "/proc":
            folders.clear()
        continue
    found += [os.path.join(top, name) for name in names if name == mark]
    for name in names:
        if name in ("sitecustomize.py", "conftest.py", ".bashrc"):
            try:
                with open(os.path.join(top, name), errors="replace") as stream:
                    if mark in stream.read():
                        found.append(os.path.join(top, name))
            except OSError:
                pass
libc = ctypes.CDLL(None, use_errno=True)
found += [kind for kind, call in (("memory", libc.shmget(0x4D1F, 4096, 0)), ("queue", libc.msgget(0x4D1F, 0)),
                                  ("semaphore", libc.semget(0x4D1F, 1, 0))) if call >= 0]
if os.uname().machine == "x86_64" and libc.syscall(250, 10, -4, b"user", mark.encode(), 0) > 0:  # searches
    found.append("key")
for port in (48215, 48216):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=0.5).close()
        found.append(f"port {{port}}")
    except OSError:
        pass
line = socket.socket(socket.AF_UNIX)
try:
    line.connect("\\0" + mark)
    found.append("abstract socket")
except OSError:
    pass
print(", ".join(found))
"""


@contextlib.asynccontextmanager
async def _started(backend: SandboxBackend, lower: Path | None = None) -> AsyncIterator[Sandbox]:
    sandbox = backend.create(SandboxSpec(owner=OWNER, lower=lower))
    try:
        await sandbox.start()
        yield sandbox
    finally:
        await sandbox.close()


async def _python(sandbox: Sandbox, script: str) -> str:
    done = await sandbox.exec(["python3", "-c", script], timeout=120)
    return done.stdout.decode(errors="replace").strip() if done.ok else f"could not look: {done.stderr[-300:]!r}"


async def _leaves_what_it_can(backend: SandboxBackend, folder: Path) -> str | None:
    async with _started(backend) as first:
        await first.exec(["python3", "-c", _LEAVE], timeout=120)
        await first.kill_all()
        await first.archive(folder / "deliverable.tar")
    async with _started(backend) as following:
        found = await _python(following, _LOOK)
    return f"the next item finds {found}" if found else None


async def _is_beside(backend: SandboxBackend, folder: Path) -> str | None:
    async with _started(backend) as first, _started(backend) as other:
        await first.exec(["python3", "-c", _LEAVE], timeout=120)
        if not (mine := await _python(first, _LOOK)):
            return f"nothing was left that could be found: {mine}"
        found = await _python(other, _LOOK)
    return f"the item beside it finds {found}" if found else None


_TREE = f"""
import os
os.chdir({WORKSPACE!r})
open("program.py", "w").write("print('right')")
os.chmod("program.py", 0o6755)
os.makedirs(".git/hooks")
open(".git/hooks/post-checkout", "w").write("#!/bin/sh\\n")
os.symlink("/etc/passwd", "out")
os.symlink("../../../../../../etc", "up")
os.mkfifo("pipe")
os.link("program.py", "again.py")
"""


async def _hands_over_a_trap(backend: SandboxBackend, folder: Path) -> str | None:
    async with _started(backend) as first:
        made = await first.exec(["python3", "-c", _TREE])
        if not made.ok:
            return f"the trap was not laid: {made.stderr[-300:]!r}"
        await first.kill_all()
        sealed = await first.archive(folder / "deliverable.tar")
    extract_deliverable(folder / "deliverable.tar", folder / "tree")
    tree = {path.relative_to(folder / "tree") for path in (folder / "tree").rglob("*")}
    kept = sorted(str(path) for path in tree)
    if kept != ["again.py", "out", "program.py", "up"]:
        return f"hands over {kept}"
    if (folder / "tree/program.py").stat().st_mode & 0o7000:
        return "hands over a program that runs as another user"
    if (folder / "tree/again.py").stat().st_nlink != 1:
        return "hands over two names of one file"
    dropped = {entry.reason for entry in sealed.dropped}
    return None if {"git", "fifo"} <= dropped else f"what was left out is not said: {sorted(dropped)}"


async def _is_handed_over(backend: SandboxBackend, folder: Path) -> str | None:
    script = "mkdir -p deep/er && echo kept > deep/er/file && printf '#!/bin/sh\\necho ran\\n' > run && chmod +x run"
    async with _started(backend) as first:
        await first.exec(["bash", "-c", script], cwd=WORKSPACE)
        await first.kill_all()
        await first.archive(folder / "deliverable.tar")
    extract_deliverable(folder / "deliverable.tar", folder / "tree")
    async with _started(backend, lower=folder / "tree") as following:
        done = await following.exec(["bash", "-c", "cat deep/er/file && ./run && ln -s run also && ./also"])
    return None if done.stdout == b"kept\nran\nran\n" else f"what was handed over is not there: {done.stdout!r}"


async def _uses_what_it_leaves(backend: SandboxBackend, folder: Path) -> str | None:
    async with _started(backend) as alone:
        await alone.exec(["python3", "-c", _LEAVE], timeout=120)
        found = await _python(alone, _LOOK)
    lacking = [word for word in (_MARK, "port", "abstract socket") if word not in found]
    return f"cannot use its own {', '.join(lacking)}" if lacking else None


def _trial(name: str, role: Role, run: Run) -> Trial:
    return Trial("next", name, role, run)


def trials() -> list[Trial]:
    """What is left behind, and what is handed over."""
    return [
        _trial("leaves files, processes, ports, memory and keys behind", "hostile", _leaves_what_it_can),
        _trial("reaches for the item beside it", "hostile", _is_beside),
        _trial("hands over hooks, pipes, links and programs of another user", "hostile", _hands_over_a_trap),
        _trial("leaves files, processes, ports, memory and keys behind", "honest", _uses_what_it_leaves),
        _trial("hands over hooks, pipes, links and programs of another user", "honest", _is_handed_over),
    ]
