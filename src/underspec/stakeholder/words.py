"""Words: how text is cut up and what counts as the same word. English, with identifiers and numbers kept."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib import resources

# Bounded, since words are remembered and questions are hostile; what is longer falls into pieces.
_WORD = re.compile(r"\d{1,20}(?:\.\d{1,20}){0,5}|[^\W\d_]{1,40}(?:'[^\W\d_]{1,9})?")
_CAMEL = re.compile(r"(?<=[a-z][a-z])(?=[A-Z][a-z])")


def lexicon(name: str) -> list[str]:
    """The lines of one of the word lists beside this file, without comments."""
    text = (resources.files("underspec.stakeholder") / "lexicon" / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


STOP_WORDS = frozenset(word for line in lexicon("stop") for word in line.split())

GENERIC_WORDS = frozenset(word for line in lexicon("generic") for word in line.split())

_SUFFIXES = (
    ("isations", "iz"), ("izations", "iz"), ("isation", "iz"), ("ization", "iz"), ("ising", "iz"), ("izing", "iz"),
    ("ised", "iz"), ("ized", "iz"), ("ises", "iz"), ("izes", "iz"), ("ise", "iz"), ("ize", "iz"), ("ments", ""),
    ("ment", ""), ("nesses", ""), ("ness", ""), ("ions", ""), ("ion", ""), ("ingly", ""), ("edly", ""), ("ings", ""),
    ("ing", ""), ("iers", "y"), ("ier", "y"), ("ied", "y"), ("ies", "y"), ("ers", ""), ("er", ""), ("ors", ""),
    ("or", ""), ("ed", ""), ("ally", ""), ("ly", ""), ("able", ""), ("ible", ""), ("sses", "ss"), ("xes", "x"),
    ("ches", "ch"), ("shes", "sh"), ("es", "e"), ("s", ""),
)  # fmt: skip


def plain(text: str) -> str:
    """Case-folded, compatibility-normalised text with straight apostrophes."""
    return unicodedata.normalize("NFKC", text).replace("’", "'").casefold()


def words(text: str) -> list[str]:
    """The words and numbers of a text, identifiers taken apart (``maxWidth``, ``max_width``)."""
    return _WORD.findall(plain(_CAMEL.sub(" ", unicodedata.normalize("NFKC", text)).replace("_", " ")))


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Cut endings off, so that forms of a word meet: ``rounded``, ``rounding``, ``rounds`` give ``round``."""
    word = word.split("'", 1)[0]
    if len(word) <= 3 or not word.isascii():
        return word
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not (suffix == "s" and word[-2] in "sui"):
            word = word[: len(word) - len(suffix)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    word = word.removesuffix("e") if len(word) > 3 else word
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


STOP_STEMS = STOP_WORDS | {stem(word) for word in STOP_WORDS if len(word) > 3}
GENERIC_STEMS = frozenset(stem(word) for word in GENERIC_WORDS)


def _concepts() -> dict[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, group in enumerate(lexicon("near")):
        for word in group.split():
            table.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in table.items()}


CONCEPTS = _concepts()


def content(text: str) -> list[str]:
    """The stems that carry meaning: no stop words. Generic words stay in."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS and stem(word) not in STOP_STEMS]


def is_number(word: str) -> bool:
    """Whether ``word`` is a number such as ``2`` or ``1.2``."""
    return word[0].isdigit()


KNOWN = STOP_STEMS | GENERIC_STEMS | CONCEPTS.keys()


def same_root(left: str, right: str) -> float:
    """How surely one stem is a longer form of the other: 0 or 0.75."""
    if is_number(left) or is_number(right):
        return 0.0
    short, long = sorted((left, right), key=len)
    return 0.75 if len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 4 else 0.0


def misspelling(written: str, meant: str) -> float:
    """How surely ``written``, which no dictionary of ours has, is a misspelling of ``meant``: 0 to 0.8."""
    if is_number(written) or is_number(meant) or written[0] != meant[0]:
        return 0.0
    if len(written) >= 4 and abs(len(written) - len(meant)) <= 2:
        allowed = 2 if min(len(written), len(meant)) >= 7 else 1
        return 0.8 if _distance(written, meant, allowed) <= allowed else 0.0
    return 0.7 if len(written) == 3 == len(meant) and sorted(written) == sorted(meant) else 0.0


def _distance(left: str, right: str, limit: int) -> int:
    """Damerau-Levenshtein distance (adjacent transpositions), given up beyond ``limit``."""
    before, previous = [0] * (len(right) + 1), list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i, *[0] * len(right)]
        for j, b in enumerate(right, 1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current[j] = cost
        if min(current) > limit:
            return limit + 1
        before, previous = previous, current
    return previous[-1]
