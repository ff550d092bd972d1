"""A repair turn: the model is shown what the gate found and the files concerned, and gives whole files anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, feedback
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.task.tree import name_problem
from underspec.task.unpack import make_folders, write_file

_FILE = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
    "required": ["path", "text"],
    "additionalProperties": False,
}
SHAPE = Shape(
    "files", {"files": {"type": "array", "items": _FILE}, "remove": {"type": "array", "items": {"type": "string"}}}
)
_MOST_SHOWN = 60_000
_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9 ._+-]*(?:/[A-Za-z0-9_][A-Za-z0-9 ._+-]*)*")


def safe_path(path: str) -> bool:
    """Whether a path stays where it is put, whoever wrote it."""
    return bool(_SAFE.fullmatch(path)) and not any(name_problem(part) for part in path.split("/"))


def read_files(document: dict[str, Any]) -> tuple[dict[str, str], list[str]] | None:
    """Texts by path, and paths to remove; None where the document is none or names an unsafe path."""
    files, remove = document.get("files"), document.get("remove", [])
    if not isinstance(files, list) or not isinstance(remove, list):
        return None
    found: dict[str, str] = {}
    for one in files:
        if not isinstance(one, dict) or not isinstance(one.get("path"), str) or not isinstance(one.get("text"), str):
            return None
        found[one["path"]] = one["text"]
    if not all(isinstance(path, str) and safe_path(path) for path in [*found, *remove]):
        return None
    return found, remove


async def mend(
    work: Work,
    findings: Sequence[GateFinding],
    shown: Iterable[str],
    may: Callable[[str], bool],
    **besides: str,
) -> list[str]:
    """Ask for whole new files, and write those that ``may`` allows. Returns the paths that changed.

    ``shown`` are paths of files to show beside those that findings name; ``besides`` are further texts, such as the
    library's source. The stage's prompts are ``rules`` and ``mend``.

    Raises:
        NoProposalError: the model gave no files, or none that may be written.
    """
    named = [finding.file for finding in findings if finding.file]
    texts = {**_texts(work.out, dict.fromkeys([*named, *shown])), **besides}
    user = work.prompt("mend", findings=as_data(findings=feedback(findings)), data=as_data(**texts))
    files, remove = await work.ask(work.prompt("rules"), user, SHAPE, read_files, again=work.prompt("malformed"))
    changed = []
    for path, text in files.items():
        if may(path):
            write_text(work.out, path, text)
            changed.append(path)
    for path in remove:
        if may(path) and (work.out / path).is_file():
            (work.out / path).unlink()
            changed.append(path)
    if not changed:
        raise NoProposalError("the model changed no file of this stage", kind="nothing_mended")
    work.log("mended", paths=changed)
    return changed


def write_text(root: Path, path: str, text: str) -> None:
    """Write one file below ``root``; scripts become executable."""
    target = root / path
    make_folders(root, target.parent)
    write_file(target, text.encode("utf-8", "replace"), executable=path.endswith(".sh"))


def _texts(root: Path, paths: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    room = _MOST_SHOWN
    for path in paths:
        place = root / path
        if room <= 0 or not place.is_file():
            continue
        text = place.read_text(encoding="utf-8", errors="replace")[:room]
        room -= len(text)
        found[path] = text
    return found
