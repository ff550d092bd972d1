"""What stays with the operator, on the host: digests for keys, the golden deliverable, what probes look for."""

from __future__ import annotations

import json
from pathlib import Path

from underspec.artifact.canonical import sha256_hex
from underspec.artifact.outcomes import SuiteName
from underspec.task.canary import text_canaries
from underspec.task.digest import entries_digest
from underspec.task.finding import stop_at_errors
from underspec.task.golden import compose_golden
from underspec.task.model import Registry, Task
from underspec.task.release.agent import visible_workspace
from underspec.task.release.grader import expectations, grader_inputs
from underspec.task.tree import read_tree


def visible_digest(task: Task) -> str | None:
    """The digest of the files that the agent starts with; None when there are none.

    Raises:
        TaskError: the folder can no longer be read.
    """
    folder = visible_workspace(task)
    return entries_digest(read_tree(folder, stop_at_errors)) if folder else None


def suite_digest(task: Task, suite: SuiteName) -> str:
    """SHA-256 over a suite's inputs and expected outputs: changes exactly when a grade may."""
    content = [[name, data.decode()] for name, data in sorted(grader_inputs(task, suite).items())]
    return sha256_hex(json.dumps([content, sorted(expectations(task, suite).items())]).encode())


def golden_deliverable(task: Task, into: Path, cache: Path | None = None) -> None:
    """Write the golden deliverable into the existing folder ``into`` (:func:`underspec.task.golden.compose_golden`)."""
    compose_golden(task, into, cache)


def forbidden_strings(task: Task) -> frozenset[str]:
    """What nobody but the operator may ever read: all canaries of ``hidden/``, identity strings, the golden's name.

    Raises:
        TaskError: the task folder can no longer be read.
    """
    names = set(task.toml.identity)
    if task.golden:
        names |= {task.golden.name, task.golden.filename, task.golden.sha256}
    canaries: set[str] = set()
    # Published data carries no canary, and a field of its cases may be called so.
    hidden = read_tree(task.path / "hidden", stop_at_errors, keep=lambda path: task.toml.origin == "authored")
    for entry in hidden:
        canaries.update(text_canaries(entry.path, (entry.content or b"").decode("utf-8", "replace")))
    return frozenset(names | canaries)


def own_source(task: Task) -> tuple[str, Registry | None, str | None, tuple[str, ...]]:
    """The source's address, the golden package's registry and name, and every string that names the source."""
    golden = task.golden
    return (
        task.toml.source.url,
        golden.registry if golden else None,
        golden.name if golden else None,
        task.toml.identity,
    )


def golden_reference(task: Task) -> dict[str, str]:
    """Where the golden sources are to be had, by reference: package, version, registry, archive, its SHA-256 and the
    folder in it; where the task names no package, the source's address and version."""
    golden, source = task.golden, task.toml.source
    if golden is None:
        return {"address": source.url, "version": source.version}
    return {
        "package": golden.name,
        "version": golden.version,
        "registry": golden.registry,
        "archive": golden.filename,
        "SHA-256": golden.sha256,
        "folder": golden.source_folder or ".",
    }
