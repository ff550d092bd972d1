"""From what a query found in one file to definitions with owners and namespaces: one pass over sorted regions.

Labels that a query gives (``queries/*.scm``):

===================  ==================================================================================================
``class``            a class-like: class, struct, interface, trait, protocol, record, enum, mixin, extension
``class.implied``    a class-like if a method of the tree has it as owner (Go's defined types, old constructors)
``module``           Ruby's: a namespace, and a class-like when it has methods itself
``owner``            what a region's methods belong to without being one of these (Rust's ``impl``)
``anonymous``        a class without a name: what it holds is nobody's, and left out
``method``           a named function, method, accessor or constructor
``namespace``        a region with a namespace; ``namespace.rest`` holds from there to the file's end
``attribute``        Rust's; ``#[cfg(test)]`` and ``#[test]`` take the item that follows out of the count
===================  ==================================================================================================

``.outer``: only outside of other functions. ``.member``: only as constructor of the class around it.
``.constructor``: one, when it is named like its class. Imports nothing heavy: each worker process loads this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_OWNERS = 8  # of an owner chain the innermost; hostile nesting must not make names quadratic
MOST_CHARACTERS = 200

_TEST_ATTRIBUTE = re.compile(
    rb"#!?\[\s*(?:cfg\s*\(\s*(?:all\s*\(\s*)?test\b|(?:\w+::)*(?:test|bench)\b|rstest\b|test_case\b)"
)
_OPERATOR = re.compile(r"\boperator\s*(\[\]=?|\(\)|[^\s\w(]+|.*?)\s*(?:\(|$)", re.DOTALL)
_CLASSLIKE = ("class", "module", "owner", "anonymous")


@dataclass(frozen=True)
class Found:
    """One match: the region's bytes, its label, its own name and its owner as they stand in the text."""

    start: int
    end: int
    label: str
    order: int = 0
    name: str = ""
    receiver: str = ""
    weak: bool = False
    forced: bool = False


@dataclass
class Definitions:
    """What one file defines.

    A class is ``(namespace, owner, name, implied)``, a method ``(namespace, owner, name, constructor, implies)``;
    namespaces and owners are dotted. ``ignored`` are byte ranges that count for nothing.
    """

    classes: list[tuple[str, str, str, bool]] = field(default_factory=list)
    methods: list[tuple[str, str, str, bool, bool]] = field(default_factory=list)
    namespaces: list[str] = field(default_factory=list)
    ignored: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Frame:
    end: int
    kind: str
    chain: tuple[str, ...]  # owners of what is defined in it
    through: tuple[str, ...]  # owners of classes in it
    namespace: tuple[str, ...]
    defines: bool = False
    divides: bool = False
    weak: bool = False


@dataclass
class _TestMark:
    """A test attribute, and how far it reaches: over white space, comments and further attributes to an item."""

    data: bytes
    start: int = -1
    end: int = -1

    def reaches(self, place: int) -> bool:
        if self.end < 0:
            return False
        if self.data[self.end : place].strip():
            self.end = -1  # something stands between; asking again must not read it again
        return self.end >= 0


def split_name(text: str) -> tuple[tuple[str, ...], str]:
    """``a::Foo<T>::bar`` to ``(("a", "Foo"), "bar")``, ``operator bool() const`` to ``((), "operator bool")``."""
    if text.isidentifier():
        return (), text
    prefix, found, _ = text.partition("operator")
    if found and (not prefix or not (prefix[-1].isalnum() or prefix[-1] == "_")) and (match := _OPERATOR.search(text)):
        parts, name = _parts(prefix), "operator " + match[1] if match[1][:1].isalnum() else "operator" + match[1]
        return tuple(part for part in parts if part), " ".join(name.split())
    parts = [part for part in _parts(text) if part]
    return (tuple(parts[:-1]), parts[-1]) if parts else ((), text)


def _parts(text: str) -> list[str]:
    plain, depth = [], 0
    for piece in re.split(r"([<>])", text):
        depth += (piece == "<") - (piece == ">")
        if depth == 0 and piece != ">":
            plain.append(piece)
    return [part.strip() for part in "".join(plain).split("::")]


def type_name(text: str) -> str:
    """The bare name of the type that a receiver or an ``impl`` names: ``(s *Stack[T])`` is ``Stack``."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    if text.startswith("["):
        return text
    text = re.split(r"[<\[+(]", text, maxsplit=1)[0].strip()
    words = text.split()
    last = words[-1].strip("*&?") if words else ""
    return re.split(r"::|\.|\\", last)[-1] or text


def read_definitions(found: Sequence[Found], data: bytes) -> Definitions:
    """Definitions of one file; linear in the number of matches, without recursion."""
    result = Definitions()
    regions: set[tuple[int, int]] = set()
    stack: list[_Frame] = []
    base = _Frame(len(data) + 1, "file", (), (), ())
    functions = 0
    skip_to = -1
    mark = _TestMark(data)

    def close(frame: _Frame) -> None:
        if frame.kind in ("namespace", "module") and (frame.defines or not frame.divides):
            result.namespaces.append(".".join(frame.namespace))

    for one in sorted(found, key=lambda one: (one.start, -one.end, one.order)):
        while stack and stack[-1].end <= one.start:
            frame = stack.pop()
            functions -= frame.kind == "method"
            close(frame)
        label, _, kind = one.label.partition(".")
        if one.start < skip_to:
            continue
        if label == "comment":
            if mark.reaches(one.start):
                mark.end = one.end
            continue
        if label == "attribute":
            tests = _TEST_ATTRIBUTE.match(data, one.start, min(one.end, one.start + 200)) is not None
            if kind == "inner":
                if tests and not stack:
                    return Definitions(ignored=[(0, len(data))])
            elif mark.reaches(one.start):
                mark.end = one.end
            elif tests:
                mark.start, mark.end = one.start, one.end
            continue
        if mark.reaches(one.start):
            result.ignored.append((mark.start, one.end))
            mark.end, skip_to = -1, one.end
            continue
        place = stack[-1] if stack else base
        if kind == "implied":
            if (one.start, one.end) in regions:
                continue
            result.classes.append(
                (".".join(place.namespace), ".".join(place.through), one.name[:MOST_CHARACTERS], True)
            )
            continue
        if (one.start, one.end) in regions or (kind == "outer" and functions):
            continue
        if label == "namespace":
            parts = tuple(part for part in re.split(r"::|[.\\\s]+", one.name) if part)
            if kind == "rest":
                base.namespace = parts
                result.namespaces.append(".".join(parts))
                continue
            place.divides = True
            stack.append(_Frame(one.end, "namespace", place.chain, place.through, (place.namespace + parts)[-16:]))
            continue
        if label in _CLASSLIKE:
            regions.add((one.start, one.end))
            stack.append(_open_class(one, label, place, result))
            continue
        # A method. What is defined in a class without a name belongs to nobody.
        if place.kind == "anonymous" or (functions and _inside_anonymous(stack)):
            continue
        regions.add((one.start, one.end))
        method = _method(one, kind, place)
        if method is None:
            continue
        place.defines = True
        result.methods.append(method)
        stack.append(_Frame(one.end, "method", place.chain, place.through, place.namespace, weak=place.weak))
        functions += 1
    for frame in reversed(stack):
        close(frame)
    return result


def _inside_anonymous(stack: Sequence[_Frame]) -> bool:
    return next((frame.kind == "anonymous" for frame in reversed(stack) if frame.kind != "method"), False)


def _open_class(one: Found, label: str, place: _Frame, result: Definitions) -> _Frame:
    if label == "anonymous":
        return _Frame(one.end, "anonymous", (), (), place.namespace)
    if label == "owner":
        chain = (*place.through, type_name(one.name)[:MOST_CHARACTERS])[-MOST_OWNERS:]
        return _Frame(one.end, "owner", chain, chain, place.namespace, weak=one.weak)
    scope, name = split_name(one.name)
    name = name[:MOST_CHARACTERS]
    place.defines = place.defines or label == "class"
    if label == "module":
        place.divides = True
        namespace = (*place.namespace, *scope, name)[-16:]
        chain = (*place.through, name)[-MOST_OWNERS:]
        result.classes.append((".".join(place.namespace + scope), ".".join(place.through), name, True))
        return _Frame(one.end, "module", chain, place.through, namespace)
    # `class ::A::B` in Ruby, `struct Foo::Node {` in C++: what stands before is taken for namespaces.
    namespace = (place.namespace + scope)[-16:]
    result.classes.append((".".join(namespace), ".".join(place.through), name, False))
    chain = (*place.through, name)[-MOST_OWNERS:]
    return _Frame(one.end, "class", chain, chain, namespace)


def _method(one: Found, kind: str, place: _Frame) -> tuple[str, str, str, bool, bool] | None:
    scope, name = split_name(one.name)
    owner = place.chain or scope
    if one.receiver and not place.chain:
        receiver = type_name(one.receiver)
        owner = () if receiver in ("exports", "self", "this", "window", "globalThis") else (receiver,)
    constructor = one.forced or bool(owner and name == owner[-1] and kind in ("constructor", "member", ""))
    if kind == "member" and not constructor:
        return None
    owner = tuple(part[:MOST_CHARACTERS] for part in owner[-MOST_OWNERS:])
    namespace = ".".join(place.namespace)
    return namespace, ".".join(owner), name[:MOST_CHARACTERS], constructor, not (one.weak or place.weak)
