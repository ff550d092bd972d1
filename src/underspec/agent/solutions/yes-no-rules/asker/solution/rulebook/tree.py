"""Rules as values that cannot change, and how they are written."""

from dataclasses import dataclass

from rulebook.settings import told


@dataclass(frozen=True)
class Fixed:
    value: int


@dataclass(frozen=True)
class Name:
    text: str


@dataclass(frozen=True)
class Not:
    of: object


@dataclass(frozen=True)
class Group:
    kind: str
    parts: tuple


OTHER = {"and": "or", "or": "and"}
NEUTRAL = {"and": Fixed(1), "or": Fixed(0)}
RULING = {"and": Fixed(0), "or": Fixed(1)}
SIGN = {"and": "&", "or": "|"}


def group(kind, parts):
    parts = tuple(parts)
    return parts[0] if len(parts) == 1 else Group(kind, parts)


def bare(rule):
    return isinstance(rule, Name) or (isinstance(rule, Not) and isinstance(rule.of, Name))


def below(rule):
    if isinstance(rule, Not):
        return (rule.of,)
    return rule.parts if isinstance(rule, Group) else ()


def with_parts(rule, parts):
    if isinstance(rule, Not):
        return Not(parts[0])
    return Group(rule.kind, tuple(parts)) if isinstance(rule, Group) else rule


def written(rule):
    if isinstance(rule, Fixed):
        return str(rule.value)
    if isinstance(rule, Name):
        return rule.text
    if isinstance(rule, Not):
        return f"~{rule.of.text}" if isinstance(rule.of, Name) else f"~({written(rule.of)})"
    sign = SIGN[rule.kind]
    if not told("writing.form"):
        return sign.join(f"({written(part)})" if isinstance(part, Group) else written(part) for part in rule.parts)
    return sign.join(written(part) if bare(part) else f"({written(part)})" for part in rule.parts)
