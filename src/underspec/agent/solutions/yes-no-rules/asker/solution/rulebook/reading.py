"""From text to rules."""

from rulebook.settings import told
from rulebook.tree import Fixed, Group, Name, Not, group


class Fault(Exception):
    def __init__(self, category, **details):
        super().__init__(category)
        self.category, self.details = category, details


FEW = {"&": "and", "|": "or", "~": "not", "(": "open", ")": "close"}
MORE = {"*": "and", "+": "or", "!": "not", "[": "open", "]": "close"}
JOINTS = ("and", "or")


def known_word(word):
    if not told("reading.words"):
        return word if word in ("and", "or", "not") else Name(word)
    lowered = word.lower()
    if lowered in ("and", "or", "not"):
        return lowered
    if lowered in ("1", "true"):
        return Fixed(1)
    return Fixed(0) if lowered in ("0", "false", "none") else Name(word)


def pieces(text, characters):
    signs = {**FEW, **MORE} if told("reading.signs") else FEW
    at = 0
    while at < len(text):
        first = text[at]
        if first.isalnum() or first == "_":
            start = at
            while at + 1 < len(text) and (text[at + 1].isalnum() or text[at + 1] in characters):
                at += 1
            word = text[start : at + 1]
            yield known_word(word), word, at
        elif first in signs:
            yield signs[first], first, at
        elif first not in " \t\r\n":
            raise fault("unknown_character", first, at)
        at += 1


def fault(category, part, at):
    if not told("errors.place"):
        return Fault(category, at=at + 1)
    return Fault(category, at=at, part=part)


def checked(text, characters):
    found, last, depth = [], None, 0
    for what, part, at in pieces(text, characters):
        operand = not isinstance(what, str)
        if operand and last is not None and not isinstance(last, str):
            raise fault("names_side_by_side", part, at)
        if (what in JOINTS and (last is None or last in JOINTS)) or (what == "close" and last in JOINTS):
            raise fault("misplaced_connective", part, at)
        if what == "open" and last is not None and (not isinstance(last, str) or last == "close"):
            raise fault("misplaced_bracket", part, at)
        if what == "close":
            if last in ("open", "not"):
                raise Fault("incomplete_rule")
            depth -= 1
            if depth < 0:
                raise fault("closing_bracket", part, at)
        depth += what == "open"
        found.append(what)
        last = what
    return found


class Reader:
    def __init__(self, text, characters):
        try:
            self.waiting = checked(text, characters)
        except Fault:
            if told("reading.faults"):
                raise
            raise Fault("incomplete_rule") from None

    def rule(self):
        found = self.joined()
        if self.waiting:
            raise Fault("incomplete_rule")
        return found

    def joined(self):
        if told("reading.precedence"):
            return self.chain("or", lambda: self.chain("and", self.single))
        found = self.single()
        while self.waiting and self.waiting[0] in JOINTS:
            kind = self.waiting.pop(0)
            found = Group(kind, (found, self.single()))
        return found

    def chain(self, kind, part):
        parts = [part()]
        while self.waiting and self.waiting[0] == kind:
            self.waiting.pop(0)
            parts.append(part())
        return group(kind, parts)

    def single(self):
        what = self.waiting.pop(0) if self.waiting else None
        if isinstance(what, (Name, Fixed)):
            return what
        if what == "not":
            return Not(self.single())
        if what == "open":
            found = self.joined()
            if self.waiting and self.waiting.pop(0) == "close":
                return found
        raise Fault("incomplete_rule")
