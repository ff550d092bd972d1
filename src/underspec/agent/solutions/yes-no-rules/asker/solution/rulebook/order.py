"""When rules are the same, and which comes first."""

from functools import cmp_to_key

from rulebook.settings import told
from rulebook.tree import Fixed, Group, Name, Not, written


def same(one, other):
    if not told("same.rule"):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, Not):
        return same(one.of, other.of)
    if isinstance(one, Group):
        return (
            one.kind == other.kind
            and all(has(other.parts, part) for part in one.parts)
            and all(has(one.parts, part) for part in other.parts)
        )
    return one == other


def has(parts, wanted):
    return any(same(part, wanted) for part in parts)


def rank(rule):
    return (0 if isinstance(rule, Fixed) else 1) if not isinstance(rule, Group) else {"and": 2, "or": 3}[rule.kind]


def stripped(rule):
    count = 0
    while isinstance(rule, Not):
        rule, count = rule.of, count + 1
    return rule, count


def compare(one, other):
    (left, nots), (right, more) = stripped(one), stripped(other)
    return plain(left, right) or nots - more


def plain(one, other):
    if rank(one) != rank(other):
        return rank(one) - rank(other)
    if isinstance(one, Fixed):
        return one.value - other.value
    if isinstance(one, Name):
        return (one.text > other.text) - (one.text < other.text)
    for left, right in zip(one.parts, other.parts):
        if not same(left, right):
            return compare(left, right)
    return len(one.parts) - len(other.parts)


def in_order(rules):
    return sorted(rules, key=cmp_to_key(compare) if told("order.rule") else written)
