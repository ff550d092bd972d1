"""What this machine and its engine can do for the docker backend: tried, not guessed."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from underspec.errors import UnderspecError
from underspec.sandbox.docker.connection import ask, socket_path
from underspec.sandbox.docker.sandbox import DockerSandbox, need_root
from underspec.sandbox.protocol import Check, Owner, SandboxSpec

_OLDEST_API = (1, 41)


def engine_checks() -> list[Check]:
    """Look at each need; the last check starts a real sandbox."""
    try:
        path = socket_path()
        version, info = ask("/version"), ask("/info")
    except UnderspecError as error:
        return [Check("container engine", False, error.message, error.mend)]
    checks = [_engine(path, version), _user(), *_limits(info), _user_namespace(info)]
    if all(check.ok for check in checks if check.required):
        checks.append(_whole())
    return checks


def _engine(path: str, version: dict[str, Any]) -> Check:
    api = tuple(int(part) for part in str(version.get("ApiVersion", "0")).split(".") if part.isdigit())
    detail = f"{version.get('Version')} (API {version.get('ApiVersion')}) at {path}"
    if api < _OLDEST_API:
        oldest = ".".join(map(str, _OLDEST_API))
        return Check("container engine", False, f"{detail}, needs API {oldest}", "use Docker 20.10 or newer")
    return Check("container engine", True, detail)


def _user() -> Check:
    try:
        need_root()
    except UnderspecError as error:
        return Check("user", False, error.message, error.mend)
    return Check("user", True, "root")


def _limits(info: dict[str, Any]) -> list[Check]:
    wanted = (("memory limit", "MemoryLimit"), ("process limit", "PidsLimit"), ("CPU limit", "CpuCfsQuota"))
    driver = f"control groups, version {info.get('CgroupVersion', '1')} ({info.get('CgroupDriver')})"
    return [
        Check(label, True, driver)
        if info.get(name)
        else Check(label, False, "the engine cannot set it", "start the machine with that control group enabled")
        for label, name in wanted
    ]


def _user_namespace(info: dict[str, Any]) -> Check:
    if any("name=userns" in option for option in info.get("SecurityOptions") or []):
        return Check("user namespaces", True, "root inside is nobody on the host", required=False)
    return Check(
        "user namespaces",
        False,
        "the engine does not remap users: root inside is root of the host, held by what it may not do",
        "start the engine with `--userns-remap=default`",
        required=False,
    )


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
    sandbox = DockerSandbox(SandboxSpec(owner=Owner(run="doctor", purpose="check")))
    try:
        await sandbox.start()
        await sandbox.exec(["/bin/sh", "-c", "exit 0"])
    finally:
        await sandbox.close()
    return time.perf_counter() - began
