"""An amount inside a sentence."""

import re

from .errors import BadTemplate
from .figures import figure
from .settings import setting, told

_PIECE = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}:]*)(?P<digits>:\.\d+f)?\}|[{}]")
_TEXTS = ("unit", "unit_singular", "unit_plural", "system", "binary")


def plural_name(unit):
    if setting("format.plural") == "told" and unit.power == 0:
        return unit.symbol
    return unit.symbol + "s"


def _fields(amount, plural):
    unit = amount.unit
    several = plural and amount.value != 1
    known = {"value": amount.value, "unit": plural_name(unit) if several else unit.symbol}
    if told("format.fields"):
        bits = int(amount.bits)
        known.update(
            unit_singular=unit.symbol,
            unit_plural=plural_name(unit),
            bytes=amount.bytes,
            bits=amount.bits,
            base=unit.base,
            power=unit.power,
            system="NIST" if unit.system == "binary" else "SI",
            binary=("-" if bits < 0 else "") + "0b" + "{:b}".format(abs(bits)),
        )
    return known


def write(amount, template, plural):
    known = _fields(amount, plural)

    def piece(found):
        text = found.group()
        if text in ("{{", "}}"):
            return text[0]
        name, digits = found["name"], found["digits"]
        if name not in known:
            if name is None or setting("format.strict_templates"):
                raise BadTemplate(text)
            return text
        if digits and name in _TEXTS:
            raise BadTemplate(text)
        return _shown(known[name], digits)

    return _PIECE.sub(piece, template)


def _shown(content, digits):
    if isinstance(content, str):
        return content
    if digits:
        return format(content, digits[1:])
    if isinstance(content, float) and setting("format.numbers") == "shortest":
        return repr(content)
    return figure(content)
