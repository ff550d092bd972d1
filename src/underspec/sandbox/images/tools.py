"""Other programs that make images: found, run and seen dead."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import which

from underspec.errors import EnvironmentLacksError, HostExhaustedError, SandboxError

_ROOM_LEFT = 64 * 1024**2
# What a program may know of our environment: never a key.
_PASSED_ON = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def need_root(what: str) -> None:
    """See that this process is root, which alone can give a tree's files their owners.

    Raises:
        EnvironmentLacksError: it is not.
    """
    if os.geteuid() != 0:
        raise EnvironmentLacksError(f"{what} needs root", mend="run this command as root, for instance with sudo")


def need_program(name: str, package: str) -> str:
    """Where a program is.

    Raises:
        EnvironmentLacksError: it is not installed; names the package.
    """
    found = which(name, path=f"{os.environ.get('PATH', '')}:{_PATH}")
    if found is None:
        raise EnvironmentLacksError(f"{name} is not installed", mend=f"install it: `apt install {package}`")
    return found


def check_room(folder: Path, needed: int) -> None:
    """See that the disk has room for ``needed`` bytes.

    Raises:
        HostExhaustedError: it has not.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise HostExhaustedError(
            f"too little disk is free: {free // 1024**2} MiB of the {needed // 1024**2} MiB that an image may need",
            file=str(folder),
            mend="free some, or set UNDERSPEC_HOME to a folder of a larger disk",
        )


def is_full(folder: Path) -> bool:
    """Whether a disk has no room or no free file left, so that a program that failed on it may have failed of that."""
    free = os.statvfs(folder)
    return free.f_bavail * free.f_frsize < _ROOM_LEFT or (free.f_files > 0 and free.f_favail < 100)


def run_logged(
    command: Sequence[str],
    *,
    log: Path,
    disk: Path,
    env: Mapping[str, str],
    on_line: Callable[[str], None],
    folder: Path = Path("/"),
) -> None:
    """Run a program to its end, its output in ``log`` and line by line to ``on_line``.

    It is killed when this process dies or is interrupted. ``disk`` is where it writes, ``folder`` where it runs.

    Raises:
        HostExhaustedError: it failed, and the disk is full.
        SandboxError: it failed; says its last words.
    """
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    last = ""
    with (
        log.open("ab") as kept,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": _PATH, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/root", **passed, **env},
            cwd=folder,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            for line in process.stdout:
                kept.write(line)
                text = line.decode("utf-8", "replace").strip()
                if text:
                    last = text
                    on_line(text)
            code = process.wait()
        except BaseException:
            process.kill()
            raise
    if code == 0:
        return
    if is_full(disk):
        raise HostExhaustedError("no space left on the host", file=str(disk), mend="free some disk and try again")
    raise SandboxError(
        f"{Path(command[0]).name} ended with {code}: {last[:300] or 'it gave no reason'}",
        file=str(log),
        mend="read that file; often the mirror cannot be reached, and --mirror names another",
    )
