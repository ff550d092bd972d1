"""What a container costs when nothing is done with it: the measure for sandboxes made of containers."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

from underspec.errors import UnderspecError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.docker.connection import socket_path
from underspec.sandbox.docker.skeleton import prepare


def backends() -> tuple[str, ...]:
    """Those that work here."""
    return tuple(name for name in ("bubblewrap", "docker") if name == "bubblewrap" or _works(name))


def _works(name: str) -> bool:
    try:
        return all(check.ok for check in load_backend(name).checks() if check.required)
    except UnderspecError:
        return False


def plain_run() -> float | None:
    """Wall seconds of ``docker run --rm IMAGE true``, in the image ``host``; None without that command."""
    program = shutil.which("docker")
    if program is None:
        return None
    command = [program, "run", "--rm", "--network", "none"]
    root = prepare("host")
    for source, target in root.binds:
        if target.startswith("/usr"):
            command += ["--volume", f"{source}:{target}:ro"]
    start = time.perf_counter()
    subprocess.run(
        [*command, root.image, "/usr/bin/true"],
        check=True,
        capture_output=True,
        env={**os.environ, "DOCKER_HOST": f"unix://{socket_path()}"},
    )
    return time.perf_counter() - start
