"""Units, their names, and amounts."""

from .errors import UnknownUnit
from .settings import setting, told

LETTERS = "kMGTPEZY"
BYTE, BIT = "byte", "bit"


class Unit:
    """``size`` counts the root of the unit's family: bytes or bits."""

    def __init__(self, symbol, family, base, power):
        self.symbol, self.family, self.base, self.power = symbol, family, base, power
        self.size = base**power

    @property
    def system(self):
        return "binary" if self.base == 2 else "decimal"


def _table():
    units = [Unit("B", BYTE, 2, 0), Unit("b", BIT, 2, 0)]
    for place, letter in enumerate(LETTERS, 1):
        for ending, family in (("B", BYTE), ("b", BIT)):
            units.append(Unit(letter + ending, family, 10, 3 * place))
            units.append(Unit(letter.upper() + "i" + ending, family, 2, 10 * place))
    return {unit.symbol: unit for unit in units}


UNITS = _table()


def _octets():
    names = {letter + "o": letter + "B" for letter in LETTERS}
    if told("units.octets"):
        names.update({letter.upper() + "io": letter.upper() + "iB" for letter in LETTERS})
    else:
        names.update({"Ko": "kB", "o": "B"})
    return names


def _other_names():
    names = _octets()
    if setting("units.long_names"):
        names.update({"Byte": "B", "Bit": "b"})
    return names


_OTHER = _other_names()


def unit_named(name):
    unit = UNITS.get(_OTHER.get(name, name))
    if unit is None:
        raise UnknownUnit(name)
    return unit


def prefixed(place, family, system):
    """The unit of the prefix at ``place`` (1 for kilo); 0 is the family's root."""
    ending = "B" if family == BYTE else "b"
    if place == 0:
        return UNITS[ending]
    letter = LETTERS[place - 1]
    return UNITS[letter.upper() + "i" + ending if system == "binary" else letter + ending]


class Amount:
    """Kept as bytes; ``value`` is how many of its unit that is."""

    def __init__(self, value, unit):
        self.unit = unit
        roots = float(value) * unit.size
        self.bytes = roots / 8 if unit.family == BIT else roots

    @classmethod
    def of_bytes(cls, count, unit):
        amount = cls(0, unit)
        amount.bytes = float(count)
        return amount

    @property
    def bits(self):
        return self.bytes * 8

    @property
    def roots(self):
        return self.bits if self.unit.family == BIT else self.bytes

    @property
    def value(self):
        return self.roots / self.unit.size

    def to(self, unit):
        return Amount.of_bytes(self.bytes, unit)
