"""From requests to lines."""

import json

from rulebook import working
from rulebook.order import in_order, same
from rulebook.reading import Fault, Reader
from rulebook.settings import told
from rulebook.shorten import distributed, shorter, standard, unnested
from rulebook.tree import Group, group, written

GUESSED = {"normal_form": "standard_form", "list_names": "names", "substitute": "replace", "rearrange": "step"}


def bad():
    return Fault("bad_request")


class Request:
    def __init__(self, document):
        if not isinstance(document, dict) or not isinstance(document.get("action"), str):
            raise bad()
        self.document = document
        self.characters = self.own_characters()

    def own_characters(self):
        if not told("names.characters"):
            return "_"
        if "characters" not in self.document:
            return ".:_"
        return self.need("characters", lambda value: is_list(value, lambda one: is_text(one) and len(one) == 1))

    def need(self, key, good):
        if key not in self.document or not good(self.document[key]):
            raise bad()
        return self.document[key]

    def text(self, key):
        return self.need(key, is_text)

    def flag(self, key):
        if key not in self.document or (self.document[key] is None and not told("requests.nothing")):
            return False
        return self.need(key, lambda value: isinstance(value, bool))

    def rule(self, text):
        return Reader(text, self.characters).rule()


def is_text(value):
    return isinstance(value, str)


def is_list(value, good):
    return isinstance(value, list) and all(map(good, value))


def is_pair(value):
    return isinstance(value, dict) and is_text(value.get("part")) and is_text(value.get("by"))


def is_facts(value):
    return isinstance(value, dict) and all(isinstance(one, bool) for one in value.values())


def shown(rule, short=False):
    return [f"rule={written(shorter(rule) if short else rule)}"]


def yes(key, answer):
    words = ("yes", "no") if told("output.words") else ("true", "false")
    return [f"{key}={words[0] if answer else words[1]}"]


def read(request):
    if not told("errors.order"):
        request.rule(request.text("rule"))
    short = request.flag("simplify")
    return shown(request.rule(request.text("rule")), short)


def simplify(request):
    return shown(request.rule(request.text("rule")), True)


def negation(request):
    how = request.need("how", lambda value: value in ("everywhere", "outermost", "doubles"))
    return shown(working.negated(request.rule(request.text("rule")), how))


def normal_form(request):
    form = request.need("form", lambda value: value in ("any_of", "all_of"))
    return shown(standard(request.rule(request.text("rule")), {"any_of": "or", "all_of": "and"}[form]))


def list_names(request):
    signed, once = request.flag("signed"), request.flag("once")
    return [f"name={name}" for name in working.listed(request.rule(request.text("rule")), signed, once)]


def substitute(request):
    pairs = request.need("replace", lambda value: is_list(value, is_pair))
    rest = request.text("otherwise") if "otherwise" in request.document else None
    short = request.flag("simplify")
    rule = request.rule(request.text("rule"))
    read_pairs = working.paired([(request.rule(pair["part"]), request.rule(pair["by"])) for pair in pairs])
    return shown(working.replaced(rule, read_pairs, None if rest is None else request.rule(rest)), short)


def decide(request):
    facts = request.need("facts", is_facts)
    return yes("answer", working.decide(request.rule(request.text("rule")), facts))


def compare(request):
    texts, short = (request.text("first"), request.text("second")), request.flag("simplify")
    first, second = [request.rule(text) for text in texts]
    return yes("same", same(shorter(first), shorter(second)) if short else same(first, second))


def sort_rules(request):
    texts = request.need("rules", lambda value: is_list(value, is_text))
    return [line for rule in in_order([request.rule(text) for text in texts]) for line in shown(rule)]


def rearrange(request):
    step = request.need("step", lambda value: value in ("unnest", "distribute", "remove"))
    short = request.flag("simplify")
    texts = [request.text("rule"), *([request.text("part")] if step == "remove" else [])]
    rule, *part = [request.rule(text) for text in texts]
    if not isinstance(rule, Group):
        raise Fault("no_connective")
    if step == "unnest":
        opened = unnested(rule)
        while not told("rearranging.way") and opened != unnested(opened):
            opened = unnested(opened)
        return shown(opened)
    if step == "distribute":
        return shown(distributed(rule))
    left = working.without(rule, *part)
    if not left:
        raise Fault("nothing_left")
    return shown(group(rule.kind, left), short and len(left) > 1)


ACTIONS = {
    one.__name__: one
    for one in (read, simplify, negation, normal_form, list_names, substitute, decide, compare, sort_rules, rearrange)
}


def actions():
    return ACTIONS if told("requests.actions") else {GUESSED.get(name, name): one for name, one in ACTIONS.items()}


def said(fault):
    if fault.category != "bad_request" and not told("errors.words"):
        return ["error=invalid_rule"]
    return [f"error={fault.category}", *(f"{key}={value}" for key, value in fault.details.items())]


def answer(data):
    try:
        request = Request(json.loads(data))
        action = actions().get(request.document["action"])
        if action is None:
            raise bad()
        lines = action(request)
    except Fault as fault:
        lines = said(fault)
    except (ValueError, RecursionError):
        lines = said(bad())
    return "".join(f"{line}\n" for line in lines)
