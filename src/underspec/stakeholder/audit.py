"""The grounding audit: what an approved reply says that stands neither in the requirement nor in the conversation.

Numbers, identifiers and quoted strings are looked at, since those are what a developer copies. The audit flags and
counts; it decides nothing, and it needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from underspec.artifact.clarification import Ungrounded, UngroundedKind

_QUOTED = re.compile(r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«([^»\n]{1,200})»")
# Snake and camel case, dotted and dashed names, options, and calls: what no prose is written in.
_IDENTIFIER = re.compile(
    r"--?[A-Za-z][\w-]*"
    r"|\b[A-Za-z]\w*(?:[._/][A-Za-z]\w*)+\b"
    r"|\b[A-Za-z]+_\w+\b"
    r"|\b[a-z]+(?:[A-Z][a-z0-9]*)+\b"
    r"|\b[A-Z]{2,}[0-9]+\b"
    r"|\b\w+\(\)"
)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,:/-]\d+)*(?:%)?(?!\w)")
_WORDS = {
    "0": ("zero", "none", "no", "nothing", "empty"),
    "1": ("one", "a", "an", "once", "single", "first"),
    "2": ("two", "twice", "second", "both", "pair"),
    "3": ("three", "third"),
    "4": ("four", "fourth"),
    "5": ("five", "fifth"),
    "6": ("six", "sixth"),
    "7": ("seven", "seventh", "week"),
    "8": ("eight", "eighth"),
    "9": ("nine", "ninth"),
    "10": ("ten", "tenth"),
    "11": ("eleven",),
    "12": ("twelve", "dozen"),
    "14": ("fourteen",),
    "15": ("fifteen",),
    "20": ("twenty",),
    "24": ("twenty-four",),
    "30": ("thirty",),
    "50": ("fifty",),
    "60": ("sixty",),
    "100": ("hundred",),
    "1000": ("thousand",),
}
_LIST_MARK = re.compile(r"(?m)^\s*\d{1,2}[.)]\s+")


def audit(reply: str, sources: Iterable[str]) -> tuple[Ungrounded, ...]:
    """What of ``reply`` is grounded in none of ``sources`` (requirement, material, and what was said before), in the
    order in which it stands there, each once."""
    known = "\n".join(sources)
    folded = _folded(known)
    numbers = {_plain_number(number) for number in _NUMBER.findall(known)}
    words = set(re.findall(r"[a-z-]+", known.lower()))
    text = _LIST_MARK.sub("", reply)
    found: dict[tuple[UngroundedKind, str], int] = {}
    for match in _QUOTED.finditer(text):
        quoted = next(group for group in match.groups() if group is not None).strip()
        if quoted and _folded(quoted) not in folded:
            found.setdefault(("quotation", quoted), match.start())
    quoted_places = [match.span() for match in _QUOTED.finditer(text)]
    for match in _IDENTIFIER.finditer(text):
        if not _within(match, quoted_places) and match[0].lower().removesuffix("()") not in folded:
            found.setdefault(("identifier", match[0]), match.start())
    for match in _NUMBER.finditer(text):
        number = _plain_number(match[0])
        if not (_within(match, quoted_places) or number in numbers or words & set(_WORDS.get(number, ()))):
            found.setdefault(("number", match[0]), match.start())
    ordered = sorted(found, key=lambda each: found[each])
    return tuple(Ungrounded(kind=kind, text=said) for kind, said in ordered)


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _plain_number(number: str) -> str:
    """One spelling for ``20``, ``20.00`` and ``+20``; dates and times stay as they are."""
    bare = number.rstrip("%").lstrip("+")
    if re.fullmatch(r"-?\d+[.,]\d+", bare):
        whole, _, part = bare.replace(",", ".").partition(".")
        part = part.rstrip("0")
        return f"{whole}.{part}" if part else whole
    return bare


def _within(match: re.Match[str], places: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() and match.end() <= end for start, end in places)
