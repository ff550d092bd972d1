"""Whether each hidden file carries a canary of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from underspec.task.canary import MIN_CANARY_LENGTH, text_canaries
from underspec.task.finding import Finding, warning
from underspec.task.load import Parts
from underspec.task.tree import read_file

_CARRIERS = re.compile(
    r".*\.(?:json|md|toml|bash|c|cc|cpp|cs|dart|go|java|js|kt|mjs|php|pl|py|rb|rs|sh|sql|swift|ts)", re.DOTALL
)


def _can_carry(path: str, content: bytes) -> bool:
    """JSON of a deliverable has a fixed shape, so that only the task's own JSON has room for a canary."""
    if path.startswith(("hidden/variants/", "hidden/acceptance/")) and path.endswith(".json"):
        return False
    return bool(_CARRIERS.fullmatch(path)) or content.startswith(b"#!")


def check_canaries(parts: Parts) -> Iterator[Finding]:
    """Missing, short and shared canaries. Published data carries none, which is said once for the whole task."""
    if parts.imported:
        message = f"none of its {len(parts.below('hidden'))} files carries a canary, so a leak cannot be noticed"
        yield warning("hidden", message, mend="keep the folder where no agent can read it")
        return
    owners: dict[str, str] = {}
    for entry in parts.entries:
        if not entry.path.startswith("hidden/"):
            continue
        content = entry.content
        if content is None:
            read = read_file(parts.root, entry.path, lambda finding: None)
            content = read.content if read else None
        if content is None or not _can_carry(entry.path, content):
            continue
        canaries = text_canaries(entry.path, content.decode("utf-8", "replace"))
        if not canaries:
            mend = 'add a "canary" field, a line <!-- canary ... -->, or a comment line "# canary ..."'
            yield warning(entry.path, "carries no canary, so a leak of it cannot be noticed", mend=mend)
        for canary in canaries:
            if len(canary) < MIN_CANARY_LENGTH:
                mend = f"use at least {MIN_CANARY_LENGTH} characters that stand nowhere else"
                yield warning(entry.path, "its canary is too short to be unmistakable", mend=mend)
            if owners.setdefault(canary, entry.path) != entry.path:
                mend = "give each file its own, so that a leak can be traced to its file"
                yield warning(entry.path, f"shares its canary with {owners[canary]}", mend=mend)
