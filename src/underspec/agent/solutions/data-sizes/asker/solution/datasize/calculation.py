"""Arithmetic, order, totals and rounding."""

import math
import operator

from .errors import BadRequest, DivisionByZero, Unsupported
from .settings import setting
from .units import UNITS, Amount


def _divided(divide, left, right):
    if right == 0:
        raise DivisionByZero()
    return divide(left, right)


def _scaled(amount, divide, number):
    """A calculation on the amount's bytes that keeps its unit."""
    return Amount.of_bytes(_divided(divide, amount.bytes, number), amount.unit)


def add(left, right):
    return _sum(left, right, operator.add)


def subtract(left, right):
    return _sum(left, right, operator.sub)


def _sum(left, right, combine):
    if isinstance(left, Amount) and isinstance(right, Amount):
        return Amount.of_bytes(combine(left.bytes, right.bytes), left.unit)
    if setting("calculation.number_beside_amount") == "loses_unit":
        if combine is operator.add and not isinstance(left, Amount) and left == 0:
            return right
        return combine(_own(left), _own(right))
    amount = left if isinstance(left, Amount) else right
    return Amount(combine(_own(left), _own(right)), amount.unit)


def _own(operand):
    return operand.value if isinstance(operand, Amount) else float(operand)


def multiply(left, right):
    if isinstance(left, Amount) and isinstance(right, Amount):
        if setting("calculation.product") == "told":
            return Amount.of_bytes(left.roots * right.roots, left.unit)
        raise Unsupported()
    amount, number = (left, right) if isinstance(left, Amount) else (right, left)
    return Amount.of_bytes(amount.bytes * number, amount.unit)


def divide(left, right):
    if isinstance(left, Amount) and isinstance(right, Amount):
        return _divided(operator.truediv, left.bytes, right.bytes)
    if isinstance(left, Amount):
        return _scaled(left, operator.truediv, right)
    return _divided(operator.truediv, float(left), right.value)


def whole(left, right):
    if not isinstance(left, Amount):
        raise Unsupported()
    if isinstance(right, Amount):
        return int(_divided(operator.floordiv, left.bytes, right.bytes))
    if setting("calculation.whole") == "bytes":
        return _scaled(left, operator.floordiv, right)
    return Amount(_divided(operator.floordiv, left.value, right), left.unit)


def remainder(left, right):
    if not isinstance(left, Amount):
        raise Unsupported()
    if isinstance(right, Amount):
        return Amount.of_bytes(_divided(operator.mod, left.bytes, right.bytes), left.unit)
    if setting("calculation.whole") == "bytes":
        return _scaled(left, operator.mod, right)
    return Amount(_divided(operator.mod, left.value, right), left.unit)


def negate(amount):
    value = -abs(amount.value) if setting("calculation.negate") == "told" else -amount.value
    return Amount(value, amount.unit)


def absolute(amount):
    return Amount(abs(amount.value), amount.unit)


def order(left, right):
    if isinstance(left, Amount) and isinstance(right, Amount):
        first, second = left.bytes, right.bytes
    elif setting("comparison.with_number") == "own_value":
        first, second = _own(left), _own(right)
    else:
        raise BadRequest("right")
    return "less" if first < second else "greater" if first > second else "equal"


def in_order(amounts, backwards):
    return sorted(amounts, key=lambda amount: amount.bytes, reverse=backwards)


def total(amounts, unit):
    if unit is None:
        unit = amounts[0].unit if amounts and setting("total.unit") == "first_item" else UNITS["B"]
    count = 0.0
    for amount in amounts:
        count += amount.bytes
    return Amount.of_bytes(count, unit)


def rounded(amount, how, digits):
    if how == "down":
        return Amount(math.floor(amount.value), amount.unit)
    if how == "up":
        return Amount(math.ceil(amount.value), amount.unit)
    if setting("rounding.ties") == "even":
        return Amount(round(amount.value, digits or 0), amount.unit)
    factor = 10.0 ** (digits or 0)
    grown = math.floor(abs(amount.value) * factor + 0.5) / factor
    return Amount(math.copysign(grown, amount.value), amount.unit)
