"""Reading sizes that somebody wrote."""

import re

from .errors import BadNumber, UnknownUnit
from .units import UNITS, Amount, unit_called

_SIZE = re.compile(r"\s*(?P<number>[-+]?[\d.,_]*)\s*(?P<unit>[A-Za-z]*)\s*")


def _split(text):
    found = _SIZE.fullmatch(text)
    if not found:
        raise UnknownUnit(text)
    try:
        return float(found["number"]), found["unit"]
    except ValueError:
        raise BadNumber(text) from None


def read_carefully(text):
    number, unit = _split(text)
    return Amount(number, unit_called(unit))


def read_relaxed(text):
    """Anything goes: no unit is bytes, capitals do not matter, a lone prefix means bytes."""
    number, name = _split(text.replace(",", ""))
    wanted = name.lower()
    if wanted in ("", "byte", "bytes"):
        return Amount(number, UNITS["B"])
    if wanted in ("bit", "bits"):
        return Amount(number, UNITS["b"])
    for candidate in (name, name + "B", wanted, wanted + "b"):
        for unit in UNITS.values():
            if candidate in (unit.name, unit.name.lower()):
                return Amount(number, unit)
    return Amount(number, unit_called(name))
