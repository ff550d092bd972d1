"""Arithmetic, order, totals, rounding and bits (5.6 to 5.10)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from .amounts import BYTE, Amount, Unit
from .failures import BadOperand, Unsupported

Operand = Amount | float


def _whole(left: float, right: float) -> float:
    return left // right


def of_two_amounts(op: str, left: Amount, right: Amount) -> Operand:
    """Amount with amount."""
    a, b = left.bytes, right.bytes
    if op == "divide":
        return a / b
    if op == "whole":
        return int(_whole(a, b))
    if op == "multiply":
        return Amount(_root_count(left) * _root_count(right), left.unit)
    combined = {"add": lambda: a + b, "subtract": lambda: a - b, "remainder": lambda: a % b}[op]()
    return Amount(combined, left.unit)


def _root_count(amount: Amount) -> float:
    return amount.bytes * amount.unit.per_byte


def of_amount_and_number(op: str, left: Amount, right: float) -> Operand:
    """Amount with number."""
    if op == "add":
        return left.value + right
    if op == "subtract":
        return left.value - right
    on_bytes: dict[str, Callable[[float, float], float]] = {
        "multiply": lambda a, b: a * b,
        "divide": lambda a, b: a / b,
        "whole": _whole,
        "remainder": lambda a, b: a % b,
    }
    return Amount(on_bytes[op](left.bytes, right), left.unit)


def of_number_and_amount(op: str, left: float, right: Amount) -> Operand:
    """Number with amount."""
    if op == "add":
        return right if left == 0 else left + right.value
    if op == "subtract":
        return left - right.value
    if op == "multiply":
        return Amount(right.bytes * left, right.unit)
    if op == "divide":
        return left / right.value
    raise Unsupported(op)


def calculated(op: str, left: Operand, right: Operand) -> Operand:
    """One operation; at least one operand is an amount."""
    if isinstance(left, Amount) and isinstance(right, Amount):
        return of_two_amounts(op, left, right)
    if isinstance(left, Amount):
        assert not isinstance(right, Amount)
        return of_amount_and_number(op, left, right)
    assert isinstance(right, Amount)
    return of_number_and_amount(op, left, right)


def signed(op: str, amount: Amount) -> Amount:
    """``absolute`` or ``negate``."""
    size = abs(amount.bytes)
    return Amount(-size if op == "negate" else size, amount.unit)


def order(left: Operand, right: Operand) -> str:
    """What left is, relative to right."""
    if isinstance(left, Amount) and isinstance(right, Amount):
        a, b = left.bytes, right.bytes
    else:
        a, b = (operand.value if isinstance(operand, Amount) else operand for operand in (left, right))
    return "equal" if a == b else "less" if a < b else "greater"


def in_order(amounts: Iterable[Amount], *, reverse: bool) -> list[Amount]:
    """Stable in both directions."""
    return sorted(amounts, key=lambda amount: -amount.bytes if reverse else amount.bytes)


def total(amounts: Iterable[Amount], unit: Unit | None) -> Amount:
    """The sum of all, in order."""
    count = 0.0
    for amount in amounts:
        count += amount.bytes
    return Amount(count, unit or BYTE)


def rounded(amount: Amount, how: str, digits: int | None) -> Amount:
    """The value rounded in its unit."""
    value = amount.value
    if how == "nearest":
        near = float(round(value)) if digits is None else round(value, digits)
    else:
        near = math.floor(value) if how == "down" else math.ceil(value)
    return Amount.of(near, amount.unit)


def bit_work(op: str, amount: Amount, operand: object) -> Amount:
    """Masks and shifts."""
    if isinstance(operand, bool) or not isinstance(operand, int) or (op in ("left", "right") and operand < 0):
        raise BadOperand(operand)
    bits = int(amount.bits)
    work: dict[str, Callable[[], int]] = {
        "and": lambda: bits & operand,
        "or": lambda: bits | operand,
        "xor": lambda: bits ^ operand,
        "left": lambda: bits << operand,
        "right": lambda: bits >> operand,
    }
    return Amount(work[op]() / 8, amount.unit)
