"""Units and amounts. Everything is kept in bits, so that bits and bytes convert without a special case."""

from dataclasses import dataclass

from .errors import UnknownUnit

PREFIXES = "kMGTPEZY"


@dataclass(frozen=True)
class Unit:
    name: str
    bits: int
    binary: bool
    step: int

    @property
    def of_bits(self):
        return self.name.endswith("b")


def _all_units():
    found = [Unit("B", 8, True, 0), Unit("b", 1, True, 0)]
    for step, prefix in enumerate(PREFIXES, start=1):
        for root, bits in (("B", 8), ("b", 1)):
            found.append(Unit(prefix + root, bits * 1000**step, False, step))
            found.append(Unit(prefix.upper() + "i" + root, bits * 1024**step, True, step))
    return {unit.name: unit for unit in found}


UNITS = _all_units()
# The Lyon office is French and writes octets.
FRENCH = {"o": "B", "ko": "kB", "Ko": "kB", "Mo": "MB", "Go": "GB", "To": "TB"}


def unit_called(name):
    unit = UNITS.get(FRENCH.get(name, name))
    if unit is None:
        raise UnknownUnit(name)
    return unit


@dataclass(frozen=True)
class Amount:
    value: float
    unit: Unit

    @property
    def bits(self):
        return self.value * self.unit.bits

    def in_unit(self, unit):
        return Amount(self.bits / unit.bits, unit)


def best_unit(amount):
    """The largest unit of the same kind in which the value is at least one."""
    kind = [
        unit
        for unit in UNITS.values()
        if unit.of_bits == amount.unit.of_bits and (unit.binary == amount.unit.binary or unit.step == 0)
    ]
    fitting = [unit for unit in kind if unit.bits <= abs(amount.bits)]
    if not fitting:
        return min(kind, key=lambda unit: unit.bits)
    return max(fitting, key=lambda unit: unit.bits)
