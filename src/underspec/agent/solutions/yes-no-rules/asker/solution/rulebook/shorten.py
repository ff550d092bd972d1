"""Negations, shortening, distributing and standard forms."""

from itertools import product

from rulebook.order import has, in_order, same
from rulebook.settings import told
from rulebook.tree import NEUTRAL, OTHER, RULING, Fixed, Group, Name, Not, bare, below, group, with_parts


def cancelled(rule):
    while isinstance(rule, Not) and isinstance(rule.of, Not):
        rule = rule.of.of
    return rule


def opposite(rule):
    return cancelled(Not(rule))


def turned(rule):
    rule = cancelled(rule)
    if bare(rule) or not isinstance(rule, Not):
        return rule
    if isinstance(rule.of, Fixed):
        return Fixed(1 - rule.of.value)
    return Group(OTHER[rule.of.kind], tuple(map(opposite, rule.of.parts)))


def inwards(rule):
    rule = turned(rule)
    return rule if bare(rule) else with_parts(rule, [inwards(part) for part in below(rule)])


def unnested(rule):
    parts = []
    for part in rule.parts:
        parts.extend(part.parts if isinstance(part, Group) and part.kind == rule.kind else [part])
    return Group(rule.kind, tuple(parts))


def shorter(rule):
    if isinstance(rule, Not):
        rule = cancelled(rule)
        if not isinstance(rule, Not):
            return shorter(rule)
        return Fixed(1 - rule.of.value) if isinstance(rule.of, Fixed) else Not(shorter(rule.of))
    if not isinstance(rule, Group) or not told("shorter.steps"):
        return rule
    kind = rule.kind
    parts = unnested(inwards(Group(kind, tuple(map(shorter, rule.parts))))).parts
    if RULING[kind] in parts:
        return RULING[kind]
    kept = []
    for part in parts:
        if not has(kept, part):
            kept.append(part)
    if len(kept) > 1:
        kept = [part for part in kept if part != NEUTRAL[kind]]
    if len(kept) == 1:
        return kept[0]
    if any(isinstance(part, Name) and Not(part) in kept for part in kept):
        return RULING[kind]
    if told("shorter.merging"):
        merged = merge(kind, kept)
        if merged is not None:
            return merged[0] if len(merged) == 1 else shorter(Group(kind, tuple(merged)))
    if told("shorter.absorbing"):
        kept = Absorbing(kind, kept).done()
    return group(kind, in_order(kept))


def less(parts, gone):
    place = next(place for place, part in enumerate(parts) if same(part, gone))
    return (*parts[:place], *parts[place + 1 :])


def differing(one, parts):
    odd = [part for part in one.parts if not has(parts, part)]
    return odd[0] if len(odd) == 1 and has(parts, opposite(odd[0])) else None


def of_kind(rule, kind):
    return isinstance(rule, Group) and rule.kind == kind


def merge(kind, parts):
    other = OTHER[kind]
    for first, one in enumerate(parts):
        for second in range(first + 1, len(parts)):
            two = parts[second]
            if of_kind(one, other) and of_kind(two, other) and len(one.parts) == len(two.parts):
                odd = differing(one, two.parts)
                if odd is not None:
                    left = group(other, less(one.parts, odd))
                    return [*parts[:first], left, *parts[first + 1 : second], *parts[second + 1 :]]
    return None


class Absorbing:
    """Each part is held against every other part of the other kind."""

    def __init__(self, kind, parts):
        self.other, self.parts, self.holder = OTHER[kind], list(parts), 0

    def done(self):
        while self.holder < len(self.parts):
            place = 0
            while place < len(self.parts):
                if place == self.holder or not of_kind(self.parts[place], self.other):
                    place += 1
                else:
                    place = self.held_against(place)
            self.holder += 1
        return self.parts

    def drop(self, place):
        del self.parts[place]
        self.holder -= place < self.holder

    def held_against(self, place):
        holder, target = self.parts[self.holder], self.parts[place]
        alike = of_kind(holder, self.other)
        if has(target.parts, holder) or (alike and all(has(target.parts, part) for part in holder.parts)):
            self.drop(place)
            return place
        if has(target.parts, opposite(holder)):
            left = group(self.other, less(target.parts, opposite(holder)))
            if has(self.parts, left):
                self.drop(place)
            else:
                self.parts[place] = left
        elif alike and (odd := differing(holder, target.parts)) is not None:
            self.parts[place] = shorter(group(self.other, less(target.parts, opposite(odd))))
        return place + 1


def distributed(rule):
    if not told("distribute.way"):
        return rule
    other = OTHER[rule.kind]
    choices = [part.parts if of_kind(part, other) else (part,) for part in rule.parts]
    return group(other, [shorter(Group(rule.kind, chosen)) for chosen in product(*choices)])


def spread(rule, outer):
    if bare(rule) or isinstance(rule, Fixed):
        return rule
    rule = with_parts(rule, [shorter(spread(part, outer)) for part in below(rule)])
    return distributed(rule) if of_kind(rule, OTHER[outer]) else rule


def standard(rule, outer):
    rule = shorter(inwards(rule))
    if not isinstance(rule, Group) or not told("forms.way"):
        return rule
    parts = [standard(part, outer) for part in rule.parts]
    if rule.kind == outer:
        return shorter(spread(Group(rule.kind, tuple(parts)), outer))
    result = parts[0]
    for part in parts[1:]:
        result = shorter(spread(Group(rule.kind, (result, part)), outer))
    return result
