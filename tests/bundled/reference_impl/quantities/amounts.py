"""Units and amounts (section 4 of the requirement)."""

from __future__ import annotations

from dataclasses import dataclass

from .failures import UnknownUnit

_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi")
_DECIMAL = ("k", "M", "G", "T", "P", "E", "Z", "Y")


@dataclass(frozen=True)
class Unit:
    """``per_byte`` is 1 for the byte family and 8 for the bit family."""

    symbol: str
    per_byte: int
    base: int
    power: int

    @property
    def size(self) -> int:
        """How many of its family's roots one is."""
        return int(self.base**self.power)

    @property
    def binary(self) -> bool:
        """Whether it belongs to the binary system."""
        return self.base == 2

    @property
    def plural(self) -> str:
        """Its plural name."""
        return self.symbol if self.power == 0 else self.symbol + "s"


BYTE = Unit("B", 1, 2, 0)
BIT = Unit("b", 8, 2, 0)


def multiples(root: Unit, binary: bool) -> list[Unit]:
    """The prefixed units of a family, smallest first."""
    if binary:
        return [Unit(p + root.symbol, root.per_byte, 2, 10 * n) for n, p in enumerate(_BINARY, 1)]
    return [Unit(p + root.symbol, root.per_byte, 10, 3 * n) for n, p in enumerate(_DECIMAL, 1)]


_NAMES: dict[str, Unit] = {"Byte": BYTE, "Bit": BIT}
for _root in (BYTE, BIT):
    for _unit in [_root, *multiples(_root, True), *multiples(_root, False)]:
        _NAMES[_unit.symbol] = _unit
        if _root is BYTE and _unit is not BYTE:
            _NAMES[_unit.symbol[:-1] + "o"] = _unit


def unit_of(name: str) -> Unit:
    """The unit of a name, exactly as written."""
    try:
        return _NAMES[name]
    except KeyError:
        raise UnknownUnit(name) from None


@dataclass(frozen=True)
class Amount:
    """So many bytes, shown in a unit."""

    bytes: float
    unit: Unit

    @staticmethod
    def of(value: float, unit: Unit) -> Amount:
        """The amount with that value in that unit."""
        return Amount(float(value) * unit.size / unit.per_byte, unit)

    @property
    def value(self) -> float:
        """How many of its unit."""
        return self.bytes * self.unit.per_byte / self.unit.size

    @property
    def bits(self) -> float:
        """The whole amount in bits."""
        return self.bytes * 8
