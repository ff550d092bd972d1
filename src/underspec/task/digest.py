"""A task's digest and its manifest: two tasks are the same when paths, executable bits and bytes are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.artifact.files import write_atomic
from underspec.task.finding import Finding, error, stop_at_errors, warning
from underspec.task.layout import MANIFEST
from underspec.task.tree import Entry, read_tree

# Lines of `sha256sum`: two spaces for text mode, space and star for binary mode.
_LINE = re.compile(r"(?P<hash>[0-9a-f]{64}) [ *](?P<path>.+)")
_RENEW = "write it anew if the change is meant, else restore the file"


def entries_digest(entries: Iterable[Entry]) -> str:
    """SHA-256 over path, executable bit and content of every file but the manifest, in path order."""
    return digest_of(
        sorted([entry.path, entry.executable, entry.sha256] for entry in entries if entry.path != MANIFEST)
    )


def task_digest(path: Path) -> str:
    """The digest of a task folder.

    Raises:
        TaskError: the folder holds something that no task may hold (a link, a pipe, an unreadable file...).
    """
    return entries_digest(read_tree(path, stop_at_errors))


def write_manifest(path: Path) -> None:
    """Write ``MANIFEST.sha256`` for the folder as it is now; ``sha256sum -c`` reads it too.

    Raises:
        TaskError: the folder holds something that no task may hold.
    """
    entries = read_tree(path, stop_at_errors)
    hashes = ((entry.path, entry.sha256) for entry in entries if entry.path != MANIFEST)
    write_atomic(path / MANIFEST, manifest_bytes(hashes))


def manifest_bytes(hashes: Iterable[tuple[str, str]]) -> bytes:
    """The content of ``MANIFEST.sha256`` for files given as path and SHA-256."""
    return "".join(f"{sha256}  {path}\n" for path, sha256 in sorted(hashes)).encode()


def manifest_findings(entries: Iterable[Entry]) -> list[Finding]:
    """Compare files that were read with the manifest among them (its content must have been kept)."""
    by_path = {entry.path: entry for entry in entries}
    manifest = by_path.pop(MANIFEST, None)
    if manifest is None or manifest.content is None:
        return [warning(MANIFEST, "there is no manifest", mend="write one, so that damage in transit is noticed")]
    findings: list[Finding] = []
    listed: set[str] = set()
    text = manifest.content.decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        where, found = f"line {number}", _LINE.fullmatch(line)
        if not found or found["path"] in listed:
            message = "names a file twice" if found else "is no line of sha256sum's format"
            findings.append(error(MANIFEST, message, where=where, mend="write the manifest anew"))
            continue
        listed.add(found["path"])
        entry = by_path.get(found["path"])
        if entry is None:
            findings.append(error(MANIFEST, f"lists {found['path']!a}, which is not there", where=where, mend=_RENEW))
        elif entry.sha256 != found["hash"]:
            findings.append(error(entry.path, f"is not the file that {MANIFEST} lists", mend=_RENEW))
    findings += [
        error(path, f"is not listed in {MANIFEST}", mend="write the manifest anew, or remove the file")
        for path in by_path
        if path not in listed
    ]
    return findings


def check_manifest(path: Path) -> list[Finding]:
    """What differs between a task folder and its ``MANIFEST.sha256``; empty when nothing does.

    Raises:
        TaskError: the folder holds something that no task may hold.
    """
    return manifest_findings(read_tree(path, stop_at_errors, keep=lambda name: name == MANIFEST))
