"""Where a repository comes from: a registry's package, an archive, or a folder such as a git checkout.

Nothing of it is run on this machine, not even git: a checkout's own settings may name programs.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.artifact.canonical import digest_of
from underspec.construct.folder import tree_digest
from underspec.errors import GoldenError, UsageError
from underspec.task.fetch import file_sha256
from underspec.task.golden import archive_place, fetch_golden
from underspec.task.model import GoldenToml, Registry
from underspec.task.unpack import make_folders, unpack, write_file

_PACKAGE = re.compile(
    r"(?P<registry>pypi|npm|deb):(?P<name>@?[A-Za-z0-9][A-Za-z0-9._/-]*?)(?:==|@)(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_:~-]*)"
)
_ARCHIVES = (".whl", ".tar.gz", ".tgz", ".zip", ".deb")
_NOT_SOURCE = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", ".tox", ".mypy_cache"})
_MOST_FILES, _MOST_BYTES = 50_000, 512 * 1024**2
_SECONDS = 600


@dataclass(frozen=True)
class Given:
    """What was given as the source, understood: a package of a registry, or a path."""

    registry: Registry | None
    name: str
    version: str
    path: Path | None

    def key(self, options: dict[str, Any]) -> str:
        """A hash of what would be obtained; a registry's package counts by its name, version and hash where given."""
        if self.path is None:
            return digest_of([self.registry, self.name, self.version, options.get("sha256")])
        return file_sha256(self.path) if self.path.is_file() else folder_digest(self.path)


def understand(source: str) -> Given:
    """Read ``pypi:NAME==VERSION``, ``npm:NAME@VERSION``, ``deb:NAME@VERSION``, or a path.

    Raises:
        UsageError: it is none of these.
    """
    found = _PACKAGE.fullmatch(source)
    if found:
        registry: Registry = found["registry"]  # type: ignore[assignment]  # the pattern holds these alone
        return Given(registry, found["name"], found["version"], None)
    path = Path(source)
    if path.is_dir() or (path.is_file() and path.name.endswith(_ARCHIVES)):
        return Given(None, path.resolve().name.split("-")[0].removesuffix(".zip"), "", path.resolve())
    mend = "give pypi:NAME==VERSION, npm:NAME@VERSION, deb:NAME@VERSION, an archive, or the folder of a checkout"
    raise UsageError("is no repository", file=source, mend=mend)


def obtain(given: Given, options: dict[str, Any]) -> GoldenToml:
    """Fetch or pack the golden archive, put it where golden archives are kept, and say which it is.

    Raises:
        GoldenError: it cannot be fetched.
        UsageError: an option is missing or wrong.
    """
    root = str(options.get("root", ""))
    sources = options.get("sources")
    if given.path is None and given.registry is not None:
        filename, sha256 = options.get("filename"), options.get("sha256")
        if not (filename and sha256):
            filename, sha256 = _first_fetch(given.registry, given.name, given.version)
        golden = _golden(given.registry, given.name, given.version, filename, sha256, root, sources)
        fetch_golden(golden)
        return golden
    assert given.path is not None
    registry: Registry = options.get("registry", "npm" if (given.path / "package.json").is_file() else "pypi")
    name = str(options.get("name", given.name))
    version = str(options.get("version", "0"))
    with tempfile.TemporaryDirectory(prefix="underspec-pack-") as folder:
        archive = given.path
        filename = archive.name
        if archive.is_dir():
            filename = f"{re.sub(r'[^A-Za-z0-9._-]', '-', name.rpartition('/')[2])}-{version}.tar.gz"
            archive = Path(folder) / filename
            _pack(given.path, archive)
        golden = _golden(registry, name, version, filename, file_sha256(archive), root, sources)
        place = archive_place(golden)
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(archive, place)
    fetch_golden(golden)
    return golden


def _golden(
    registry: Registry, name: str, version: str, filename: Any, sha256: Any, root: str, sources: Any
) -> GoldenToml:
    try:
        return GoldenToml(
            registry=registry,
            name=name,
            version=version,
            filename=filename,
            sha256=sha256,
            root=root,
            sources=sources,
        )
    except ValueError as error:
        raise UsageError(f"the package cannot be named so: {error}", mend="correct the options of select") from error


def _first_fetch(registry: Registry, name: str, version: str) -> tuple[str, str]:
    """File name and hash of what the registry's own client fetches when nobody has said which file it is."""
    commands = {
        "pypi": [
            *(sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--no-deps"),
            *("--ignore-requires-python", "--only-binary", ":all:", f"{name}=={version}"),
        ],
        "npm": ["npm", "pack", "--ignore-scripts", f"{name}@{version}"],
        "deb": ["apt-get", "--quiet", "download", f"{name}={version}"],
    }
    mend = "see that the package's name and version are right, or give an archive's path instead"
    with tempfile.TemporaryDirectory(prefix="underspec-fetch-") as folder:
        try:
            done = subprocess.run(
                commands[registry],
                cwd=folder,
                env={**os.environ, "PIP_CONSTRAINT": os.devnull, "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GoldenError(f"{name} {version} cannot be fetched: {type(error).__name__}", mend=mend) from error
        found = [path for path in Path(folder).iterdir() if path.name.endswith(_ARCHIVES)]
        if done.returncode != 0 or len(found) != 1:
            raise GoldenError(f"the registry's client could not fetch {name} {version}", mend=mend)
        sha256 = file_sha256(found[0])
        golden = _golden(registry, name, version, found[0].name, sha256, "", None)
        place = archive_place(golden)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found[0], place)
        return found[0].name, sha256


def lay_source(path: Path, into: Path) -> list[str]:
    """Copy a repository, from a folder or an archive, into the existing empty folder ``into``.

    Returns:
        What was left out: links, devices, and folders that hold no source.
    """
    if path.is_file():
        unpack(path, into)
        return []
    left_out: list[str] = []
    total = 0
    for count, (relative, place) in enumerate(_walk(path, left_out), start=1):
        content = place.read_bytes()
        total += len(content)
        if count > _MOST_FILES or total > _MOST_BYTES:
            mend = "give the folder of the library alone"
            raise UsageError("the repository is larger than 512 MiB or 50,000 files", file=str(path), mend=mend)
        target = into / relative
        make_folders(into, target.parent)
        write_file(target, content, executable=bool(place.stat().st_mode & stat.S_IXUSR))
    return left_out


def _walk(root: Path, left_out: list[str]) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        for entry in sorted(folder.iterdir()):
            relative = entry.relative_to(root).as_posix()
            if entry.name in _NOT_SOURCE or entry.is_symlink():
                left_out.append(relative)
            elif entry.is_dir():
                waiting.append(entry)
            elif entry.is_file():
                found.append((relative, entry))
            else:
                left_out.append(relative)
    return sorted(found)


def folder_digest(path: Path) -> str:
    """A hash over all that :func:`lay_source` would copy."""
    with tempfile.TemporaryDirectory(prefix="underspec-digest-") as folder:
        lay_source(path, Path(folder))
        return tree_digest(Path(folder))


def _pack(source: Path, archive: Path) -> None:
    """A gzipped tar of a folder: the same bytes for the same files, whenever and wherever it is made."""
    import gzip

    buffer = io.BytesIO()
    left_out: list[str] = []
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for relative, place in _walk(source, left_out):
            content = place.read_bytes()
            entry = tarfile.TarInfo(relative)
            entry.size = len(content)
            entry.mode = 0o755 if place.stat().st_mode & stat.S_IXUSR else 0o644
            tar.addfile(entry, io.BytesIO(content))
    with archive.open("wb") as stream, gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed:
        packed.write(buffer.getvalue())
