"""The released harness's comparison, for scores that must match it; our own is :mod:`underspec.grade.compare`.

Its rules, and what follows from them:

- An output is read as text: UTF-8 with U+FFFD for what is none, and every line end (``\\r\\n``, ``\\r``) as ``\\n``.
- An expectation is the string that its JSON says, or, when it is no string, that value dumped as JSON. JSON says a
  ``\\r`` by an escape, which no reading of the file as text touches: such an expectation is never met.
- The two are equal or not; no space is trimmed, and a byte order mark is a character.
- The first case of a file has the lowest index that there is an output of, file by file. So a missing first output
  shifts all the others of its file (four right ones of five score 0).

What those rules leave open is ours: names that are no output's and outputs beyond the last case are ignored, several
outputs for one case pass only if all of them are right (and never when there are more than eight), and an output above
the task's limit is *oversize*. The released harness has no such limit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from underspec.artifact.outcomes import CaseOutcome
from underspec.grade.compare import Comparison, Judge, Verdicts, split_name
from underspec.task.icae.cases import expectation_text

COLUMNS = {"public_visible": "public", "hidden": "native", "enhanced": "enhanced"}
"""The suite that each column of published results is about. Their ``hidden`` is the whole native suite, public cases
included; ours is (native ∪ enhanced) − public."""

_REPLACEMENT = "\ufffd".encode()
_MOST_NAMES = 8


def as_text(output: bytes) -> bytes:
    """An output as the released harness reads it, in UTF-8."""
    text = output.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").encode()


class PublishedComparison:
    """Equality of texts as the released harness reads them, numbered file by file."""

    name: Literal["published"] = "published"

    def prepare(self, expected: object) -> bytes:
        """The expectation's text in UTF-8; what is no string is dumped as JSON."""
        return expectation_text(expected).encode("utf-8", "surrogatepass")

    def sizes(self, prepared: bytes) -> range:
        """How many bytes an output that is right may have: a line end is one or two, a U+FFFD one to three."""
        if b"\r" in prepared:
            return range(0)
        size = len(prepared)
        return range(size - 2 * prepared.count(_REPLACEMENT), size + prepared.count(b"\n") + 1)

    def may_fit(self, prepared: bytes, size: int) -> bool:
        """Whether an output of that size could be read as the expectation."""
        return size in self.sizes(prepared)

    def fits(self, prepared: bytes, actual: bytes) -> bool:
        """Equality of texts."""
        return as_text(actual) == prepared

    def judge(self, expectations: Mapping[str, Sequence[object]], *, limit: int) -> Judge:
        """Numbering decided file by file."""
        return FileComparison(expectations, limit=limit, comparison=self)


PUBLISHED: Comparison = PublishedComparison()


@dataclass
class _Output:
    """What is known of the outputs of one index. ``digest`` is their text's, None until shown or when they differ."""

    names: int = 0
    shown: int = 0
    oversize: bool = False
    digest: bytes | None = None


class FileComparison:
    """A judge that learns which output stands for which case only at the end, when it knows every file's lowest index.

    Until then it keeps a digest of each text, so that memory does not grow with what a deliverable writes.
    """

    def __init__(
        self, expectations: Mapping[str, Sequence[object]], *, limit: int, comparison: PublishedComparison
    ) -> None:
        self._comparison = comparison
        self._limit = limit
        self._expected: dict[str, list[bytes]] = {}
        self._sizes: dict[str, range] = {}
        for stem, cases in expectations.items():
            prepared = [comparison.prepare(expected) for expected in cases]
            self._expected[stem] = [_digest(text) for text in prepared]
            sizes = [each for text in prepared if (each := comparison.sizes(text))]
            self._sizes[stem] = range(
                min((each.start for each in sizes), default=0), max((each.stop for each in sizes), default=0)
            )
        self._found: dict[str, dict[int, _Output]] = {stem: {} for stem in self._expected}
        self._surplus = 0

    def announce(self, name: str, size: int) -> bool:
        """Take note of an output; whether it could be that of any case of its file."""
        key = split_name(name)
        if key is None or key[0] not in self._found:
            self._surplus += 1
            return False
        output = self._found[key[0]].setdefault(key[1], _Output())
        output.names += 1
        output.oversize = output.oversize or size > self._limit
        return not output.oversize and size in self._sizes[key[0]]

    def show(self, name: str, content: bytes) -> None:
        """Take the content of a wanted output into account."""
        key = split_name(name)
        if key is None:
            raise ValueError(f"{name!r} was never announced as an output")
        output = self._found[key[0]][key[1]]
        digest = _digest(as_text(content))
        output.digest = digest if not output.shown or digest == output.digest else None
        output.shown += 1

    def verdicts(self) -> Verdicts:
        """The verdict on all cases, given what was announced and shown."""
        outcomes: dict[str, tuple[CaseOutcome, ...]] = {}
        bases = {stem: min(found) for stem, found in self._found.items() if found}
        seen = repeated = standing = 0
        for stem, expected in self._expected.items():
            found, base = self._found[stem], bases.get(stem, 0)
            outputs = [found.get(place + base) for place in range(len(expected))]
            verdict = tuple(_outcome(output, digest) for output, digest in zip(outputs, expected, strict=True))
            outcomes[stem] = verdict
            standing += len(found)
            seen += len(verdict) - verdict.count(CaseOutcome.MISSING)
            repeated += sum(output is not None and output.names > 1 for output in outputs)
        return Verdicts(outcomes, 0, seen, self._surplus + standing - seen, repeated, bases)


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _outcome(output: _Output | None, expected: bytes) -> CaseOutcome:
    if output is None:
        return CaseOutcome.MISSING
    if output.oversize:
        return CaseOutcome.OVERSIZE
    # An output that was not wanted or never shown could not be right, so that all names must have been shown.
    right = output.digest == expected and output.shown == output.names <= _MOST_NAMES
    return CaseOutcome.PASS if right else CaseOutcome.MISMATCH
