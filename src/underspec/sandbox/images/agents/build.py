"""Making a layer: packages fetched by hash, unpacked, never run on this machine; launchers; then tried in a sandbox."""

from __future__ import annotations

import json
import os
import platform
import shlex
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from underspec.artifact.base import Artifact
from underspec.errors import SandboxError, StoreError
from underspec.sandbox.images.agents.layer import DOCUMENT, LayerDocument, layer_folder, read_layer
from underspec.sandbox.images.agents.python import IMAGE as PYTHON_IMAGE
from underspec.sandbox.images.agents.python import install_python
from underspec.sandbox.images.agents.recipe import AgentRecipe, Archive, Launcher, find_agent_recipe
from underspec.sandbox.images.build import build_image
from underspec.sandbox.images.digest import entries, measure_tree, seal_tree
from underspec.sandbox.images.kept import TREE, is_sealed, making_in, publish_in
from underspec.sandbox.images.npm import fetch_npm, install_npm_lock
from underspec.sandbox.images.store import built_images
from underspec.sandbox.images.tidy import TREE_TIME
from underspec.sandbox.images.tools import check_room, need_program
from underspec.sandbox.protocol import Mount, Owner, SandboxBackend, SandboxSpec
from underspec.task.unpack import make_folders, unpack

_ROOM = 3 * 1024**3
_SECONDS = 120.0
_PATH = "/usr/local/bin:/usr/bin:/bin"

Progress = Callable[[str], None]


async def build_layer(
    name: str,
    backend: SandboxBackend,
    *,
    again: bool = False,
    mirror: str | None = None,
    image: str = "host",
    on_progress: Progress,
) -> LayerDocument:
    """Make the layer of an agent, or say what is there already when it was made of the same recipe.

    Args:
        backend: where Python packages are installed and the program is tried, without a network.
        again: make it even so.
        mirror: of Debian, for the image that a Python agent's interpreter is taken from, where that is missing.
        image: the program is tried in this image.

    Raises:
        UsageError: there is no such recipe.
        EnvironmentLacksError: this machine cannot make it; says what to install.
        HostExhaustedError: no space left.
        SandboxError: a package cannot be had, the program does not start, or sandboxes show the layer that would be
            replaced.
    """
    recipe = find_agent_recipe(name)
    standing = None if again else _standing(recipe)
    if standing is not None:
        return standing
    _check_machine(recipe)
    if recipe.python_lock and PYTHON_IMAGE not in built_images():
        build_image(PYTHON_IMAGE, mirror=mirror, on_progress=on_progress)
    with making_in(layer_folder(recipe)) as prepared:
        standing = None if again else _standing(recipe)
        if standing is not None:
            return standing
        check_room(prepared, _ROOM)
        root, log = prepared / TREE, layer_folder(recipe).with_name(f"{name}.log")
        log.unlink(missing_ok=True)
        packages = await _fill(recipe, root, backend, log=log, on_progress=on_progress)
        on_progress("tidying")
        _tidy(root)
        on_progress("trying")
        await try_layer(recipe, root, backend, image=image)
        on_progress("hashing")
        measured = measure_tree(root)
        document = LayerDocument(
            name=name,
            version=recipe.version,
            recipe=recipe.digest,
            tree_digest=measured.digest,
            seal=seal_tree(root),
            architecture=platform.machine(),
            env=recipe.env,
            packages=packages,
            files=measured.files,
            bytes=measured.bytes,
        )
        _publish(recipe, prepared, document)
        log.unlink(missing_ok=True)
    return document


def _publish(recipe: AgentRecipe, prepared: Path, document: Artifact) -> None:
    publish_in(layer_folder(recipe), prepared, document, file=DOCUMENT, what=f"the layer of the agent {recipe.name!r}")


def _standing(recipe: AgentRecipe) -> LayerDocument | None:
    """The layer as it is, when it is whole and was made of this recipe."""
    try:
        document = read_layer(recipe)
        if document is None or document.recipe != recipe.digest:
            return None
        return document if is_sealed(layer_folder(recipe), DOCUMENT, document.seal) else None
    except StoreError:
        return None  # damaged: made anew


def _check_machine(recipe: AgentRecipe) -> None:
    recipe.archives_here()
    if recipe.archives or recipe.npm_lock:
        need_program("npm", "npm")


async def _fill(
    recipe: AgentRecipe, root: Path, backend: SandboxBackend, *, log: Path, on_progress: Progress
) -> dict[str, str]:
    """Put everything into the tree; what packages are in it, by name."""
    packages: dict[str, str] = {}
    for archive in recipe.archives_here():
        on_progress(f"fetching: {archive.name}")
        _install_archive(archive, root, log)
        packages[f"npm:{archive.name}"] = archive.version
    if recipe.npm_lock:
        on_progress("fetching npm packages")
        lock = recipe.lock(recipe.npm_lock)
        install_npm_lock(lock, root, log=log)
        for place, entry in json.loads(lock)["packages"].items():
            if place:
                packages[f"npm:{place.rpartition('node_modules/')[2]}"] = entry["version"]
    if recipe.python_lock:
        lock = recipe.lock(recipe.python_lock)
        found = await install_python(lock, root, recipe.target, backend, log=log, on_progress=on_progress)
        packages.update({f"pypi:{name}": version for name, version in found.items()})
    (root / "bin").mkdir(exist_ok=True)
    for launcher in recipe.launchers:
        _write_launcher(recipe, launcher, root)
    return dict(sorted(packages.items()))


def _install_archive(archive: Archive, root: Path, log: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="npm-", dir=root.parent) as folder:
        unpacked = Path(folder, "unpacked")
        unpacked.mkdir()
        unpack(fetch_npm(archive, Path(folder), log), unpacked)
        [inner] = unpacked.iterdir()
        target = root / archive.into
        make_folders(root, target)
        for kept in archive.keep or sorted(path.name for path in inner.iterdir()):
            if not (inner / kept).exists():
                raise SandboxError(f"the archive of {archive.name} {archive.version} has no {kept}")
            (inner / kept).rename(target / Path(kept).name)


def _write_launcher(recipe: AgentRecipe, launcher: Launcher, root: Path) -> None:
    """A shell script. The layer is always shown at the same place, so its paths are whole."""
    first, *rest = launcher.command
    path = "".join(f"{recipe.target}/{folder}:" for folder in launcher.path)
    parts = [each if each.startswith("-") or not (root / each).exists() else f"{recipe.target}/{each}" for each in rest]
    command = shlex.join([f"{recipe.target}/{first}", *parts])
    text = "#!/bin/sh\n" + (f'PATH={shlex.quote(path)}"$PATH"\n' if path else "") + f'exec {command} "$@"\n'
    place = root / "bin" / launcher.name
    place.write_text(text)
    place.chmod(0o755)


def _tidy(root: Path) -> None:
    """Modes and times that are the same for every build and every user."""
    time_ns = TREE_TIME * 10**9
    top = os.fsencode(root)
    for path, status in list(entries(root)):
        if not stat.S_ISLNK(status.st_mode):
            runnable = stat.S_ISDIR(status.st_mode) or status.st_mode & 0o111
            os.chmod(top + b"/" + path, 0o755 if runnable else 0o644)  # noqa: PTH101 - names here are bytes
        os.utime(top + b"/" + path, ns=(time_ns, time_ns), follow_symlinks=False)
    root.chmod(0o755)
    os.utime(root, ns=(time_ns, time_ns))


async def try_layer(recipe: AgentRecipe, root: Path, backend: SandboxBackend, *, image: str) -> str:
    """Start the program in a sandbox of an image; what it says of its version.

    Raises:
        SandboxError: it does not start, or is not the version that the recipe names.
    """
    owner = Owner(run="image", purpose=f"try the agent {recipe.name}")
    sandbox = backend.create(SandboxSpec(owner=owner, image=image, mounts=(Mount(root, recipe.target),)))
    try:
        await sandbox.start()
        path = await sandbox.exec(["/bin/sh", "-c", 'printf %s "$PATH"'], cwd="/")
        found = path.stdout.decode() or _PATH
        environment = {**recipe.env, "PATH": f"{recipe.target}/bin:{found}"}
        ended = await sandbox.exec(["/bin/sh", "-c", recipe.check], env=environment, timeout=_SECONDS)
    finally:
        await sandbox.close()
    said = (ended.stdout + ended.stderr).decode("utf-8", "replace").strip()
    if not ended.ok or recipe.version not in said:
        raise SandboxError(
            f"the program of the agent {recipe.name!r} does not start in the image {image!r}: {said[-500:] or ended}",
            mend="read what it says; another image may have what it lacks",
        )
    return said
