"""Accepting deliverables of the toy commission."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from tests.commission_factory import EQUIVALENT, TALLY
from underspec.artifact.acceptance import Acceptance
from underspec.grade.acceptance.accept import Accepted, accept_deliverable
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner, SandboxBackend
from underspec.task.model import Task

OWNER = Owner(run="tests", purpose="acceptance tests")
HONEST = TALLY.format(canary="")
ALSO_HONEST = EQUIVALENT.format(canary="")


def deliver(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a deliverable."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        if text.startswith("#!"):
            (folder / path).chmod(0o755)
    return folder


def accept(task: Task, folder: Path, backend: SandboxBackend | None = None) -> Accepted:
    """Accept a folder in real sandboxes."""
    return asyncio.run(
        accept_deliverable(task, folder, backend or load_backend("bubblewrap"), image="host", owner=OWNER)
    )


def passed(acceptance: Acceptance) -> list[str]:
    """Ids of the tests that pass."""
    return [test.id for test in acceptance.tests if test.verdict == "passed"]
