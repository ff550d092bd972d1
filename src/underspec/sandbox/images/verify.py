"""Is an image what its document says, and does its language work in a sandbox?"""

from __future__ import annotations

from dataclasses import dataclass

from underspec.sandbox.images.digest import measure_tree
from underspec.sandbox.images.recipe import Recipe, catalogue
from underspec.sandbox.images.scan import find_identity
from underspec.sandbox.images.store import image_folder, prepared_tree, read_image
from underspec.sandbox.protocol import WORKSPACE, Owner, SandboxBackend, SandboxSpec
from underspec.task.model import Task

_LINE = b'{"answer":42}\n'
_SECONDS = 120.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


async def verify_image(name: str, backend: SandboxBackend | None, *, task: Task | None = None) -> list[Finding]:
    """Look at everything; the language is tried in a sandbox of ``backend`` when one is given and there is a recipe.

    Raises:
        EnvironmentLacksError: there is no such image.
        StoreError: its document is damaged.
        SandboxError: its tree cannot be read, or the sandbox failed.
    """
    document = read_image(name)
    root = prepared_tree(image_folder(name))
    measured = measure_tree(root)
    same = measured.digest == document.tree_digest
    words = measured.digest if same else f"is {measured.digest}, was {document.tree_digest} when it was made"
    findings = [Finding("tree", same, words)]
    if task is not None:
        found = find_identity(root, task)
        words = f"holds {', '.join(found)}" if found else "nothing is called like the golden implementation"
        findings.append(Finding(f"free of {task.id}", not found, words))
    recipe = catalogue().get(name)
    # A tree that was changed is nothing that should run.
    if same and backend is not None and recipe is not None:
        findings += await _try_language(recipe, backend)
    return findings


async def _try_language(recipe: Recipe, backend: SandboxBackend) -> list[Finding]:
    program = recipe.dispatcher
    sandbox = backend.create(SandboxSpec(owner=Owner(run="image", purpose=f"verify {recipe.name}"), image=recipe.name))
    try:
        await sandbox.start()
        told = await sandbox.exec(["/bin/sh", "-c", recipe.version_command], timeout=_SECONDS)
        version = told.stdout.decode("utf-8", "replace").strip()
        await sandbox.put(f"{WORKSPACE}/{program.file}", program.source.encode())
        ran = await sandbox.exec(["/bin/sh", "-c", program.command], stdin=_LINE, timeout=_SECONDS)
    finally:
        await sandbox.close()
    first = version.splitlines()[0] if version else f"nothing, exit code {told.exit_code}"
    worked = ran.ok and ran.stdout == _LINE
    reason = (ran.stderr or ran.stdout).decode("utf-8", "replace").strip()[-300:]
    return [
        Finding("version", told.ok and recipe.version in version, f"{first} (wanted {recipe.version})"),
        Finding(
            "dispatcher",
            worked,
            f"answered in {ran.seconds:.2f} s" if worked else f"exit code {ran.exit_code}: {reason}",
        ),
    ]
