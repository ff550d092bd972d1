"""Who and what could be recognised in a text, and what is put in its place, the same everywhere.

Kinds with a shape (addresses, numbers, keys, folders) are found as validation finds them; names are told by the job,
by who speaks in the conversation, and by whoever reads it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from underspec.task.checks.identifying import real_findings

_LINK = re.compile(r"\b(?:https?|ftp)://[^\s<>\"')\]]+|\bwww\.[^\s<>\"')\]]+", re.IGNORECASE)
_RESERVED = re.compile(
    r"^(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|[\w.-]*\.?example\.(?:com|net|org)|[\w.-]+\.(?:example|invalid|test))(?:[:/].*)?$",
    re.IGNORECASE,
)
# Where file formats name their own vocabulary; these lead to nobody.
_VOCABULARY = re.compile(r"^https?://(?:www\.w3\.org|schemas\.(?:openxmlformats|microsoft)\.(?:org|com)|purl\.org)/")
_HANDLE = re.compile(r"(?<![\w@/.])@[A-Za-z0-9_]{3,30}\b")


def undisguised(text: str) -> str:
    """The text as a reader takes it: letters of other widths and forms as ordinary ones, nothing that does not show,
    and references to characters resolved."""
    plain = unicodedata.normalize("NFKC", html.unescape(text))
    return "".join(each for each in plain if unicodedata.category(each) != "Cf")


@dataclass(frozen=True)
class Seen:
    """Something that could be recognised: its kind and its words."""

    kind: str
    words: str


def seen_in(text: str, names: Iterable[str] = ()) -> Iterator[Seen]:
    """All that a text holds, names of people and firms as whole words among them."""
    for kind, words in real_findings(text):
        yield Seen(kind, words)
    for found in _LINK.finditer(text):
        words = found[0].rstrip(".,;:")
        if not _RESERVED.match(words) and not _VOCABULARY.match(words):
            yield Seen("a link", words)
    for found in _HANDLE.finditer(text):
        yield Seen("an account", found[0])
    for name in names:
        for found in name_pattern(name).finditer(text):
            yield Seen("a name", found[0])


def name_pattern(name: str) -> re.Pattern[str]:
    """A name wherever it stands as words of its own, however it is written."""
    words = [re.escape(word) for word in re.split(r"[\s_-]+", name.strip()) if word]
    return re.compile(r"(?<![^\W_])" + r"[\s_-]*".join(words) + r"(?![^\W_])", re.IGNORECASE)


_SYNTHETIC = {
    "an e-mail address": "person{number}@example.com",
    "a telephone number": "+1 555 0100 {number:03}",
    "a network address": "192.0.2.{number}",
    "a link": "https://example.invalid/{number}",
    "an account": "@account{number}",
    "a folder of somebody's machine": "/folder{number}",
    "a name": "Name{number}",
}
_OTHER = "removed-{number}"


@dataclass
class Replacements:
    """What stands for what. The same words get the same stand-in, in whatever case a name was written."""

    made: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def stand_in(self, seen: Seen) -> str:
        """What is put in the place of something."""
        key = (seen.kind, seen.words.casefold())
        if key not in self.made:
            number = sum(kind == seen.kind for kind, _words in self.made) + 1
            self.made[key] = _SYNTHETIC.get(seen.kind, _OTHER).format(number=number)
        return self.made[key]

    def applied(self, text: str, names: Iterable[str]) -> str:
        """The text with stand-ins, longest words first, so that no part of one is taken for another."""
        found = sorted({*seen_in(text, names)}, key=lambda seen: (-len(seen.words), seen.words, seen.kind))
        for seen in found:
            stand_in = self.stand_in(seen)
            pattern = name_pattern(seen.words) if seen.kind == "a name" else re.compile(re.escape(seen.words))
            text, number = pattern.subn(lambda match, put=stand_in: put, text)  # type: ignore[misc]
            self.counts[seen.kind] = self.counts.get(seen.kind, 0) + number
        return text
