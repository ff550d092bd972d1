"""Python packages with an interpreter of their own, for a layer.

Wheels are fetched by hash on this machine, where none of them is run. They are installed in a sandbox of the image
``python`` without a network, by that image's own pip, and the image's interpreter goes along: with its libraries and
the loader, so that it runs in images that have another C library or none of its version. The result is a virtual
environment that is always shown at the same place.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from underspec.errors import EnvironmentLacksError, SandboxError
from underspec.sandbox.deliverable import extract_deliverable
from underspec.sandbox.images.store import image_digest
from underspec.sandbox.images.tools import run_logged
from underspec.sandbox.protocol import WORKSPACE, Limits, Mount, Owner, SandboxBackend, SandboxSpec

IMAGE = "python"
ENVIRONMENT = "env"  # apart from the programs: an agent's shell is to find the image's Python, not the agent's
_MACHINE = os.uname().machine
_PYTHON = "3.13"  # of the image's suite
# Any C library will do, as the interpreter brings its own.
_PLATFORMS = ("manylinux1", "manylinux2010", "manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, 41)))
_WHEELS, _REQUIREMENTS = "/inputs/wheels", "/inputs/requirements"
_LIMITS = Limits(memory=4 * 1024**3, disk=4 * 1024**3, cpus=2.0)
_SECONDS = 1800.0


async def install_python(
    lock: str, root: Path, target: str, backend: SandboxBackend, *, log: Path, on_progress: Callable[[str], None]
) -> dict[str, str]:
    """Make the environment in ``root``, which is shown at ``target``; what is installed, name to version.

    Raises:
        EnvironmentLacksError: pip or the image ``python`` is missing; says how to get it.
        SandboxError: a package cannot be had or installed.
    """
    image_digest(IMAGE)
    with tempfile.TemporaryDirectory(prefix="wheels-", dir=root.parent) as folder:
        wheels, requirements = Path(folder, "wheels"), Path(folder, "requirements")
        wheels.mkdir()
        requirements.write_text(lock)
        on_progress("fetching wheels")
        _download(requirements, wheels, log, on_progress)
        for path in (Path(folder), wheels):
            path.chmod(0o755)
        on_progress("installing in a sandbox")
        mounts = (Mount(wheels, _WHEELS), Mount(requirements, _REQUIREMENTS))
        owner = Owner(run="image", purpose="install an agent")
        sandbox = backend.create(SandboxSpec(owner=owner, image=IMAGE, limits=_LIMITS, mounts=mounts))
        script = resources.files(__package__) / "assemble.py"
        try:
            await sandbox.start()
            await sandbox.put("/tmp/assemble.py", script.read_bytes())
            place = f"{target}/{ENVIRONMENT}"
            command = ["python3", "/tmp/assemble.py", _WHEELS, _REQUIREMENTS, f"{WORKSPACE}/layer", place]
            ended = await sandbox.exec(command, timeout=_SECONDS)
            if not ended.ok:
                said = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip()
                log.write_text(said)
                raise SandboxError(f"Python packages cannot be installed: {said[-300:] or ended}", file=str(log))
            await sandbox.kill_all()
            tar = Path(folder, "layer.tar")
            await sandbox.archive(tar, path=f"{WORKSPACE}/layer")
        finally:
            await sandbox.close()
        extract_deliverable(tar, root / ENVIRONMENT)
    installed: dict[str, str] = json.loads(ended.stdout.splitlines()[-1])
    return installed


def _download(requirements: Path, wheels: Path, log: Path, on_progress: Callable[[str], None]) -> None:
    if importlib.util.find_spec("pip") is None:
        raise EnvironmentLacksError(
            f"pip is missing in the environment of {sys.executable}", mend=f"run `{sys.executable} -m ensurepip`"
        )
    platforms = [option for each in _PLATFORMS for option in ("--platform", f"{each}_{_MACHINE}")]
    abis = [option for abi in (f"cp{_PYTHON.replace('.', '')}", "abi3", "none") for option in ("--abi", abi)]
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in ("HOME", "PATH")}
    run_logged(
        [
            *(sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--no-deps"),
            *("--only-binary", ":all:", "--require-hashes", "--implementation", "cp", "--python-version", _PYTHON),
            *(*platforms, *abis, "--dest", str(wheels), "--requirement", str(requirements)),
        ],
        log=log,
        disk=wheels,
        # A constraint on this machine is about what gets installed here.
        env={**kept, "PIP_CONSTRAINT": os.devnull},
        on_line=lambda text: on_progress(f"fetching wheels: {text}"),
    )
