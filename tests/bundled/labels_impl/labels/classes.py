"""Classes of characters, and what is done with them."""

from collections.abc import Callable
from itertools import groupby

Class = Callable[[str], bool]


def _signs(written: str) -> list[tuple[str, bool]]:
    """Characters with whether they still have a meaning of their own."""
    signs, rest = [], iter(written)
    for sign in rest:
        if sign == "\\":
            plain = next(rest, None)
            if plain is not None:
                signs.append((plain, False))
        else:
            signs.append((sign, sign == "-"))
    return signs


def read(written: str) -> Class:
    """Whether a character is in the class that is written so."""
    others = written.startswith("^")
    spans: list[tuple[str, str]] = []
    begin: str | None = None
    hyphen = False
    for sign, special in _signs(written[1:] if others else written):
        if special:
            hyphen = begin is not None
        elif hyphen and sign != begin:
            spans.append((min(begin, sign), max(begin, sign)))
            begin, hyphen = None, False
        else:
            spans.append((sign, sign))
            begin, hyphen = sign, False
    return lambda character: any(low <= character <= high for low, high in spans) != others


def count(text: str, inside: Class) -> int:
    """How many characters are in the class."""
    return sum(map(inside, text))


def replace(text: str, inside: Class, sign: str) -> str:
    """Put the sign, or nothing, in the place of each character of the class."""
    return "".join(sign if inside(character) else character for character in text)


def squeeze(text: str, inside: Class) -> str:
    """Make each run of a character of the class one."""
    return "".join(sign if inside(sign) else "".join(run) for sign, run in groupby(text))
