"""JSON requests in, lines out (section 3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import choosing, failures, reading, working, writing
from .amounts import Amount, unit_of

Request = dict[str, Any]


class BadRequest(Exception):
    """The shape is wrong."""


class UnknownSystem(Exception):
    """No such system."""


WORDS: dict[type[Exception], str] = {
    BadRequest: "bad_request",
    UnknownSystem: "unknown_system",
    failures.UnknownUnit: "unknown_unit",
    failures.MissingUnit: "missing_unit",
    failures.BadNumber: "bad_number",
    failures.BadTemplate: "bad_template",
    failures.BadOperand: "bad_operand",
    failures.Unsupported: "unsupported",
    ZeroDivisionError: "division_by_zero",
    OverflowError: "out_of_range",
}


def _is_number(content: object) -> bool:
    return isinstance(content, int | float) and not isinstance(content, bool)


def _require(holds: bool) -> None:
    if not holds:
        raise BadRequest


def _shape(content: Any) -> tuple[float, str]:
    _require(isinstance(content, dict))
    value, unit = content.get("value"), content.get("unit")
    _require(_is_number(value) and isinstance(unit, str))
    return value, unit


def _amount(shape: tuple[float, str]) -> Amount:
    return Amount.of(shape[0], unit_of(shape[1]))


def _optional(request: Request, name: str, kind: type, default: Any) -> Any:
    content = request.get(name)
    _require(content is None or (isinstance(content, kind) and not (kind is int and isinstance(content, bool))))
    return default if content is None else content


def _word(request: Request, name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    word = request.get(name)
    word = default if word is None else word
    _require(isinstance(word, str) and word in allowed)
    return str(word)


def _system(request: Request) -> bool | None:
    system = request.get("system")
    if system is None:
        return None
    if system not in ("binary", "decimal"):
        raise UnknownSystem
    return bool(system == "binary")


def _pair(request: Request) -> list[working.Operand]:
    operands = [request.get("left"), request.get("right")]
    shapes = [operand if _is_number(operand) else _shape(operand) for operand in operands]
    _require(not all(_is_number(shape) for shape in shapes))
    return [_amount(shape) if isinstance(shape, tuple) else float(shape) for shape in shapes]  # type: ignore[arg-type]


def _list(request: Request) -> list[Amount]:
    items = request.get("items")
    _require(isinstance(items, list))
    return [_amount(shape) for shape in [_shape(item) for item in items or []]]


def _lines(result: working.Operand) -> str:
    if isinstance(result, Amount):
        return f"value={writing.plain(result.value)}\nunit={result.unit.symbol}\n"
    return f"number={writing.plain(result)}\n"


def parse(request: Request) -> str:
    mode, text = _word(request, "mode", ("strict", "loose"), "strict"), request.get("text")
    _require(isinstance(text, str) or (mode == "loose" and _is_number(text)))
    system = _system(request)
    if mode == "strict":
        return _lines(reading.strictly(str(text)))
    assert text is not None
    return _lines(reading.loosely(text, binary=system is not False))


def convert(request: Request) -> str:
    shape, to = _shape(request), request.get("to")
    _require(isinstance(to, str))
    return _lines(Amount(_amount(shape).bytes, unit_of(str(to))))


def best(request: Request) -> str:
    shape, system = _shape(request), _system(request)
    return _lines(choosing.readable(_amount(shape), system))


def format_(request: Request) -> str:
    template = _optional(request, "template", str, "{value} {unit}")
    plural, first = _optional(request, "plural", bool, False), _optional(request, "best", bool, False)
    amount = _amount(_shape(request))
    return f"text={writing.filled(template, choosing.readable(amount) if first else amount, plural=plural)}\n"


def calc(request: Request) -> str:
    two = ("add", "subtract", "multiply", "divide", "whole", "remainder")
    op = _word(request, "op", (*two, "negate", "absolute"))
    if op not in two:
        return _lines(working.signed(op, _amount(_shape(request.get("left")))))
    left, right = _pair(request)
    return _lines(working.calculated(op, left, right))


def compare(request: Request) -> str:
    left, right = _pair(request)
    return f"order={working.order(left, right)}\n"


def sort(request: Request) -> str:
    reverse = _optional(request, "reverse", bool, False)
    ordered = working.in_order(_list(request), reverse=reverse)
    listed = (f"item={writing.plain(amount.value)} {amount.unit.symbol}\n" for amount in ordered)
    return f"count={len(ordered)}\n" + "".join(listed)


def total(request: Request) -> str:
    unit = _optional(request, "unit", str, None)
    amounts = _list(request)
    return _lines(working.total(amounts, None if unit is None else unit_of(unit)))


def round_(request: Request) -> str:
    how = _word(request, "how", ("nearest", "down", "up"), "nearest")
    digits = _optional(request, "digits", int, None)
    return _lines(working.rounded(_amount(_shape(request)), how, digits))


def bits(request: Request) -> str:
    op = _word(request, "op", ("and", "or", "xor", "left", "right"))
    shape, operand = _shape(request), request.get("operand")
    _require(operand is not None)
    return _lines(working.bit_work(op, _amount(shape), operand))


ACTIONS: dict[str, Callable[[Request], str]] = {
    "parse": parse,
    "convert": convert,
    "best": best,
    "format": format_,
    "calc": calc,
    "compare": compare,
    "sort": sort,
    "total": total,
    "round": round_,
    "bits": bits,
}


def respond(text: str) -> str:
    """The answer to one request."""
    try:
        request = json.loads(text)
    except ValueError:
        return "error=bad_request\n"
    if not isinstance(request, dict):
        return "error=bad_request\n"
    action = request.get("action")
    if not isinstance(action, str) or action not in ACTIONS:
        return "error=unknown_action\n"
    try:
        return ACTIONS[action](request)
    except tuple(WORDS) as failure:
        return f"error={WORDS[type(failure)]}\n"
