"""Calculating, rounding, masking."""

import math

from .errors import DivisionByZero, SizeError
from .units import Amount


def calculate(op, left, right):
    """A plain figure beside an amount counts in the amount's unit."""
    if isinstance(left, Amount) and isinstance(right, Amount):
        if op == "add":
            return Amount((left.bits + right.bits) / left.unit.bits, left.unit)
        if op == "subtract":
            return Amount((left.bits - right.bits) / left.unit.bits, left.unit)
        if op == "divide":
            return _divided(left.bits, right.bits)
        raise SizeError(op)
    if isinstance(left, Amount):
        return Amount(_plain(op, left.value, right), left.unit)
    return Amount(_plain(op, left, right.value), right.unit)


def _plain(op, left, right):
    if op == "add":
        return left + right
    if op == "subtract":
        return left - right
    if op == "multiply":
        return left * right
    if op == "divide":
        return _divided(left, right)
    raise SizeError(op)


def _divided(left, right):
    if right == 0:
        raise DivisionByZero()
    return left / right


def rounded(amount, digits):
    factor = 10**digits
    return Amount(math.floor(amount.value * factor + 0.5) / factor, amount.unit)


def masked(amount, mask):
    return Amount((int(amount.bits) & mask) / amount.unit.bits, amount.unit)


def shifted(amount, places):
    bits = int(amount.bits)
    return Amount((bits << places if places >= 0 else bits >> -places) / amount.unit.bits, amount.unit)
