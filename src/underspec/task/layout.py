"""Where each part of a task lies in its folder (design section 4), and what may lie there."""

from __future__ import annotations

import re
from typing import Literal

from underspec.artifact.outcomes import SuiteName

TASK_TOML = "task.toml"
MANIFEST = "MANIFEST.sha256"
WORKSPACE = "visible/workspace"
RECORDS = "hidden/records.json"
GOLDEN = "hidden/golden.toml"
UNITS = "hidden/units.json"
INTERFACE = "hidden/interface.md"
SCOPE = "hidden/scope.json"
IMPORT = "hidden/import.json"
VARIANTS = "hidden/variants"
ACCEPTANCE = "hidden/acceptance"
REFERENCE = "hidden/variants/reference"
EQUIVALENT = "hidden/variants/equivalent"
INCORRECT = "hidden/variants/incorrect-"
VENDORED_GOLDEN = "vendor/golden"

Family = Literal["repository", "commission"]

REQUESTS: dict[Family, tuple[str, ...]] = {
    "repository": ("ground", "L1", "L2", "L3"),
    "commission": ("ground", "initial"),
}

_TOP = re.compile(
    r"(?:task\.toml|MANIFEST\.sha256|(?:README|LICENSE|NOTICE)(?:\.md|\.txt)?|(?:visible/workspace|image)/.+)"
)
_REQUEST = re.compile(r"hidden/requests/(?P<request>ground|L1|L2|L3|initial)\.md")
_CASES = re.compile(r"hidden/cases/(?P<suite>public|native|enhanced)/(?P<stem>[^/]+)\.json")
_VARIANT = re.compile(r"hidden/variants/(?:reference|equivalent[^/]*|incorrect-[^/]+)/.+")
_STEM = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9 ._+-]*[A-Za-z0-9_+-])?")


def request_path(name: str) -> str:
    """Where a request lies."""
    return f"hidden/requests/{name}.md"


def case_path(suite: SuiteName, stem: str) -> str:
    """Where a case file lies."""
    return f"hidden/cases/{suite}/{stem}.json"


def request_of(path: str) -> str | None:
    """``L1`` for ``hidden/requests/L1.md``, None for anything else."""
    found = _REQUEST.fullmatch(path)
    return found["request"] if found else None


def case_file_of(path: str) -> tuple[SuiteName, str] | None:
    """Suite and stem of a case file's path, None for anything else."""
    found = _CASES.fullmatch(path)
    return (found["suite"], found["stem"]) if found else None  # type: ignore[return-value]


def variant_of(path: str) -> str | None:
    """``reference`` for a file below ``hidden/variants/reference/``, None for anything else."""
    found = _VARIANT.fullmatch(path)
    return path.split("/")[2] if found else None


def stem_problem(stem: str) -> str | None:
    """Why a case file's stem cannot be the name of output files (``<stem>@<index>.txt``); None when it can."""
    if _STEM.fullmatch(stem):
        return None
    return "its name is unsafe as the name of output files"


def is_expected_hidden(path: str) -> bool:
    """Whether a path under ``hidden/`` is one that a task may have."""
    return bool(
        path in (RECORDS, GOLDEN, UNITS, INTERFACE, SCOPE, IMPORT)
        or path.startswith(ACCEPTANCE + "/")
        or _REQUEST.fullmatch(path)
        or _CASES.fullmatch(path)
        or _VARIANT.fullmatch(path)
    )


def is_expected_visible(path: str) -> bool:
    """Whether a path outside ``hidden/`` is one that a task has a use for."""
    return bool(_TOP.fullmatch(path))


def is_parsed(path: str) -> bool:
    """Whether the loader reads the file's content; everything else is opaque bytes."""
    return bool(
        path in (TASK_TOML, RECORDS, GOLDEN, UNITS, INTERFACE, SCOPE, IMPORT, MANIFEST)
        or _REQUEST.fullmatch(path)
        or _CASES.fullmatch(path)
    )
