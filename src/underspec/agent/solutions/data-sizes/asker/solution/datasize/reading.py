"""From a text to an amount."""

import re

from .errors import BadNumber, BadRequest, MissingUnit, UnknownUnit
from .settings import setting, told
from .units import BIT, BYTE, LETTERS, UNITS, Amount, prefixed, unit_named

_DIGITS = r"\d+(?:_\d+)*"
_TOLD = re.compile(r"[+-]?(?:{0}\.?(?:{0})?|\.{0})".format(_DIGITS))
_TOLD_EXPONENT = re.compile(_TOLD.pattern + r"(?:[eE][+-]?{0})?".format(_DIGITS))
_ASSUMED = re.compile(r"[+-]?\d+(?:\.\d+)?")


def _number(text, exponent=False):
    text = text.strip()
    if told("reading.number_notation"):
        pattern = _TOLD_EXPONENT if exponent else _TOLD
    else:
        pattern, text = _ASSUMED, text.replace(",", "")
    if not pattern.fullmatch(text):
        raise BadNumber(text)
    return float(text.replace("_", ""))


def _split(text):
    for place, letter in enumerate(text):
        if letter.isalpha():
            unit = text[place:]
            return text[:place], unit.strip() if setting("reading.trailing_blanks") == "ignored" else unit
    raise MissingUnit(text)


def _read(text, find_unit):
    number, name = _split(text)
    if setting("reading.unit_first"):
        unit = find_unit(name)
        return Amount(_number(number), unit)
    value = _number(number)
    return Amount(value, find_unit(name))


def read_carefully(text):
    return _read(text, unit_named)


def read_relaxed(text, system):
    if not isinstance(text, str):
        if setting("reading.json_numbers"):
            return Amount(text, UNITS["B"])
        raise BadRequest("text")
    if setting("reading.bare_number") == "bytes":
        try:
            return Amount(_number(text, exponent=True), UNITS["B"])
        except BadNumber:
            pass  # it has a unit, then, or is no size at all
    return _read(text, lambda name: _relaxed_unit(name, system or setting("reading.relaxed_system")))


def _relaxed_unit(name, system):
    word = name.lower()
    if name == "B" or word in ("byte", "bytes"):
        return UNITS["B"]
    if name == "b" or word in ("bit", "bits"):
        return UNITS["b"]
    if not told("reading.relaxed_units"):
        return _assumed_unit(name, system)
    rest = name.rstrip("Bb")
    if rest[1:] in ("", "i") and rest[:1] and rest[0].lower() in LETTERS.lower():
        place = LETTERS.lower().index(rest[0].lower()) + 1
        return prefixed(place, BYTE, "binary" if rest[1:] else system)
    raise UnknownUnit(name)


def _assumed_unit(name, system):
    """Capitals do not matter, except that a final b means bits."""
    family = BIT if name.endswith("b") else BYTE
    rest = name.lower().rstrip("b")
    if rest[:1] and rest[0] in LETTERS.lower() and rest[1:] in ("", "i"):
        return prefixed(LETTERS.lower().index(rest[0]) + 1, family, "binary" if rest[1:] else system)
    return unit_named(name)
