"""The run store: one folder a run, one folder an item, one folder a phase (design section 9).

::

    runs/<run>/run.toml
    runs/<run>/items/<item>/item.json
    runs/<run>/items/<item>/<phase>/<key>/...        the published artifact, whole
    runs/<run>/items/<item>/<phase>/chosen           the key that the last run of the item went by
    runs/<run>/items/<item>/<phase>/claim            who is working on it now
    runs/<run>/items/<item>/<phase>/attempts/<n>/    log, session and error of the n-th attempt; all times are here
    runs/<run>/items/<item>/<phase>/scratch/         wiped by whoever holds the claim
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.artifact.files import create_if_absent, host_exhaustion, publish_folder, read_regular, write_atomic
from underspec.errors import Boundary, StoreError, UnderspecError, UsageError
from underspec.run.claim import Claim
from underspec.run.item import Item
from underspec.run.removal import remove_tree

MAX_ATTEMPTS = 5
_KEY = re.compile(r"[0-9a-f]{64}\Z")
_NUMBER = re.compile(r"[0-9]{1,18}\Z")


@dataclass(frozen=True)
class FailedAttempt:
    """What ended an attempt that produced nothing. ``final``: another would end the same way."""

    number: int
    boundary: Boundary
    reason: str
    final: bool = False


@dataclass(frozen=True)
class Choice:
    """The key under which the last run of an item looked for a phase's artifact, or put it. ``stale``: it is the key
    of an earlier artifact, which was made from other inputs than that run's."""

    key: str
    stale: bool


class Attempt:
    """One attempt at a phase: an append-only log and the artifact while it is being made."""

    def __init__(self, path: Path, number: int):
        self.path = path
        self.number = number
        self.artifact = path / "artifact"

    def log(self, event: str, **fields: Any) -> None:
        """Append one line with the time to ``log.jsonl``."""
        line = json.dumps({"time": time.time(), "event": event, **fields}, ensure_ascii=True)
        with host_exhaustion(self.path), (self.path / "log.jsonl").open("ab") as stream:
            stream.write(line.encode() + b"\n")

    def fail(self, error: UnderspecError, *, final: bool = False) -> None:
        """Record the failure; counted towards :data:`MAX_ATTEMPTS`, or for all of them where it is ``final``."""
        record: dict[str, Any] = {
            "boundary": str(error.boundary),
            "reason": str(error),
            "kind": type(error).__name__,
            **({"final": True} if final else {}),
        }
        write_atomic(self.path / "error.json", json.dumps(record, ensure_ascii=True).encode() + b"\n")


class PhaseFolder:
    """One phase of one item on disk."""

    def __init__(self, path: Path):
        self.path = path

    def artifact(self, key: str) -> Path | None:
        """The published artifact under ``key``, if there is one."""
        folder = self.path / key
        return folder if folder.is_dir() else None

    def choose(self, choice: Choice | None) -> None:
        """Remember what a run of the item goes by, so that a reader sees neither an older verdict nor a newer one. None
        is of a phase that it leaves out."""
        if choice is None:
            (self.path / "chosen").unlink(missing_ok=True)
        elif self.chosen() != choice:
            record = {"key": choice.key, "stale": choice.stale}
            write_atomic(self.path / "chosen", json.dumps(record).encode() + b"\n")

    def chosen(self) -> Choice | None:
        """What the last run of the item went by; None when no run has come to this phase.

        Raises:
            StoreError: the record is damaged.
        """
        record = self.path / "chosen"
        try:
            content = json.loads(read_regular(record))
            if not _KEY.match(content["key"]):
                raise ValueError("not a key")
            return Choice(key=content["key"], stale=bool(content["stale"]))
        except FileNotFoundError:
            return None
        except (IsADirectoryError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                "not a record of a choice", file=str(record), mend="remove this file and run the same command again"
            ) from error

    def artifacts(self) -> list[Path]:
        """All published artifacts, in order of publication (by the attempt that made them)."""
        if not self.path.is_dir():
            return []
        found = [entry for entry in self.path.iterdir() if _KEY.match(entry.name) and entry.is_dir()]
        order = {_key_of(attempt): number for number, attempt in self._attempt_folders()}
        return sorted(found, key=lambda folder: (order.get(folder.name, 0), folder.name))

    def _attempt_folders(self) -> list[tuple[int, Path]]:
        root = self.path / "attempts"
        if not root.is_dir():
            return []
        return sorted((int(entry.name), entry) for entry in root.iterdir() if _NUMBER.match(entry.name))

    def attempts(self) -> list[Path]:
        """Folders of all attempts in order."""
        return [folder for _number, folder in self._attempt_folders()]

    def failures(self, key: str) -> list[FailedAttempt]:
        """Attempts under ``key`` that ended in somebody else's failure than the agent's. Killed ones leave none and do
        not count; neither do those under other keys, since what failed then was something else."""
        found = []
        for number, folder in self._attempt_folders():
            record = folder / "error.json"
            if _key_of(folder) == key and record.is_file() and not (folder / "forgiven").exists():
                try:
                    content = json.loads(read_regular(record))
                    boundary, final = Boundary(content["boundary"]), content.get("final", False) is True
                    found.append(FailedAttempt(number, boundary, str(content["reason"]), final))
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise StoreError(
                        "not a failure record", file=str(record), mend="remove this file and run the same command again"
                    ) from error
        return found

    def given_up(self, key: str) -> FailedAttempt | None:
        """The failure after which the phase is not tried again under ``key``; None as long as it is."""
        failures = self.failures(key)
        over = len(failures) >= MAX_ATTEMPTS or any(failure.final for failure in failures)
        return failures[-1] if over else None

    def forgive(self) -> None:
        """Let failed attempts no longer count, so that the phase may be tried again."""
        for folder in self.attempts():
            if (folder / "error.json").is_file():
                (folder / "forgiven").touch()

    def claim(self) -> Claim:
        """The claim on this phase, not yet acquired."""
        return Claim(self.path / "claim")

    def new_attempt(self, key: str) -> Attempt:
        """Begin an attempt (claim held). Wipes what dead attempts left half-made."""
        with host_exhaustion(self.path):
            self._wipe()
            number = max((number for number, _folder in self._attempt_folders()), default=0) + 1
            attempt = Attempt(self.path / "attempts" / str(number), number)
            attempt.artifact.mkdir(parents=True)
            (self.path / "scratch").mkdir()
            write_atomic(attempt.path / "key", key.encode() + b"\n")
        attempt.log("started", pid=os.getpid())
        return attempt

    def _wipe(self) -> None:
        """Remove what attempts that died left half-made (claim held)."""
        remove_tree(self.path / "scratch")
        for folder in self.attempts():
            remove_tree(folder / "artifact")
        for temporary in self.path.rglob(".*.tmp"):
            temporary.unlink(missing_ok=True)

    def tidy(self) -> None:
        """After the artifact is there: remove what a process left that died just after publishing it."""
        if (self.path / "scratch").exists() or (self.path / "claim").exists():
            claim = self.claim()
            if claim.acquire():
                try:
                    self._wipe()
                finally:
                    claim.release()

    @property
    def scratch(self) -> Path:
        """A folder for the holder of the claim; gone when the phase is."""
        return self.path / "scratch"

    def publish(self, attempt: Attempt, key: str, claim: Claim) -> bool:
        """Publish the attempt's artifact whole under ``key``. Returns False when another had done so before.

        Raises:
            ClaimLostError: the claim was lost meanwhile; nothing is published.
        """
        claim.check()
        published = publish_folder(attempt.artifact, self.path / key)
        attempt.log("published" if published else "lost the race", key=key)
        remove_tree(self.path / "scratch")
        return published


def _key_of(attempt: Path) -> str | None:
    record = attempt / "key"
    return record.read_text(encoding="ascii", errors="replace").strip() if record.is_file() else None


def _told_apart(items: list[Item]) -> list[str]:
    """Folder names, each with what of its condition is not the same for all and not in the name."""
    fields = [item.condition.model_dump(exclude={"agent"}) for item in items]
    differing = [name for name in fields[0] if len({str(each[name]) for each in fields}) > 1] if fields else []
    return [
        item.folder + (f" ({', '.join(f'{name} {each[name]}' for name in differing)})" if differing else "")
        for item, each in zip(items, fields, strict=True)
    ]


class RunStore:
    """All of one run on disk."""

    def __init__(self, path: Path):
        self.path = path

    def phase(self, item: Item, name: str) -> PhaseFolder:
        """The folder of one phase of one item."""
        return PhaseFolder(self.path / "items" / item.folder / name)

    def add_items(self, items: list[Item]) -> None:
        """Write ``item.json`` for each item not yet there."""
        for item in items:
            target = self.path / "items" / item.folder / "item.json"
            if not target.exists():
                create_if_absent(target, item.to_bytes())

    def items(self) -> list[Item]:
        """All planned items, in name order.

        Raises:
            StoreError: this is no run, or an item's file is damaged.
        """
        root = self.path / "items"
        if not root.is_dir():
            raise StoreError("this is no run", file=str(self.path), mend="give a folder that `underspec run` made")
        found = []
        for folder in sorted(root.iterdir()):
            record = folder / "item.json"
            if not record.is_file():
                # The folder is made just before its file; without the file nothing was ever worked on here.
                if any(each.is_dir() for each in folder.iterdir()):
                    mend = "put the file back, or run the same command again, which writes it"
                    raise StoreError("the item's own file is missing", file=str(record), mend=mend)
                continue
            item = Item.read(record)
            if item.folder != folder.name:
                raise StoreError("the item belongs to another folder", file=str(record), mend=f"expected {item.folder}")
            found.append(item)
        return found

    def find(self, wanted: str) -> Item:
        """The one item whose folder name or id contains ``wanted``.

        Raises:
            UsageError: none or several do; lists them with the condition's fields in which they differ.
        """
        hits = [item for item in self.items() if wanted in item.folder or item.id.startswith(wanted)]
        if len(hits) != 1:
            known = hits or self.items()
            mend = f"choose one: {'; '.join(_told_apart(known)[:10])}{'; ...' if len(known) > 10 else ''}"
            raise UsageError(f"{len(hits) or 'no'} items match {wanted!r}", file=str(self.path), mend=mend)
        return hits[0]
