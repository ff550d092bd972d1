"""Listing, replacing, deciding and removing."""

from rulebook.order import has, same
from rulebook.reading import Fault
from rulebook.settings import told
from rulebook.shorten import cancelled, inwards, turned
from rulebook.tree import Fixed, Group, Name, Not, below, with_parts, written


def names(rule, signed):
    if isinstance(rule, Name):
        return [rule.text]
    if isinstance(rule, Not) and isinstance(rule.of, Name):
        return [written(rule) if signed else rule.of.text]
    return [name for part in below(rule) for name in names(part, signed)]


def listed(rule, signed, once):
    found = names(rule, signed)
    return sorted(set(found)) if once or not told("listing.way") else found


def replaced(rule, pairs, rest):
    for part, by in pairs:
        if same(part, rule) and (told("replacing.way") or isinstance(rule, Name)):
            return by
    if isinstance(rule, Name):
        return rule if rest is None or not told("replacing.otherwise") else rest
    return with_parts(rule, [replaced(part, pairs, rest) for part in below(rule)])


def paired(pairs):
    found = []
    for part, by in pairs:
        for known in found:
            if same(known[0], part):
                known[1] = by
                break
        else:
            found.append([part, by])
    return found


def has_fixed(rule):
    return isinstance(rule, Fixed) or any(map(has_fixed, below(rule)))


def decided(rule, facts):
    if isinstance(rule, Fixed):
        return bool(rule.value)
    if isinstance(rule, Name):
        if rule.text in facts:
            return facts[rule.text]
        if told("deciding.missing"):
            raise Fault("missing_fact", name=rule.text)
        return False
    answers = [decided(part, facts) for part in below(rule)]
    if isinstance(rule, Not):
        return not answers[0]
    return all(answers) if rule.kind == "and" else any(answers)


def decide(rule, facts):
    if told("deciding.missing") and has_fixed(rule):
        raise Fault("constant_in_rule")
    return decided(rule, facts)


def negated(rule, how):
    if not told("negations.way"):
        return inwards(rule)
    if how == "everywhere":
        return inwards(rule)
    if not isinstance(rule, Not):
        raise Fault("no_negation")
    return cancelled(rule) if how == "doubles" else turned(rule)


def without(rule, part):
    if has(rule.parts, part):
        place = next(place for place, one in enumerate(rule.parts) if same(one, part))
        return (*rule.parts[:place], *rule.parts[place + 1 :])
    inside = isinstance(part, Group) and part.kind == rule.kind and all(has(rule.parts, one) for one in part.parts)
    if inside and told("rearranging.way"):
        return tuple(one for one in rule.parts if not has(part.parts, one))
    return rule.parts
