"""From a JSON request to calls of the library, and from its results to lines."""

import json

from . import working
from .errors import BadTemplate, SizeError, UnknownAction
from .reading import read_carefully, read_relaxed
from .units import Amount, best_unit, unit_called


def figure(value):
    """As on a billing sheet: at most two decimals."""
    text = format(value, ".2f").rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def lines(result):
    if isinstance(result, Amount):
        return "value=" + figure(result.value) + "\nunit=" + result.unit.name + "\n"
    return "result=" + figure(result) + "\n"


def number(request, name):
    value = request[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SizeError(name)
    return float(value)


def amount(request):
    return Amount(number(request, "value"), unit_called(request["unit"]))


def operand(value):
    return amount(value) if isinstance(value, dict) else float(value)


def parse(request):
    text = str(request["text"])
    return lines(read_relaxed(text) if request.get("mode") == "relaxed" else read_carefully(text))


def convert(request):
    return lines(amount(request).in_unit(unit_called(request["to"])))


def best(request):
    source = amount(request)
    return lines(source.in_unit(best_unit(source)))


def format_amount(request):
    source = amount(request)
    name = source.unit.name if source.value == 1 else source.unit.name + "s"
    fields = {"value": figure(source.value), "unit": source.unit.name, "units": name}
    try:
        return "text=" + request.get("template", "{value} {unit}").format(**fields) + "\n"
    except (KeyError, IndexError, ValueError):
        raise BadTemplate() from None


def calculate(request):
    return lines(working.calculate(request["op"], operand(request["left"]), operand(request["right"])))


def compare(request):
    left, right = operand(request["left"]), operand(request["right"])
    difference = working.calculate("subtract", left, right)
    sign = difference.bits if isinstance(difference, Amount) else difference
    return "result=" + ("equal" if sign == 0 else "greater" if sign > 0 else "less") + "\n"


def sort(request):
    items = sorted((amount(item) for item in request["items"]), key=lambda item: item.bits)
    if request.get("descending"):
        items.reverse()
    return "".join("item=" + figure(item.value) + " " + item.unit.name + "\n" for item in items)


def total(request):
    items = [amount(item) for item in request["items"]]
    unit = items[0].unit if items else unit_called("B")
    return lines(Amount(sum(item.bits for item in items) / unit.bits, unit))


def round_amount(request):
    return lines(working.rounded(amount(request), int(request.get("digits") or 0)))


def mask(request):
    return lines(working.masked(amount(request), request["mask"]))


def shift(request):
    return lines(working.shifted(amount(request), request["places"]))


ACTIONS = {
    "parse": parse,
    "convert": convert,
    "best": best,
    "format": format_amount,
    "calculate": calculate,
    "compare": compare,
    "sort": sort,
    "total": total,
    "round": round_amount,
    "mask": mask,
    "shift": shift,
}


def respond(text):
    try:
        request = json.loads(text)
        action = ACTIONS.get(request.get("action"))
        if action is None:
            raise UnknownAction()
        return action(request)
    except SizeError as error:
        return "error=" + error.word + "\n"
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return "error=invalid_request\n"
