"""Downloads one archive, named by package, version and hash, through the package manager as this machine has it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from underspec.errors import GoldenError
from underspec.task.layout import GOLDEN
from underspec.task.model import GoldenToml, Registry
from underspec.task.tree import shown

# One more try, and ten seconds for an answer.
_HASTE: dict[Registry, list[str]] = {
    "pypi": ["--retries", "1", "--timeout", "10"],
    "npm": ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=10000"],
    "deb": ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=10", "-o", "Acquire::https::Timeout=10"],
}
MAX_ARCHIVE_BYTES = 128 * 1024**2
_SECONDS = 600
_HASTY_SECONDS = 120


def file_sha256(path: Path) -> str:
    """Hash a file as a stream."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def by_hand(golden: GoldenToml, place: Path) -> str:
    """The mend that always works: which file to put where."""
    return f"or put {golden.filename} of {golden.name} {golden.version}, SHA-256 {golden.sha256}, at {place}"


def download(golden: GoldenToml, folder: Path, place: Path, *, hasty: bool = False) -> Path:
    """Fetch the archive into the empty ``folder``; its hash is not yet checked. ``place`` is where one may put it.
    ``hasty``: where nothing answers, give up within half a minute.

    Nothing of the package is run: wheels, npm archives and Debian packages are only fetched. A Python source archive is
    never asked for, since pip would run its build code on this machine.

    Raises:
        GoldenError: the package manager is missing or could not fetch it.
    """
    tool, prepare, check = _CLIENTS[golden.registry]
    command = [*prepare(golden, folder, place), *(_HASTE[golden.registry] if hasty else ())]
    seconds = _HASTY_SECONDS if hasty else _SECONDS
    # A constraint on this machine is about what gets installed here; the archive is pinned by its hash.
    environment = {**os.environ, "PIP_CONSTRAINT": os.devnull, "LC_ALL": "C.UTF-8"}
    mend = f"{check}, {by_hand(golden, place)}"
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired as problem:
        raise GoldenError(f"{tool} did not end within {seconds} s", file=GOLDEN, mend=mend) from problem
    except OSError as problem:
        raise GoldenError(f"{tool} cannot be started: {problem.strerror}", file=GOLDEN, mend=mend) from problem
    if done.returncode != 0:
        raise GoldenError(
            f"{tool} could not fetch {golden.name} {golden.version}: {_reason(done.stderr)}", file=GOLDEN, mend=mend
        )
    archive = folder / golden.filename
    if not archive.is_file() or archive.is_symlink():
        got = ", ".join(sorted(path.name for path in folder.iterdir() if path.name != "requirements.txt")) or "nothing"
        message = f"{tool} fetched {shown(got)[:200]}, not {golden.filename}"
        raise GoldenError(
            message, file=GOLDEN, where="$.filename", mend=f"correct the file name, {by_hand(golden, place)}"
        )
    return archive


def _reason(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower() or line.startswith("E: ")]
    errors = [line for line in errors if "complete log of this run" not in line]  # npm's last word, which says nothing
    line = (errors or lines or ["it gave no reason"])[-1]
    return shown(line)[:300]


def _pip(golden: GoldenToml, folder: Path, place: Path) -> list[str]:
    if golden.name.startswith("@"):
        raise GoldenError(
            "a Python package has no scope",
            file=GOLDEN,
            where="$.name",
            mend='leave out "@scope/", or use registry "npm"',
        )
    if not golden.filename.endswith(".whl"):
        raise GoldenError(
            "a Python source archive is not fetched, since pip would run its build code on this machine",
            file=GOLDEN,
            where="$.filename",
            mend=f"name a wheel, {by_hand(golden, place)}",
        )
    if importlib.util.find_spec("pip") is None:
        raise GoldenError(
            f"pip is missing in the environment of {sys.executable}",
            file=GOLDEN,
            mend=f"run `{sys.executable} -m ensurepip`, {by_hand(golden, place)}",
        )
    # Hash mode makes pip choose this very file among those of the version.
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{golden.name}=={golden.version} --hash=sha256:{golden.sha256}\n")
    return [
        *(sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--no-deps"),
        *("--ignore-requires-python", "--require-hashes", "--only-binary", ":all:"),
        *_platform(golden.filename),
        *("--dest", str(folder), "--requirement", str(requirements)),
    ]


def _platform(wheel: str) -> list[str]:
    """What pip must be told of a wheel that is made for one platform, so that any machine can fetch it."""
    parts = wheel.removesuffix(".whl").split("-")
    if len(parts) not in (5, 6):
        mend = "copy it from the registry: name-version-python-abi-platform.whl"
        raise GoldenError("is no file name of a wheel", file=GOLDEN, where="$.filename", mend=mend)
    python, abi, platforms = parts[-3:]
    if platforms == "any":
        return []
    version = python.split(".")[0]
    options = ["--implementation", version[:2], "--python-version", version[2:]]
    options += [option for name in abi.split(".") for option in ("--abi", name)]
    return options + [option for name in platforms.split(".") for option in ("--platform", name)]


def _npm(golden: GoldenToml, folder: Path, place: Path) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise GoldenError(
            "npm is missing on this machine", file=GOLDEN, mend=f"install Node.js with npm, {by_hand(golden, place)}"
        )
    specification = f"{golden.name}@{golden.version}"
    return [npm, "pack", "--ignore-scripts", "--pack-destination", str(folder), specification]


def _apt(golden: GoldenToml, folder: Path, place: Path) -> list[str]:
    if golden.name.startswith("@"):
        raise GoldenError(
            "a Debian package has no scope",
            file=GOLDEN,
            where="$.name",
            mend='leave out "@scope/", or use registry "npm"',
        )
    if not golden.filename.endswith(".deb"):
        mend = "copy it from the archive: name_version_architecture.deb"
        raise GoldenError("is no file name of a Debian package", file=GOLDEN, where="$.filename", mend=mend)
    apt = shutil.which("apt-get")
    if apt is None:
        raise GoldenError(
            "apt-get is missing on this machine",
            file=GOLDEN,
            mend=f"fetch the package on a Debian machine, {by_hand(golden, place)}",
        )
    # Only the file itself is fetched, into the folder that the command runs in: nothing is installed or unpacked.
    return [apt, "--quiet", "download", f"{golden.name}={golden.version}"]


_Prepare = Callable[[GoldenToml, Path, Path], list[str]]
_CLIENTS: dict[Registry, tuple[str, _Prepare, str]] = {
    "pypi": ("pip", _pip, "check the network and pip's index settings"),
    "npm": ("npm", _npm, "check the network and npm's index settings"),
    "deb": ("apt-get", _apt, "run `apt-get update` with package sources that have this very version"),
}
