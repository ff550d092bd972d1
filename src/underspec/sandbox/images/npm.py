"""Pinned npm packages, put into a root tree where Node.js and compilers find them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from underspec.errors import SandboxError
from underspec.sandbox.images.recipe import NpmPackage
from underspec.sandbox.images.tools import need_program, run_logged
from underspec.task.unpack import make_folders, unpack

_MODULES = "usr/lib/node_modules"
_TREE_WIDE = "node_modules"


def install_npm(packages: Sequence[NpmPackage], root: Path, *, log: Path) -> None:
    """Unpack each archive below ``/usr/lib/node_modules`` and link the programs that it holds. None of it is run.

    Raises:
        SandboxError: an archive cannot be fetched or is not the one named.
    """
    make_folders(root, root / _MODULES)
    for package in packages:
        with tempfile.TemporaryDirectory(prefix="npm-", dir=root.parent) as folder:
            unpacked = Path(folder, "unpacked")
            unpacked.mkdir()
            unpack(fetch_npm(package, Path(folder), log), unpacked)
            target = root / _MODULES / package.name
            make_folders(root, target.parent)
            # Archives of the registry have one folder; it is called `package` but for a few.
            [inner] = unpacked.iterdir()
            inner.rename(target)
            target.chmod(0o755)
        _link_programs(target, root)
    # TypeScript looks for types in `node_modules` of a program's folder and of all above it.
    (root / _TREE_WIDE).symlink_to(_MODULES)


def fetch_npm(package: NpmPackage, folder: Path, log: Path) -> Path:
    """Fetch an archive into ``folder``. None of it is run.

    Raises:
        SandboxError: it cannot be fetched or is not the one named.
    """
    npm = need_program("npm", "npm")
    cache = folder / "cache"
    command = [npm, "pack", "--ignore-scripts", "--cache", str(cache), "--pack-destination", str(folder)]
    run_logged(
        [*command, f"{package.name}@{package.version}"],
        log=log,
        disk=folder,
        env=_npm_environment(),
        on_line=lambda text: None,
    )
    shutil.rmtree(cache, ignore_errors=True)
    [archive] = folder.glob("*.tgz")
    with archive.open("rb") as stream:
        found = base64.b64encode(hashlib.file_digest(stream, "sha512").digest()).decode()
    if f"sha512-{found}" != package.integrity:
        raise SandboxError(
            f"the archive of {package.name} {package.version} has the hash sha512-{found}, not the recipe's",
            mend="check npm's registry settings",
        )
    return archive


def install_npm_lock(lock: str, root: Path, *, log: Path) -> None:
    """Put the packages of a package lock into ``node_modules`` of a tree, each checked by its hash. None of it is run.

    Raises:
        SandboxError: a package cannot be fetched or is not the one named.
    """
    npm = need_program("npm", "npm")
    with tempfile.TemporaryDirectory(prefix="npm-", dir=root.parent) as folder:
        project = Path(folder, "project")
        project.mkdir()
        wanted = json.loads(lock)["packages"][""]
        (project / "package.json").write_text(json.dumps({**wanted, "private": True}))
        (project / "package-lock.json").write_text(lock)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--cache", str(Path(folder, "cache"))]
        run_logged(
            [npm, "ci", *options],
            log=log,
            disk=project,
            env=_npm_environment(),
            on_line=lambda text: None,
            folder=project,
        )
        modules = project / _TREE_WIDE
        shutil.rmtree(modules / ".bin", ignore_errors=True)
        (modules / ".package-lock.json").unlink(missing_ok=True)  # npm's own notes, which differ by its version
        modules.rename(root / _TREE_WIDE)


def _npm_environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}


def _link_programs(package: Path, root: Path) -> None:
    programs = package / "bin"
    for program in sorted(programs.iterdir()) if programs.is_dir() else ():
        program.chmod(0o755)
        (root / "usr/bin" / program.name).symlink_to(os.path.relpath(program, root / "usr/bin"))
