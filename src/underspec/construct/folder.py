"""The working folder: one sub-folder a stage, and what lies in each.

::

    construct.toml        what is constructed (:mod:`underspec.construct.project`)
    cost.txt              what models have cost so far
    <stage>/out/          the stage's files: what later stages read, and people edit
    <stage>/state.json    hashes of what it read and wrote, and the gate's verdict with its findings
    <stage>/evidence/     what the gate saw, made anew at each run of it
    <stage>/earlier/<n>/  the files of earlier proposals
    <stage>/log.jsonl     what happened, in order
    <stage>/ledger.jsonl  every model call
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from underspec.artifact.files import host_exhaustion
from underspec.construct.state import StageState, read_state, write_state
from underspec.errors import StoreError
from underspec.task.digest import entries_digest
from underspec.task.finding import Finding
from underspec.task.tree import Entry, read_tree

OUT, EVIDENCE, EARLIER, DRAFT = "out", "evidence", "earlier", "draft"
COST = "cost.txt"
_LOCK = ".lock"


@dataclass(frozen=True)
class StageFolder:
    """The places of one stage."""

    root: Path
    name: str

    @property
    def path(self) -> Path:
        """The stage's folder."""
        return self.root / self.name

    @property
    def out(self) -> Path:
        """Its files."""
        return self.path / OUT

    @property
    def evidence(self) -> Path:
        """What its gate saw."""
        return self.path / EVIDENCE

    def state(self) -> StageState:
        """What is remembered of it."""
        return read_state(self.path, self.name)

    def write_state(self, state: StageState) -> None:
        """Remember."""
        write_state(self.path, state)

    def digest(self) -> str | None:
        """The digest of its files as they are now; None where there are none.

        Raises:
            StoreError: they hold a link, a device, or what cannot be read.
        """
        return tree_digest(self.out) if self.out.is_dir() else None

    def fresh_evidence(self) -> Path:
        """The evidence folder, empty."""
        shutil.rmtree(self.evidence, ignore_errors=True)
        self.evidence.mkdir(parents=True)
        return self.evidence

    def log(self, event: str, **fields: Any) -> None:
        """Append one line to the log."""
        self.path.mkdir(parents=True, exist_ok=True)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with host_exhaustion(self.path), (self.path / "log.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"at": now, "event": event, **fields}, ensure_ascii=True) + "\n")

    @contextlib.contextmanager
    def draft(self, *, keep: bool) -> Iterator[Path]:
        """A folder to write a proposal to; it becomes ``out`` when the block ends well, and not otherwise.

        With ``keep`` it begins as a copy of the files there are. These go to ``earlier``.
        """
        draft = self.path / DRAFT
        with host_exhaustion(self.path):
            shutil.rmtree(draft, ignore_errors=True)
            if keep and self.out.is_dir():
                shutil.copytree(self.out, draft)
            else:
                draft.mkdir(parents=True)
            yield draft
            if self.out.is_dir():
                self.put_away()
            draft.rename(self.out)

    def put_away(self) -> Path:
        """Move the files to ``earlier/<n>``."""
        earlier = self.path / EARLIER
        earlier.mkdir(exist_ok=True)
        number = 1 + max((int(one.name) for one in earlier.iterdir() if one.name.isdigit()), default=0)
        self.out.rename(earlier / str(number))
        return earlier / str(number)

    def earlier(self) -> list[Path]:
        """Folders of earlier files, the oldest first."""
        folder = self.path / EARLIER
        found = [one for one in folder.iterdir() if one.name.isdigit()] if folder.is_dir() else []
        return sorted(found, key=lambda one: int(one.name))


def tree_entries(folder: Path) -> list[Entry]:
    """Every file below a folder, with its hash.

    Raises:
        StoreError: it holds a link, a device, or what cannot be read.
    """

    def refuse(finding: Finding) -> None:
        raise StoreError(finding.message, file=str(folder / finding.file), mend=finding.mend)

    return read_tree(folder, refuse)


def tree_digest(folder: Path) -> str:
    """One hash over paths, executable bits and contents."""
    return entries_digest(tree_entries(folder))


@contextlib.contextmanager
def held(root: Path) -> Iterator[None]:
    """Hold a working folder: one process at a time.

    Raises:
        StoreError: another process holds it.
    """
    root.mkdir(parents=True, exist_ok=True)
    handle = os.open(root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            mend = "wait until it has ended"
            raise StoreError("another process works in this folder", file=str(root), mend=mend) from error
        yield
    finally:
        os.close(handle)
