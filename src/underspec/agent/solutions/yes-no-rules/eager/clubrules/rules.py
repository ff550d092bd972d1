"""Reading rules into nested lists, and writing them."""

import re

PIECE = re.compile(r"\s*(?:(\w+)|(.))")


class Mistake(Exception):
    """The rule cannot be read."""


def pieces(text):
    for word, sign in PIECE.findall(text.strip()):
        lowered = word.lower()
        if lowered in ("and", "or", "not"):
            yield lowered
        elif word:
            yield ("name", word)
        elif sign in "&|~()":
            yield {"&": "and", "|": "or", "~": "not"}.get(sign, sign)
        else:
            raise Mistake(sign)


class Reader:
    def __init__(self, text):
        self.waiting = list(pieces(text))

    def rule(self):
        found = self.group("or", lambda: self.group("and", self.single))
        if self.waiting:
            raise Mistake(self.waiting[0])
        return found

    def group(self, joint, part):
        parts = [part()]
        while self.waiting and self.waiting[0] == joint:
            self.waiting.pop(0)
            parts.append(part())
        return parts[0] if len(parts) == 1 else [joint, *parts]

    def single(self):
        if not self.waiting:
            raise Mistake("end")
        piece = self.waiting.pop(0)
        if piece == "not":
            return ["not", self.single()]
        if piece == "(":
            inside = self.group("or", lambda: self.group("and", self.single))
            if not self.waiting or self.waiting.pop(0) != ")":
                raise Mistake("bracket")
            return inside
        if isinstance(piece, tuple):
            return piece[1]
        raise Mistake(piece)


def written(rule):
    if isinstance(rule, str):
        return rule
    if rule[0] == "not":
        return "~" + bracketed(rule[1])
    return {"and": "&", "or": "|"}[rule[0]].join(bracketed(part) for part in rule[1:])


def bracketed(rule):
    return written(rule) if isinstance(rule, str) or rule[0] == "not" else f"({written(rule)})"


def shortened(rule):
    if isinstance(rule, str):
        return rule
    if rule[0] == "not":
        inside = shortened(rule[1])
        return inside[1] if isinstance(inside, list) and inside[0] == "not" else ["not", inside]
    parts = []
    for part in map(shortened, rule[1:]):
        for one in part[1:] if isinstance(part, list) and part[0] == rule[0] else [part]:
            if one not in parts:
                parts.append(one)
    return parts[0] if len(parts) == 1 else [rule[0], *sorted(parts, key=written)]


def names(rule):
    if isinstance(rule, str):
        return [rule]
    return [name for part in rule[1:] for name in names(part)]


def holds(rule, facts):
    if isinstance(rule, str):
        return bool(facts.get(rule, False))
    answers = [holds(part, facts) for part in rule[1:]]
    return not answers[0] if rule[0] == "not" else (all if rule[0] == "and" else any)(answers)
