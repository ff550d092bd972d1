"""Reading sizes (5.1 and 5.2)."""

from __future__ import annotations

from .amounts import BIT, BYTE, Amount, Unit, multiples, unit_of
from .failures import BadNumber, MissingUnit, UnknownUnit

_LETTERS = "kmgtpezy"


def _digits(text: str) -> str | None:
    """Digits with single underscores between two of them, without those; None for anything else."""
    groups = text.split("_")
    if all(group and all(c in "0123456789" for c in group) for group in groups):
        return "".join(groups)
    return None


def number(text: str, *, exponent: bool) -> float:
    """A written number."""
    rest, sign, power = text.strip(), "", ""
    if rest[:1] in ("+", "-"):
        sign, rest = rest[0], rest[1:]
    if exponent and "e" in rest.lower():
        rest, _, tail = rest.lower().partition("e")
        tail_sign = tail[:1] if tail[:1] in ("+", "-") else ""
        tail_digits = _digits(tail[len(tail_sign) :])
        if tail_digits is None:
            raise BadNumber(text)
        power = "e" + tail_sign + tail_digits
    whole, _, part = rest.partition(".")
    pieces = [_digits(piece) if piece else "" for piece in (whole, part)]
    if None in pieces or pieces == ["", ""]:
        raise BadNumber(text)
    return float(f"{sign}{pieces[0] or 0}.{pieces[1] or 0}{power}")


def _split(text: str) -> tuple[str, str]:
    for place, char in enumerate(text):
        if char.isalpha():
            return text[:place], text[place:]
    raise MissingUnit(text)


def strictly(text: str) -> Amount:
    """A size with an exact unit name."""
    before, name = _split(text)
    unit = unit_of(name)
    return Amount.of(number(before, exponent=False), unit)


def loosely(text: str | float, *, binary: bool) -> Amount:
    """A size as people type it."""
    if not isinstance(text, str):
        return Amount.of(text, BYTE)
    try:
        return Amount.of(number(text, exponent=True), BYTE)
    except BadNumber:
        before, name = _split(text)
    unit = _loose_unit(name, binary)
    return Amount.of(number(before, exponent=False), unit)


def _loose_unit(name: str, binary: bool) -> Unit:
    if name == "B" or name.lower() in ("byte", "bytes"):
        return BYTE
    if name == "b" or name.lower() in ("bit", "bits"):
        return BIT
    rest = name
    while rest.endswith(("B", "b")):
        rest = rest[:-1]
    if len(rest) == 2 and rest[1] == "i":
        binary = True
    elif len(rest) != 1:
        raise UnknownUnit(name)
    place = _LETTERS.find(rest[0].lower())
    if place < 0:
        raise UnknownUnit(name)
    return multiples(BYTE, binary)[place]
