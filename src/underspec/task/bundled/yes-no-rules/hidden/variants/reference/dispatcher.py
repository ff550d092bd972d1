# canary underspec-canary-9ef2994a-9699-520b-9f26-889bb3efe787
"""Answers one request with the golden library, which the composer puts under ``vendor/golden``.

It reads rules and parameters, calls the library, and puts the answer into the contract's words. What a rule means, how it
is written, what it becomes and in which order, the library decides.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor" / "golden"))

from boolean import boolean as library

FAULTS = {
    library.PARSE_UNKNOWN_TOKEN: "unknown_character",
    library.PARSE_UNBALANCED_CLOSING_PARENS: "closing_bracket",
    library.PARSE_INVALID_EXPRESSION: "incomplete_rule",
    library.PARSE_INVALID_NESTING: "misplaced_bracket",
    library.PARSE_INVALID_SYMBOL_SEQUENCE: "names_side_by_side",
    library.PARSE_INVALID_OPERATOR_SEQUENCE: "misplaced_connective",
}
CHARACTERS = [".", ":", "_"]


class Refused(Exception):
    """The request ends with this neutral error category, and lines that say more."""

    def __init__(self, category, **details):
        super().__init__(category)
        self.lines = [f"error={category}", *(f"{name}={value}" for name, value in details.items())]


def need(request, name, good):
    value = request.get(name)
    if not good(value):
        raise Refused("bad_request")
    return value


def is_text(value):
    return isinstance(value, str)


def flag(request, name):
    value = request.get(name, False)
    if not isinstance(value, bool):
        raise Refused("bad_request")
    return value


def choice(request, name, known):
    return known[need(request, name, lambda value: is_text(value) and value in known)]


def text(request, name):
    return need(request, name, is_text)


class Reader:
    """Reads the rules of one request. Whether it is a request at all is looked at before any rule is read."""

    def __init__(self, request):
        characters = request.get("characters", CHARACTERS)
        if not isinstance(characters, list) or not all(is_text(one) and len(one) == 1 for one in characters):
            raise Refused("bad_request")
        self.library = library.BooleanAlgebra(allowed_in_token=tuple(characters))

    def rule(self, text, simplify=False):
        try:
            return self.library.parse(text, simplify=simplify)
        except library.ParseError as error:
            details = {"at": error.position, "part": error.token_string} if error.token_string else {}
            raise Refused(FAULTS[error.error_code], **details) from error
        except (IndexError, TypeError) as error:  # how the library says that something is not there
            raise Refused("incomplete_rule") from error


def written(rule):
    return [f"rule={rule}"]


def read(request, reader):
    shorter = flag(request, "simplify")
    return written(reader.rule(text(request, "rule"), shorter))


def simplify(request, reader):
    return written(reader.rule(text(request, "rule")).simplify())


def normal_form(request, reader):
    form = choice(request, "form", {"any_of": reader.library.dnf, "all_of": reader.library.cnf})
    return written(form(reader.rule(text(request, "rule"))))


def negation(request, reader):
    how = choice(request, "how", {"everywhere": "literalize", "outermost": "demorgan", "doubles": "cancel"})
    rule = reader.rule(text(request, "rule"))
    if how != "literalize" and not isinstance(rule, library.NOT):
        raise Refused("no_negation")
    return written(getattr(rule, how)())


def list_names(request, reader):
    signed, once = flag(request, "signed"), flag(request, "once")
    rule = reader.rule(text(request, "rule"))
    found = [str(one) for one in (rule.get_literals() if signed else rule.get_symbols())]
    return [f"name={name}" for name in (sorted(set(found)) if once else found)]


def is_pair(value):
    return isinstance(value, dict) and is_text(value.get("part")) and is_text(value.get("by"))


def substitute(request, reader):
    pairs = need(request, "replace", lambda value: isinstance(value, list) and all(map(is_pair, value)))
    otherwise = text(request, "otherwise") if "otherwise" in request else None
    shorter = flag(request, "simplify")
    rule = reader.rule(text(request, "rule"))
    replace = {}
    for pair in pairs:
        replace[reader.rule(pair["part"])] = reader.rule(pair["by"])
    default = None if otherwise is None else reader.rule(otherwise)
    result = rule.subs(replace, default=default)
    return written(result.simplify() if shorter else result)


def holds_constant(rule):
    return isinstance(rule, library.BaseElement) or any(holds_constant(part) for part in rule.args)


def is_facts(value):
    return isinstance(value, dict) and all(isinstance(one, bool) for one in value.values())


def decide(request, reader):
    facts = need(request, "facts", is_facts)
    rule = reader.rule(text(request, "rule"))
    if holds_constant(rule):
        raise Refused("constant_in_rule")
    try:
        return [f"answer={'yes' if rule(**facts) else 'no'}"]
    except KeyError as error:
        raise Refused("missing_fact", name=error.args[0]) from error


def compare(request, reader):
    texts, shorter = (text(request, "first"), text(request, "second")), flag(request, "simplify")
    first, second = (reader.rule(one, shorter) for one in texts)
    return [f"same={'yes' if first == second else 'no'}"]


def sort_rules(request, reader):
    texts = need(request, "rules", lambda value: isinstance(value, list) and all(map(is_text, value)))
    rules = [reader.rule(one) for one in texts]
    return [line for rule in sorted(rules) for line in written(rule)]


def rearrange(request, reader):
    step = need(request, "step", lambda value: value in ("unnest", "distribute", "remove"))
    shorter, texts = flag(request, "simplify"), [text(request, "rule")]
    if step == "remove":
        texts.append(text(request, "part"))
    rule, *part = [reader.rule(one) for one in texts]
    if not isinstance(rule, library.DualBase):
        raise Refused("no_connective")
    if step == "unnest":
        return written(rule.flatten())
    if step == "distribute":
        return written(rule.distributive())
    left = rule.subtract(*part, simplify=shorter)
    if left is None:
        raise Refused("nothing_left")
    return written(left)


ACTIONS = {
    "read": read,
    "simplify": simplify,
    "normal_form": normal_form,
    "negation": negation,
    "list_names": list_names,
    "substitute": substitute,
    "decide": decide,
    "compare": compare,
    "sort_rules": sort_rules,
    "rearrange": rearrange,
}


def respond(line):
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise Refused("bad_request")
        action = choice(request, "action", ACTIONS)
        lines = action(request, Reader(request))
    except Refused as refused:
        lines = refused.lines
    return "".join(f"{line}\n" for line in lines)
