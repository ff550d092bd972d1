"""Puts a commission's folder together from what the stages have left."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from underspec.construct.assemble import with_canary
from underspec.construct.commission.extract import GROUND, REQUIREMENTS, Requirements
from underspec.construct.commission.interface import INTERFACE, workspace_of
from underspec.construct.commission.units import INITIAL, UNITS, PlannedUnits
from underspec.construct.project import Project
from underspec.task.digest import write_manifest
from underspec.task.layout import TASK_TOML, request_path
from underspec.task.unpack import make_folders, write_file

_LIMITS = {"memory_mb": 512, "disk_mb": 256, "processes": 64}


def assemble_commission(
    project: Project, options: Mapping[str, Any], of: Callable[[str], Path], drafts: Path, into: Path
) -> None:
    """Write the task folder ``into`` anew. ``drafts`` holds tests and variants. Options: title, category, language,
    limits, acceptance."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)

    def put(path: str, data: bytes, *, executable: bool = False, hidden: bool = True) -> None:
        make_folders(into, (into / path).parent)
        content = with_canary(project.task, path, data) if hidden else data
        write_file(into / path, content, executable=executable)

    put(request_path("ground"), (of("extract") / GROUND).read_bytes())
    put(request_path("initial"), (of("units") / INITIAL).read_bytes())
    put("hidden/interface.md", (of("interface") / INTERFACE).read_bytes())
    found = Requirements.model_validate_json((of("extract") / REQUIREMENTS).read_bytes())
    units = PlannedUnits.model_validate_json((of("units") / UNITS).read_bytes())
    tests = json.loads((drafts / "tests.json").read_bytes())["tests"]
    put("hidden/units.json", _units(found, units, tests))
    for top in ("acceptance", "variants"):
        for path in _files(drafts / top):
            relative = path.relative_to(drafts).as_posix()
            put(f"hidden/{relative}", path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
    workspace = workspace_of(of("interface"))
    for path in _files(workspace):
        relative = path.relative_to(workspace).as_posix()
        executable = bool(path.stat().st_mode & 0o100)
        put(f"visible/workspace/{relative}", path.read_bytes(), executable=executable, hidden=False)
    put(TASK_TOML, _toml(project, options, found.title))
    write_manifest(into)


def _units(found: Requirements, units: PlannedUnits, tests: Mapping[str, list[str]]) -> bytes:
    by_id = found.by_id()
    document = {
        "question": units.question,
        "units": [
            {
                "id": unit.id,
                "topic": unit.topic,
                "requirement": " ".join(by_id[name].text for name in unit.requirements if name in by_id),
                "answer": unit.answer,
                "initially_hidden": unit.initially_hidden,
                "tests": list(tests.get(unit.id, ())),
            }
            for unit in units.units
        ],
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _toml(project: Project, options: Mapping[str, Any], title: str) -> bytes:
    document: dict[str, Any] = {
        "contract": 1,
        "id": project.task,
        "title": str(options.get("title", title)),
        "family": "commission",
        "category": str(options.get("category", "Commission")),
        "language": str(options.get("language", "Python")),
        "source": {
            "url": "https://example.invalid/",
            "license": str(options.get("license", "Apache-2.0")),
            "version": "1",
        },
        "limits": {**_LIMITS, **options.get("limits", {})},
        "acceptance": {"seconds": 300, **options.get("acceptance", {})},
    }
    return tomli_w.dumps(document, multiline_strings=False).encode()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
