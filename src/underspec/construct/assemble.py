"""Puts a task folder together from what the stages have left: canaries in each hidden file, and a manifest."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from underspec.construct.materials import ENHANCED, NATIVE, PUBLIC, Selection
from underspec.construct.project import Project
from underspec.task.canary import text_canaries
from underspec.task.digest import write_manifest
from underspec.task.layout import GOLDEN, RECORDS, REFERENCE, TASK_TOML, request_path
from underspec.task.unpack import make_folders, write_file

LEVELS = ("L1", "L2", "L3")
_MARKS = {".py": "#", ".sh": "#", ".rb": "#", ".pl": "#", ".js": "//", ".mjs": "//", ".cjs": "//", ".ts": "//"}
_MARKS |= {".c": "//", ".cc": "//", ".cpp": "//", ".cs": "//", ".dart": "//", ".go": "//", ".java": "//"}
_MARKS |= {".kt": "//", ".rs": "//", ".swift": "//", ".sql": "--"}
_TITLE = re.compile(r"^#\s+(.+?)\s*$", re.MULTILINE)
_LIMITS = {
    **{"suite_seconds": 120, "memory_mb": 1024, "disk_mb": 256, "processes": 64, "cpus": 1.0},
    **{"output_mb": 10, "case_output_mb": 1},
}


@dataclass(frozen=True)
class Made:
    """Where each stage's files lie, by stage."""

    of: Callable[[str], Path]


def assemble(made: Made, selection: Selection, project: Project, options: Mapping[str, Any], into: Path) -> None:
    """Write the task folder ``into``, which is made. What a stage has not left is not there: validation says so."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    task = project.task

    def put(path: str, data: bytes, *, executable: bool = False) -> None:
        make_folders(into, (into / path).parent)
        write_file(into / path, with_canary(task, path, data), executable=executable)

    requests = {"ground": made.of("ground") / "ground.md"} | {
        level: made.of("fuzz") / f"{level}.md" for level in LEVELS
    }
    for name, path in requests.items():
        if path.is_file():
            put(request_path(name), path.read_bytes())
    records = made.of("fuzz") / "records.json"
    if records.is_file():
        put(RECORDS, records.read_bytes())
    for suite, stage in ((PUBLIC, "ground"), (NATIVE, "refactor"), (ENHANCED, "enhance")):
        for path in sorted((made.of(stage) / suite).glob("*.json")):
            put(f"hidden/cases/{suite}/{path.name}", path.read_bytes())
    put(GOLDEN, (made.of("select") / "golden.toml").read_bytes())
    reference = made.of("refactor") / "reference"
    for path in sorted(reference.rglob("*")):
        if path.is_file() and not path.is_symlink():
            relative = path.relative_to(reference).as_posix()
            put(f"{REFERENCE}/{relative}", path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
    for path in sorted(made.of("image").rglob("*")):
        if path.is_file() and not path.is_symlink():
            relative = path.relative_to(made.of("image")).as_posix()
            make_folders(into, (into / "image" / relative).parent)
            write_file(into / "image" / relative, path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
    put(TASK_TOML, task_toml(selection, project, options, _title(requests["ground"])))
    write_manifest(into)


def task_toml(selection: Selection, project: Project, options: Mapping[str, Any], title: str) -> bytes:
    """``task.toml`` of what was selected. Options: title, category, identity, identity_words, limits, base."""
    document: dict[str, Any] = {
        "contract": 1,
        "id": project.task,
        "title": str(options.get("title", title)),
        "family": "repository",
        "category": str(options.get("category", "Library")),
        "language": selection.language,
        "identity": list(dict.fromkeys((*selection.identity, *options.get("identity", ())))),
    }
    if words := options.get("identity_words"):
        document["identity_words"] = list(words)
    document["source"] = {
        "url": selection.url,
        "license": selection.license,
        "version": selection.version,
        "files": selection.files,
        "lines": selection.lines,
    }
    document["image"] = {"base": str(options.get("base", "host"))}
    document["limits"] = {**_LIMITS, **options.get("limits", {})}
    return tomli_w.dumps(document, multiline_strings=False).encode()


def canary_of(task: str, path: str, data: bytes) -> str:
    """A file's canary: another for each task, path and content, and always the same for these."""
    name = f"{task}\x00{path}\x00".encode() + data
    return f"underspec-canary-{uuid.uuid5(uuid.NAMESPACE_OID, name.hex())}"


def with_canary(task: str, path: str, data: bytes) -> bytes:
    """The file's bytes with a canary of its own, where its kind can carry one and it has none."""
    text = data.decode("utf-8", "replace")
    if text.encode() != data or text_canaries(path, text):
        return data
    canary = canary_of(task, path, data)
    suffix = Path(path).suffix
    if suffix == ".md":
        return f"<!-- canary {canary} -->\n{text}".encode()
    if suffix == ".json" and not path.startswith(REFERENCE):
        return _in_json(text, canary)
    if suffix == ".toml":
        return f"# canary {canary}\n{text}".encode()
    mark = _MARKS.get(suffix, "#" if text.startswith("#!") else None)
    if mark is None:
        return data
    first, newline, rest = text.partition("\n")
    if first.startswith("#!"):
        return f"{first}{newline}{mark} canary {canary}\n{rest}".encode()
    return f"{mark} canary {canary}\n{text}".encode()


def _in_json(text: str, canary: str) -> bytes:
    try:
        document = json.loads(text)
    except ValueError:
        return text.encode()
    if not isinstance(document, dict):
        return text.encode()
    return (json.dumps({"canary": canary, **document}, indent=2, ensure_ascii=False) + "\n").encode()


def _title(ground: Path) -> str:
    text = ground.read_text(encoding="utf-8", errors="replace") if ground.is_file() else ""
    found = _TITLE.search(text)
    return found[1] if found else "A library"
