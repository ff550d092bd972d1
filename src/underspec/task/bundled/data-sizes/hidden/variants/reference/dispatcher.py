# canary underspec-canary-0addc399-f0e5-4204-a620-5caf99566d52
"""Answers one request with the golden library, which the composer puts under ``vendor/golden``.

It looks parameters up, calls the library and puts the answer in the contract's neutral words. What the library
decides (units, results, their units, errors) is never decided here.
"""

import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor" / "golden"))

import bitmath  # noqa: E402

SYSTEMS = {"binary": bitmath.NIST, "decimal": bitmath.SI}
MESSAGES = (
    ("No unit detected", "missing_unit"),
    ("is not a valid", "unknown_unit"),
    ("could not convert string to float", "bad_number"),
)


class Refused(Exception):
    """The request ends with this neutral error category."""


def number(value):
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise Refused("out_of_range")
    text = format(value, ".6f").rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def answer(result):
    if isinstance(result, bitmath.Bitmath):
        return f"value={number(result.value)}\nunit={result.unit_singular}\n"
    return f"number={number(result)}\n"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def need(request, name, good):
    value = request.get(name)
    if not good(value):
        raise Refused("bad_request")
    return value


def choice(request, name, allowed, default=None):
    value = request.get(name)
    if value is None:
        value = default
    if not isinstance(value, str) or value not in allowed:
        raise Refused("bad_request")
    return value


def flag(request, name):
    value = request.get(name)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise Refused("bad_request")
    return value


def system_of(request):
    name = request.get("system")
    if name is None:
        return None
    if not isinstance(name, str) or name not in SYSTEMS:
        raise Refused("unknown_system")
    return SYSTEMS[name]


def parsed(text, **options):
    try:
        return bitmath.parse_string(text, **options)
    except ValueError as error:
        for start, category in MESSAGES:
            if start in str(error):
                raise Refused(category) from error
        raise
    except (TypeError, NotImplementedError) as error:  # a name of the library that is no unit
        raise Refused("unknown_unit") from error


def unit_class(symbol):
    if not symbol[:1].isalpha():
        raise Refused("unknown_unit")
    return type(parsed("0 " + symbol))


def is_text(value):
    return isinstance(value, str)


def shape(request):
    """Value and unit name of an amount; whether the name is a unit is looked at only after all shapes."""
    if not isinstance(request, dict):
        raise Refused("bad_request")
    return need(request, "value", is_number), need(request, "unit", is_text)


def amount(shaped):
    value, unit = shaped
    return unit_class(unit)(value)


def operand(value):
    return value if is_number(value) else shape(value)


def operands(shaped):
    return [value if is_number(value) else amount(value) for value in shaped]


def amounts(request):
    return [shape(item) for item in need(request, "items", lambda value: isinstance(value, list))]


def pair(request):
    shaped = operand(request.get("left")), operand(request.get("right"))
    if all(is_number(value) for value in shaped):
        raise Refused("bad_request")
    return operands(shaped)


def parse(request):
    mode = choice(request, "mode", ("strict", "loose"), "strict")
    text = need(request, "text", lambda value: is_text(value) or (mode == "loose" and is_number(value)))
    system = system_of(request)
    if mode == "strict":
        return answer(parsed(text))
    return answer(parsed(text, strict=False, system=bitmath.NIST if system is None else system))


def convert(request):
    shaped, target_name = shape(request), need(request, "to", is_text)
    source, target = amount(shaped), unit_class(target_name)
    return answer(getattr(source, f"to_{target.__name__}")())


def best(request):
    shaped, system = shape(request), system_of(request)
    return answer(amount(shaped).best_prefix(system=system))


def format_amount(request):
    plural, best_first = flag(request, "plural"), flag(request, "best")
    template = request.get("template")
    if template is not None and not isinstance(template, str):
        raise Refused("bad_request")
    chosen = amount(shape(request))
    try:
        with bitmath.format(fmt_str=template, plural=plural, bestprefix=best_first):
            return f"text={chosen}\n"
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        raise Refused("bad_template") from error


CALCULATIONS = {
    "add": lambda left, right: left + right,
    "subtract": lambda left, right: left - right,
    "multiply": lambda left, right: left * right,
    "divide": lambda left, right: left / right,
    "whole": lambda left, right: left // right,
    "remainder": lambda left, right: left % right,
}
SINGLE = {"negate": lambda value: -value, "absolute": abs}


def calc(request):
    op = choice(request, "op", (*CALCULATIONS, *SINGLE))
    if op in SINGLE:
        return answer(SINGLE[op](amount(shape(request.get("left")))))
    left, right = pair(request)
    try:
        return answer(CALCULATIONS[op](left, right))
    except TypeError as error:
        raise Refused("unsupported") from error


def compare(request):
    left, right = pair(request)
    if left < right:
        return "order=less\n"
    return "order=greater\n" if left > right else "order=equal\n"


def sort(request):
    backwards = flag(request, "reverse")
    ordered = sorted(map(amount, amounts(request)), reverse=backwards)
    lines = [f"item={number(item.value)} {item.unit_singular}\n" for item in ordered]
    return f"count={len(lines)}\n" + "".join(lines)


def total(request):
    unit = request.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise Refused("bad_request")
    items = list(map(amount, amounts(request)))
    return answer(bitmath.sum(items, start=None if unit is None else unit_class(unit)(0)))


def round_amount(request):
    how = choice(request, "how", ("nearest", "down", "up"), "nearest")
    digits = request.get("digits")
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int)):
        raise Refused("bad_request")
    chosen = amount(shape(request))
    if how == "nearest":
        return answer(round(chosen, digits))
    return answer(math.floor(chosen) if how == "down" else math.ceil(chosen))


BITWISE = {
    "and": lambda value, other: value & other,
    "or": lambda value, other: value | other,
    "xor": lambda value, other: value ^ other,
    "left": lambda value, other: value << other,
    "right": lambda value, other: value >> other,
}


def bits(request):
    op = choice(request, "op", tuple(BITWISE))
    shaped, other = shape(request), need(request, "operand", lambda value: value is not None)
    chosen = amount(shaped)
    if isinstance(other, bool):
        raise Refused("bad_operand")
    try:
        return answer(BITWISE[op](chosen, other))
    except (TypeError, ValueError) as error:
        raise Refused("bad_operand") from error


ACTIONS = {
    "parse": parse,
    "convert": convert,
    "best": best,
    "format": format_amount,
    "calc": calc,
    "compare": compare,
    "sort": sort,
    "total": total,
    "round": round_amount,
    "bits": bits,
}


def respond(text):
    """The whole program: the text of one request in, the text of its answer out."""
    try:
        try:
            request = json.loads(text)
        except ValueError as error:
            raise Refused("bad_request") from error
        if not isinstance(request, dict):
            raise Refused("bad_request")
        action = request.get("action")
        if not isinstance(action, str) or action not in ACTIONS:
            raise Refused("unknown_action")
        return ACTIONS[action](request)
    except Refused as refusal:
        return f"error={refusal}\n"
    except ZeroDivisionError:
        return "error=division_by_zero\n"
    except OverflowError:
        return "error=out_of_range\n"


if __name__ == "__main__":
    sys.stdout.write(respond(sys.stdin.read()))
