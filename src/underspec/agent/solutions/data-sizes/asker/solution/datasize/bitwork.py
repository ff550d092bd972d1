"""Masks and shifts on the bits of an amount."""

import operator

from .errors import BadOperand
from .settings import told
from .units import Amount

OPERATIONS = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "left": operator.lshift,
    "right": operator.rshift,
}


def apply(op, amount, operand):
    if isinstance(operand, bool) or not isinstance(operand, int):
        if told("bits.operand_check") or not isinstance(operand, float):
            raise BadOperand(operand)
        operand = int(operand)
    if op in ("left", "right") and operand < 0:
        if told("bits.operand_check"):
            raise BadOperand(operand)
        op, operand = ("right" if op == "left" else "left"), -operand
    return Amount.of_bytes(OPERATIONS[op](int(amount.bits), operand) / 8, amount.unit)
