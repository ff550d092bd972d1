"""What this machine can do for the bubblewrap backend: tried, not guessed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from underspec.errors import UnderspecError
from underspec.sandbox.bubblewrap.line import KEEPER
from underspec.sandbox.bubblewrap.sandbox import INSTALL, BubblewrapSandbox
from underspec.sandbox.protocol import Check, Owner, SandboxSpec

_OLDEST_KERNEL = (5, 12)
_OLDEST_BUBBLEWRAP = (0, 5)
_PROBE_SECONDS = 30
_LIMITS = {
    "limit-memory": ("memory limit", "without it each process is limited, but not all together"),
    "limit-pids": ("process limit", "without it the number of processes is limited for root inside alone"),
    "limit-cpu": ("CPU limit", "without it a sandbox takes whatever CPU is free"),
}
_GROUPS_MEND = (
    "run as root, or with control groups version 2 in a group that is delegated to you, "
    "such as `systemd-run --user -p Delegate=yes --shell`"
)


def machine_checks() -> list[Check]:
    """Look at each need; the last check starts a real sandbox."""
    checks = [_bubblewrap(), _kernel()]
    tried = _probe()
    checks.append(_namespaces(tried))
    checks += _parts(tried)
    checks += [_limit(tried, name) for name in _LIMITS]
    if all(check.ok for check in checks if check.required):
        checks.append(_whole())
    return checks


def _bubblewrap() -> Check:
    program = shutil.which("bwrap")
    if program is None:
        return Check("bubblewrap", False, "not installed", INSTALL)
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    found = re.search(r"(\d+)\.(\d+)", said.stdout)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_BUBBLEWRAP:
        oldest = ".".join(map(str, _OLDEST_BUBBLEWRAP))
        return Check("bubblewrap", False, f"{said.stdout.strip() or 'no version'}, needs {oldest} or newer", INSTALL)
    return Check("bubblewrap", True, f"{said.stdout.strip()} at {program}")


def _kernel() -> Check:
    found = re.match(r"(\d+)\.(\d+)", platform.release())
    fine = found is not None and (int(found[1]), int(found[2])) >= _OLDEST_KERNEL
    oldest = ".".join(map(str, _OLDEST_KERNEL))
    return Check("kernel", fine, platform.release(), None if fine else f"use a kernel of version {oldest} or newer")


def _probe() -> dict[str, tuple[bool, str]]:
    """What the probe says, by name."""
    said = subprocess.run(
        [*KEEPER, "probe"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={},
        cwd="/",
        timeout=_PROBE_SECONDS,
        check=False,
    )
    lines = [line.split("\t", 2) for line in said.stdout.splitlines()]
    return {name: (verdict == "ok", detail) for name, verdict, detail in lines}


def _found(tried: dict[str, tuple[bool, str]], name: str) -> tuple[bool, str]:
    return tried.get(name, (False, "not tried, since something that it needs failed"))


def _namespaces(tried: dict[str, tuple[bool, str]]) -> Check:
    fine, detail = _found(tried, "namespaces")
    who = "as root, mapped to other users inside" if os.geteuid() == 0 else "as an ordinary user"
    return Check("user namespaces", fine, who if fine else detail, None if fine else _namespaces_mend())


def _namespaces_mend() -> str:
    """Which of the usual switches is off."""
    switches = (
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("user.max_user_namespaces", "0", "10000"),
    )
    for name, bad, good in switches:
        path = Path("/proc/sys", *name.split("."))
        with contextlib.suppress(OSError):
            if path.read_text().strip() == bad:
                return f"let root run `sysctl -w {name}={good}`, or run as root"
    return "in a container, start it with `--privileged`, or with seccomp and system paths unconfined; else run as root"


def _parts(tried: dict[str, tuple[bool, str]]) -> list[Check]:
    tmpfs, seccomp = _found(tried, "tmpfs"), _found(tried, "seccomp")
    overlay, idmapped = _found(tried, "overlay"), _found(tried, "idmapped")
    copied = "folders shown in a sandbox are copied instead, which takes longer and counts towards its disk"
    return [
        Check("tmpfs", *tmpfs, None if tmpfs[0] else "allow tmpfs mounts in user namespaces"),
        Check("seccomp", *seccomp, None if seccomp[0] else "use a kernel with seccomp, on x86_64 or aarch64"),
        Check("overlay", overlay[0], overlay[1] if overlay[0] else f"{overlay[1]}; {copied}", required=False),
        Check(
            "idmapped mounts", idmapped[0], idmapped[1] if idmapped[0] else f"{idmapped[1]}; {copied}", required=False
        ),
    ]


def _limit(tried: dict[str, tuple[bool, str]], name: str) -> Check:
    fine, detail = _found(tried, name)
    label, without = _LIMITS[name]
    if fine:
        return Check(label, True, detail, required=False)
    return Check(label, False, f"{detail}; {without}", _GROUPS_MEND, required=False)


def _whole() -> Check:
    """Start a sandbox and run something in it. On a thread, for the caller may be on an event loop."""
    with ThreadPoolExecutor(max_workers=1) as threads:
        try:
            seconds = threads.submit(asyncio.run, _start_one()).result()
        except UnderspecError as error:
            return Check("a sandbox", False, str(error), "see the message")
    return Check("a sandbox", True, f"started, ran a command and was removed in {seconds * 1000:.0f} ms")


async def _start_one() -> float:
    began = time.perf_counter()
    sandbox = BubblewrapSandbox(SandboxSpec(owner=Owner(run="doctor", purpose="check")))
    try:
        await sandbox.start()
        await sandbox.exec(["/bin/sh", "-c", "exit 0"])
    finally:
        await sandbox.close()
    return time.perf_counter() - began
