"""JSON requests in, lines out."""

import json

from . import bitwork, calculation, errors, reading, templates
from .choosing import readable
from .figures import figure
from .settings import setting, told
from .units import Amount, unit_named

_ASSUMED_WORDS = {
    errors.BadRequest: "invalid_request",
    errors.MissingUnit: "invalid_unit",
    errors.BadNumber: "invalid_number",
    errors.BadTemplate: "invalid_template",
    errors.BadOperand: "invalid_request",
    errors.OutOfRange: "overflow",
}
_WORDS = {
    errors.BadRequest: "bad_request",
    errors.UnknownAction: "unknown_action",
    errors.UnknownSystem: "unknown_system",
    errors.UnknownUnit: "unknown_unit",
    errors.MissingUnit: "missing_unit",
    errors.BadNumber: "bad_number",
    errors.BadTemplate: "bad_template",
    errors.BadOperand: "bad_operand",
    errors.Unsupported: "unsupported",
    errors.DivisionByZero: "division_by_zero",
    errors.OutOfRange: "out_of_range",
}
if not told("errors.words"):
    _WORDS.update(_ASSUMED_WORDS)


def lines(result):
    if isinstance(result, Amount):
        return "value={}\nunit={}\n".format(figure(result.value), result.unit.symbol)
    return "{}={}\n".format(setting("output.number_line"), figure(result))


def is_number(content):
    return isinstance(content, (int, float)) and not isinstance(content, bool)


def needed(request, name, kinds):
    content = request.get(name)
    if content is None or not isinstance(content, kinds) or (isinstance(content, bool) and bool not in kinds):
        raise errors.BadRequest(name)
    return content


def flag(request, name):
    content = request.get(name)
    if content is None:
        return False
    if not isinstance(content, bool):
        raise errors.BadRequest(name)
    return content


def system_of(request):
    system = request.get("system")
    if system is not None and system not in ("binary", "decimal"):
        raise errors.UnknownSystem(system)
    return system


def shape_of(content):
    if not isinstance(content, dict):
        raise errors.BadRequest("amount")
    return needed(content, "value", (int, float)), needed(content, "unit", (str,))


def amount_of(content):
    value, unit = shape_of(content)
    return Amount(value, unit_named(unit))


def amounts_of(request):
    items = needed(request, "items", (list,))
    for item in items:
        shape_of(item)
    return [amount_of(item) for item in items]


def operands_of(request):
    pair = [request.get("left"), request.get("right")]
    for operand in pair:
        if not is_number(operand):
            shape_of(operand)
    if all(is_number(operand) for operand in pair):
        raise errors.BadRequest("left")
    return [operand if is_number(operand) else amount_of(operand) for operand in pair]


def parse(request):
    mode = request.get("mode") or "strict"
    if mode not in ("strict", setting("requests.relaxed_mode")):
        raise errors.BadRequest("mode")
    text = needed(request, "text", (str,) if mode == "strict" else (str, int, float))
    system = system_of(request)
    return lines(reading.read_carefully(text) if mode == "strict" else reading.read_relaxed(text, system))


def convert(request):
    target = needed(request, "to", (str,))
    return lines(amount_of(request).to(unit_named(target)))


def best(request):
    shape_of(request)
    system = system_of(request)
    return lines(readable(amount_of(request), system))


def format_amount(request):
    template = request.get("template")
    if template is not None and not isinstance(template, str):
        raise errors.BadRequest("template")
    plural, best_first = flag(request, "plural"), flag(request, "best")
    amount = amount_of(request)
    if best_first:
        amount = readable(amount)
    return "text={}\n".format(templates.write(amount, "{value} {unit}" if template is None else template, plural))


def calculate(request):
    binary = {
        "add": calculation.add,
        "subtract": calculation.subtract,
        "multiply": calculation.multiply,
        "divide": calculation.divide,
        setting("requests.whole_op"): calculation.whole,
        setting("requests.remainder_op"): calculation.remainder,
    }
    single = {"negate": calculation.negate, "absolute": calculation.absolute}
    op = needed(request, "op", (str,))
    if op in single:
        return lines(single[op](amount_of(request.get("left"))))
    if op not in binary:
        raise errors.BadRequest("op")
    return lines(binary[op](*operands_of(request)))


def compare(request):
    return "{}={}\n".format(setting("output.order_line"), calculation.order(*operands_of(request)))


def sort(request):
    backwards = flag(request, setting("requests.reverse_flag"))
    ordered = calculation.in_order(amounts_of(request), backwards)
    listed = ["item={} {}\n".format(figure(amount.value), amount.unit.symbol) for amount in ordered]
    head = "count={}\n".format(len(listed)) if setting("output.sort_count") else ""
    return head + "".join(listed)


def total(request):
    unit = request.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise errors.BadRequest("unit")
    return lines(calculation.total(amounts_of(request), None if unit is None else unit_named(unit)))


def round_amount(request):
    words = ("nearest", "down", "up") if told("rounding.words") else ("nearest", "floor", "ceil")
    how = request.get("how") or "nearest"
    if how not in words:
        raise errors.BadRequest("how")
    digits = request.get("digits")
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int)):
        raise errors.BadRequest("digits")
    how = {"floor": "down", "ceil": "up"}.get(how, how)
    return lines(calculation.rounded(amount_of(request), how, digits))


def bits(request):
    op = needed(request, "op", (str,))
    if op not in bitwork.OPERATIONS:
        raise errors.BadRequest("op")
    operand = needed(request, "operand", (object, bool))
    return lines(bitwork.apply(op, amount_of(request), operand))


def mask(request):
    return lines(bitwork.apply("and", amount_of(request), needed(request, "mask", (int,))))


def shift(request):
    return lines(bitwork.apply("left", amount_of(request), needed(request, "places", (int,))))


def _actions():
    actions = {
        "parse": parse,
        "convert": convert,
        "best": best,
        "format": format_amount,
        setting("requests.calculate"): calculate,
        "compare": compare,
        "sort": sort,
        "total": total,
        "round": round_amount,
    }
    if setting("requests.bit_actions") == "one":
        actions["bits"] = bits
    else:
        actions.update(mask=mask, shift=shift)
    return actions


_ACTIONS = _actions()


def _request(text):
    try:
        request = json.loads(text)
    except ValueError:
        raise errors.BadRequest("no JSON") from None
    if not isinstance(request, dict):
        raise errors.BadRequest("no object")
    return request


def respond(text):
    try:
        request = _request(text)
        action = request.get("action")
        if not isinstance(action, str) or action not in _ACTIONS:
            raise errors.UnknownAction(action)
        return _ACTIONS[action](request)
    except errors.DataSizeError as error:
        return "error={}\n".format(_WORDS[type(error)])
    except OverflowError:
        return "error={}\n".format(_WORDS[errors.OutOfRange])
