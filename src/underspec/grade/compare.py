"""Outputs against expectations, on the host, byte for byte (:mod:`underspec.grade.published` has other rules).

Nothing here runs or opens anything: names, sizes and bytes go in, one outcome a case comes out. Contents are looked at
one after another and not kept, so memory does not grow with what a deliverable writes, and every step is a dictionary
look-up, so time grows with the number of cases and of outputs and with nothing else.

Output names are ``<stem>@<index>.txt`` with any zero padding. Whether a deliverable counts from 0 or from 1 is decided
once for a whole suite, so that one missing output costs one case and never shifts the others:

1. an index 0 was seen for any file of the suite: it counts from 0;
2. else an index equal to the number of cases of its file was seen: it counts from 1;
3. else both readings are possible for every output seen: the one under which more outputs are right, and 0 if
   neither is.

Several outputs for one case (``f@1.txt`` beside ``f@001.txt``) pass only if all of them are right, and never when
there are more than eight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from underspec.artifact.outcomes import CaseOutcome

# What is known of an output, by bit: it may be right when counting from 0, or from 1; it is too large.
_FITS = (1, 2)
_EITHER = 3
_OVERSIZE = 4
_MOST_NAMES = 8
_SUFFIX = ".txt"
_MOST_DIGITS = 18


class Judge(Protocol):
    """Takes the outputs of one suite and gives the verdict. Each output is announced once; those whose content is
    wanted are then shown, in any order."""

    def announce(self, name: str, size: int) -> bool:
        """Take note of an output; whether its content is wanted."""

    def show(self, name: str, content: bytes) -> None:
        """Take the content of a wanted output into account."""

    def verdicts(self) -> Verdicts:
        """The verdict on all cases, given what was announced and shown."""


class Comparison(Protocol):
    """When an output counts as the expected one, and which output stands for which case. ``name`` stands in the
    artifact."""

    @property
    def name(self) -> Literal["bytes", "published"]:
        """How the artifact calls it."""

    def prepare(self, expected: str) -> bytes:
        """What an expectation is compared as; made once a case."""

    def may_fit(self, prepared: bytes, size: int) -> bool:
        """Whether an output of ``size`` bytes could be right, so that its content is worth reading."""

    def fits(self, prepared: bytes, actual: bytes) -> bool:
        """Whether an output is right."""

    def judge(self, expectations: Mapping[str, Sequence[str]], *, limit: int) -> Judge:
        """Who judges one suite by these rules: expected outputs by stem, and the bytes that one output may have."""


class ByteComparison:
    """Exactly the bytes of the expectation in UTF-8: CRLF, BOM and invalid UTF-8 are never papered over (fault 1)."""

    name: Literal["bytes"] = "bytes"

    def prepare(self, expected: str) -> bytes:
        """The UTF-8 encoding."""
        return expected.encode()

    def may_fit(self, prepared: bytes, size: int) -> bool:
        """Equal bytes have equal length."""
        return len(prepared) == size

    def fits(self, prepared: bytes, actual: bytes) -> bool:
        """Equality of bytes."""
        return prepared == actual

    def judge(self, expectations: Mapping[str, Sequence[str]], *, limit: int) -> Judge:
        """Numbering decided once for the suite."""
        return SuiteComparison(expectations, limit=limit, comparison=self)


BYTES: Comparison = ByteComparison()


@dataclass(frozen=True)
class Verdicts:
    """The verdict on one suite: outcomes by stem, in the order of the cases.

    ``base`` is the number that the deliverable gives to a first case, except in the files that ``bases`` names, where
    the rules let each file have its own. ``seen`` counts the cases that have an output,
    ``surplus`` the outputs that stand for no case, ``repeated`` the cases with more than one output.
    """

    outcomes: dict[str, tuple[CaseOutcome, ...]]
    base: int
    seen: int
    surplus: int
    repeated: int
    bases: Mapping[str, int] = field(default_factory=dict)

    def number(self, stem: str, place: int) -> int:
        """The index in the name of the output of a file's case, the first being case 0."""
        return place + self.bases.get(stem, self.base)

    @property
    def passed(self) -> int:
        """How many cases pass."""
        return sum(outcomes.count(CaseOutcome.PASS) for outcomes in self.outcomes.values())


def split_name(name: str) -> tuple[str, int] | None:
    """``'a@007.txt'`` -> ``('a', 7)``; None when the name is no output's. A stem may hold ``@`` itself."""
    if not name.endswith(_SUFFIX):
        return None
    stem, at, digits = name[: -len(_SUFFIX)].rpartition("@")
    if not at or not digits.isascii() or not digits.isdigit():
        return None
    digits = digits.lstrip("0") or "0"
    return (stem, int(digits)) if len(digits) <= _MOST_DIGITS else None


class SuiteComparison:
    """A :class:`Judge` that decides the numbering once for the suite.

    Args:
        expectations: expected outputs by stem, in the order of the cases.
        limit: bytes that one output may have; a longer one is *oversize*, whatever is in it.
        comparison: when an output counts as the expected one.
    """

    def __init__(
        self, expectations: Mapping[str, Sequence[str]], *, limit: int, comparison: Comparison = BYTES
    ) -> None:
        self._expected = {
            stem: tuple(comparison.prepare(expected) for expected in cases) for stem, cases in expectations.items()
        }
        self._limit = limit
        self._comparison = comparison
        self._found: dict[str, dict[int, int]] = {stem: {} for stem in self._expected}
        self._names: dict[tuple[str, int], int] = {}
        self._wanted: dict[str, tuple[str, int]] = {}
        self._from_zero = False
        self._from_one = False
        self._surplus = 0

    def announce(self, name: str, size: int) -> bool:
        """Take note of an output.

        Returns:
            Whether the verdict needs its content (:meth:`show`). Until that is shown, its case does not pass.
        """
        key = split_name(name)
        expected = self._expected.get(key[0]) if key else None
        if key is None or expected is None or key[1] > len(expected):
            self._surplus += 1
            return False
        stem, index = key
        self._from_zero = self._from_zero or index == 0
        self._from_one = self._from_one or index == len(expected)
        found = self._found[stem]
        before = found.get(index, _EITHER)
        if index in found:
            self._names[key] = names = self._names.get(key, 1) + 1
            if names > _MOST_NAMES:
                before &= _OVERSIZE
        flags = before & (_OVERSIZE | self._possible(expected, index, size))
        found[index] = flags | _OVERSIZE if size > self._limit else flags
        if not flags & _EITHER:
            return False
        self._wanted[name] = key
        return True

    def _possible(self, expected: tuple[bytes, ...], index: int, size: int) -> int:
        flags = 0
        if size <= self._limit:
            if index < len(expected) and self._comparison.may_fit(expected[index], size):
                flags |= _FITS[0]
            if index and self._comparison.may_fit(expected[index - 1], size):
                flags |= _FITS[1]
        return flags

    def show(self, name: str, content: bytes) -> None:
        """Take the content of a wanted output into account."""
        stem, index = self._wanted.pop(name)
        expected = self._expected[stem]
        found = self._found[stem]
        for base, bit in enumerate(_FITS):
            if found[index] & bit and not self._comparison.fits(expected[index - base], content):
                found[index] &= ~bit

    def _base(self) -> int:
        if self._from_zero:
            return 0
        if self._from_one:
            return 1
        right = [sum(bool(flags & bit) for found in self._found.values() for flags in found.values()) for bit in _FITS]
        return 1 if right[1] > right[0] else 0

    def verdicts(self) -> Verdicts:
        """The verdict on all cases, given what was announced and shown."""
        for stem, index in self._wanted.values():
            self._found[stem][index] &= _OVERSIZE
        base = self._base()
        outcomes: dict[str, tuple[CaseOutcome, ...]] = {}
        seen = 0
        for stem, expected in self._expected.items():
            found = self._found[stem]
            verdict = tuple(_outcome(found.get(place + base), _FITS[base]) for place in range(len(expected)))
            seen += len(verdict) - verdict.count(CaseOutcome.MISSING)
            outcomes[stem] = verdict
        standing = sum(len(found) for found in self._found.values())
        repeated = sum(1 for stem, index in self._names if 0 <= index - base < len(self._expected[stem]))
        return Verdicts(outcomes, base, seen, self._surplus + standing - seen, repeated)


def _outcome(flags: int | None, fits: int) -> CaseOutcome:
    if flags is None:
        return CaseOutcome.MISSING
    if flags & _OVERSIZE:
        return CaseOutcome.OVERSIZE
    return CaseOutcome.PASS if flags & fits else CaseOutcome.MISMATCH


def compare(
    expectations: Mapping[str, Sequence[str]],
    outputs: Iterable[tuple[str, bytes]],
    *,
    limit: int,
    comparison: Comparison = BYTES,
) -> Verdicts:
    """The verdict on outputs that lie in memory, as pairs of name and content."""
    suite = comparison.judge(expectations, limit=limit)
    for name, content in outputs:
        if suite.announce(name, len(content)):
            suite.show(name, content)
    return suite.verdicts()
