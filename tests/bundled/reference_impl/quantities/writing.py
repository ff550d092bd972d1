"""Numbers and templates (3.2 and 5.5)."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Context, Decimal

from .amounts import Amount
from .failures import BadTemplate

_EXACT = Context(prec=2000, rounding=ROUND_HALF_EVEN)
_FIELD = re.compile(r"([a-z_]+)(?::\.([0-9]+)f)?")


def fixed(number: float, digits: int) -> str:
    """Exactly so many digits after the point."""
    return format(Decimal(number).quantize(Decimal(1).scaleb(-digits), context=_EXACT), "f")


def plain(number: float | int) -> str:
    """At most six digits after the point."""
    if isinstance(number, int):
        return str(number)
    if number in (float("inf"), float("-inf")) or number != number:
        raise OverflowError
    whole, _, part = fixed(number, 6).partition(".")
    part = part.rstrip("0")
    text = f"{whole}.{part}" if part else whole
    return "0" if text == "-0" else text


def filled(template: str, amount: Amount, *, plural: bool) -> str:
    """The template with the amount's fields."""
    fields = _fields(amount, plural)
    written, place = [], 0
    while place < len(template):
        char, pair = template[place], template[place : place + 2]
        if pair in ("{{", "}}"):
            written.append(char)
            place += 2
        elif char == "{":
            end = template.find("}", place)
            found = _FIELD.fullmatch(template[place + 1 : end]) if end > 0 else None
            if not found or found[1] not in fields:
                raise BadTemplate(template)
            written.append(_shown(fields[found[1]], found[2]))
            place = end + 1
        elif char == "}":
            raise BadTemplate(template)
        else:
            written.append(char)
            place += 1
    return "".join(written)


def _fields(amount: Amount, plural: bool) -> dict[str, str | int | float]:
    unit = amount.unit
    return {
        "value": amount.value,
        "unit": unit.plural if plural and amount.value != 1 else unit.symbol,
        "unit_singular": unit.symbol,
        "unit_plural": unit.plural,
        "bytes": amount.bytes,
        "bits": amount.bits,
        "base": unit.base,
        "power": unit.power,
        "system": "NIST" if unit.binary else "SI",
        "binary": bin(int(amount.bits)),
    }


def _shown(content: str | int | float, digits: str | None) -> str:
    if isinstance(content, str):
        if digits is not None:
            raise BadTemplate("a text has no digits after the point")
        return content
    return str(content) if digits is None else fixed(content, int(digits))
