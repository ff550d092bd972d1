"""What would tell an agent which repository is meant: taken out of texts where it can be, and said where it cannot."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from underspec.task.icae.notes import Notes
from underspec.task.icae.records import LevelPart
from underspec.task.icae.repositories import Repository
from underspec.task.identity import literal_pattern
from underspec.task.model import CaseFile, LevelRecords, Pointer, Record
from underspec.task.strict import strings_of

MASK = "[repository]"

_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://(?:www\.)?", re.IGNORECASE)


@dataclass(frozen=True)
class Identity:
    """``masked`` may stand in no text and is what ``task.toml`` calls ``identity``. ``words`` may: ordinary words, and
    what the cases themselves need."""

    masked: frozenset[str]
    words: frozenset[str]


def full_names(repository: Repository, more: Iterable[str] = ()) -> frozenset[str]:
    """Everything that names the repository beyond doubt: ``user__repo``, ``user/repo`` and its address.

    An address without a path, or one of a single folder, names a site and no repository; a key of a single word is one
    word more that may mean anything.
    """
    names = {repository.key, f"{repository.username}/{repository.name}", *more}
    address = repository.url.strip().rstrip("/").removesuffix(".git")
    bare = _SCHEME.sub("", address)
    if bare.count("/") >= 2:
        names |= {address, bare}
    return frozenset(name for name in names if "/" in name or "__" in name)


def identity_of(
    repository: Repository, more: Iterable[str], parts: Iterable[LevelPart], suites: Iterable[dict[str, CaseFile]]
) -> Identity:
    """What is taken out of the texts of a task.

    A name that stands in a case stays everywhere: a case is compared byte for byte, so that a deliverable must be able
    to know it, and a masked text would contradict it.
    """
    needed = "\n".join(_case_texts(parts, suites)).lower()
    more = frozenset(more)
    names = full_names(repository, more)
    stay = {name for name in names if name.lower() in needed}
    words = {repository.username, repository.name, repository.key, *more} - names
    return Identity(names - stay, frozenset(word for word in words | stay if word.strip()))


def _case_texts(parts: Iterable[LevelPart], suites: Iterable[dict[str, CaseFile]]) -> Iterable[str]:
    for part in parts:
        yield from (record.response for record in part.known.records if record.kind == "case_file")
    for suite in suites:
        for stem, file in suite.items():
            yield from (stem, file.description)
            for case in file.cases:
                yield strings_of(case.input)
                yield case.expected_output


class Masking:
    """Puts :data:`MASK` in the place of each name, and counts."""

    def __init__(self, identity: Identity) -> None:
        self._pattern = literal_pattern(identity.masked)
        self._count = 0

    def text(self, text: str) -> str:
        """The text without the names; the very same where there are none."""
        if self._pattern is None:
            return text
        # Again until none is left: with one name gone, another that was glued to it may stand free. That comes to an
        # end, since each time a "/" or "__" goes, and the mask has neither.
        count = 1
        while count:
            text, count = self._pattern.subn(MASK, text)
            self._count += count
        return text

    def known(self, known: LevelRecords) -> LevelRecords:
        """All records, pointers, the signature and the fallback without the names."""
        return LevelRecords(
            records=tuple(self._record(record) for record in known.records),
            pointers=tuple(
                Pointer(reference=self.text(pointer.reference), meaning=self.text(pointer.meaning))
                for pointer in known.pointers
            ),
            signature=self.text(known.signature) if known.signature else None,
            fallback=self.text(known.fallback),
        )

    def _record(self, record: Record) -> Record:
        return Record(
            id=record.id,
            kind=record.kind,
            category=record.category,
            triggers=tuple(self.text(trigger) for trigger in record.triggers),
            response=self.text(record.response),
        )

    def report(self, file: str, notes: Notes) -> None:
        """Say how many names were taken out since the last report."""
        if self._count:
            message = f"named the repository {self._count} times; {MASK} stands there instead"
            notes.warn(file, message, mend="nothing need be done")
        self._count = 0
