"""The readable unit (5.4)."""

from __future__ import annotations

from .amounts import BIT, BYTE, Amount, multiples


def readable(amount: Amount, binary: bool | None = None) -> Amount:
    """The amount in the unit that is pleasant to read; ``binary`` None keeps its own system."""
    if binary is None:
        binary = amount.unit.binary
    size = abs(amount.bytes)
    if size < 1:
        return Amount(amount.bytes, BIT)
    root = BIT if amount.unit.per_byte == 8 else BYTE
    step = 1024 if binary else 1000
    if size < step:
        return Amount(amount.bytes, BIT) if root is BIT else amount
    chosen = None
    for place, unit in enumerate(multiples(root, binary), 1):
        if size >= float(step**place):
            chosen = unit
    assert chosen is not None
    return Amount(amount.bytes, chosen)
