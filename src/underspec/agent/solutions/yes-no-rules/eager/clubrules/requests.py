"""From a request to lines."""

import json

from clubrules.rules import Mistake, Reader, holds, names, shortened, written


def read(request):
    return "rule=" + written(Reader(request["rule"]).rule())


def shorten(request):
    return "rule=" + written(shortened(Reader(request["rule"]).rule()))


def conditions(request):
    return "\n".join("name=" + name for name in sorted(set(names(Reader(request["rule"]).rule()))))


def decide(request):
    answer = holds(Reader(request["rule"]).rule(), request["facts"])
    return "answer=" + ("yes" if answer else "no")


def compare(request):
    first, second = (written(shortened(Reader(request[key]).rule())) for key in ("first", "second"))
    return "equal=" + ("yes" if first == second else "no")


ACTIONS = {"read": read, "simplify": shorten, "conditions": conditions, "decide": decide, "compare": compare}


def answer(data):
    try:
        request = json.loads(data)
        if request["action"] not in ACTIONS:
            return "error=unknown_action\n"
        return ACTIONS[request["action"]](request) + "\n"
    except Mistake:
        return "error=syntax\n"
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "error=bad_request\n"
