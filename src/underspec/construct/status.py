"""How a construction stands, as scripts and people read it; and what differs between two states of files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from underspec.construct.folder import COST, StageFolder, tree_entries
from underspec.construct.runner import Runner
from underspec.errors import UsageError
from underspec.model.cost_counter import CostCounter

_MOST_BYTES = 1 << 20


def status_document(runner: Runner) -> dict[str, Any]:
    """Every stage's standing, its gate's verdict with findings, where its files and evidence lie, and its turns."""
    stages = []
    for stage, standing in zip(runner.stages, runner.standings().values(), strict=True):
        folder = runner.folder(stage.name)
        state = folder.state()
        verdict = state.verdict
        stages.append(
            {
                "name": stage.name,
                "standing": standing,
                "edited": state.hand or standing == "edited",
                "gate": None
                if verdict is None
                else {
                    "ok": verdict.ok,
                    "current": state.gated == folder.digest(),
                    "findings": [finding.model_dump(mode="json") for finding in verdict.findings],
                    "facts": verdict.facts,
                },
                "turns": [turn.model_dump(mode="json") for turn in state.turns],
                "files": str(folder.out),
                "evidence": str(folder.evidence),
                "wants": dict(stage.files),
            }
        )
    return {
        "task": runner.project.task,
        "kind": runner.project.kind,
        "source": runner.project.source,
        "out": runner.project.out,
        "stages": stages,
        "cost": CostCounter(path=runner.root / COST).spent,
        "done": all(stage["standing"] in ("passed", "stale") for stage in stages),
    }


def place(root: Path, name: str) -> Path:
    """A file or folder of the working folder from ``STAGE``, ``STAGE/FILE`` or ``STAGE@N/FILE`` (earlier files).

    Raises:
        UsageError: there is none.
    """
    stage, _, rest = name.partition("/")
    stage, _, number = stage.partition("@")
    folder = StageFolder(root, stage)
    base = folder.out if not number else folder.path / "earlier" / number
    found = (base / rest) if rest else base
    if not found.exists() or not found.resolve().is_relative_to(root.resolve()):
        mend = "name STAGE, STAGE/FILE, or STAGE@N/FILE for the files of the n-th earlier proposal"
        raise UsageError("there is nothing of that name in the working folder", file=name, mend=mend)
    return found


def differences(old: Path, new: Path) -> Iterator[str]:
    """Lines of a unified diff between two files or two folders; what is no text is only said to differ."""
    if old.is_file() and new.is_file():
        yield from _of_files(old, new, old.name, new.name)
        return
    if old.is_file() or new.is_file():
        raise UsageError("a file and a folder cannot be compared", file=str(old), mend="name two of a kind")
    before, after = ({entry.path: entry for entry in tree_entries(tree)} for tree in (old, new))
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            yield f"only before: {path}"
        elif path not in before:
            yield f"only now: {path}"
        elif before[path].sha256 != after[path].sha256:
            yield from _of_files(old / path, new / path, f"before/{path}", f"now/{path}")


def _of_files(old: Path, new: Path, old_name: str, new_name: str) -> Iterator[str]:
    texts = []
    for path in (old, new):
        data = path.read_bytes()
        try:
            texts.append(data.decode("utf-8").splitlines() if len(data) <= _MOST_BYTES else None)
        except UnicodeDecodeError:
            texts.append(None)
    if texts[0] is None or texts[1] is None:
        yield f"differ, and are no text or too large: {old_name} {new_name}"
        return
    yield from difflib.unified_diff(texts[0], texts[1], old_name, new_name, lineterm="")
