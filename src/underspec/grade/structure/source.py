"""Reads one source file: its definitions, its lines of code and its parse errors. Runs in a worker process."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from tree_sitter import Language, Parser, Query, QueryCursor, Tree
from tree_sitter_language_pack import get_language

from underspec.grade.structure.content import is_generated, read_content
from underspec.grade.structure.definitions import Found, read_definitions
from underspec.grade.structure.macros import without_export_macros, without_macros

_QUERIES = Path(__file__).parent / "queries"
_ERRORS = "\n(ERROR) @error\n(MISSING) @error\n"
_NAMES = ("name", "receiver")


@lru_cache
def _tools(grammar: str, query: str) -> tuple[Parser, Query]:
    language: Language = get_language(grammar)  # type: ignore[arg-type]
    return Parser(language), Query(language, (_QUERIES / f"{query}.scm").read_text("utf-8") + _ERRORS)


def read_source(path: str, grammar: str, query: str) -> dict[str, Any]:
    """What stands in one file, as plain JSON: ``loc``, ``errors``, ``classes``, ``methods``, ``namespaces``.

    Or ``{"excluded": reason}`` for a file that is no source for us: ``unreadable``, ``not_regular``, ``too_large``,
    ``binary`` or ``generated``.
    """
    data = read_content(path)
    if isinstance(data, str):
        return {"excluded": data}
    if is_generated(data, grammar):
        return {"excluded": "generated"}
    return read_text(data, grammar, query)


def read_text(data: bytes, grammar: str, query: str) -> dict[str, Any]:
    """:func:`read_source` for text in memory."""
    parser, compiled = _tools(grammar, query)
    text, tree = _parsed(parser, compiled, data) if grammar == "cpp" else (data, parser.parse(data))
    found: list[Found] = []
    comments: list[tuple[int, int]] = []
    errors = 0
    for pattern, captures in QueryCursor(compiled).matches(tree.root_node):
        label = next(name for name in captures if name not in _NAMES and not name.startswith("_"))
        node = captures[label][0]
        if label == "comment":
            comments.append((node.start_byte, node.end_byte))
            if grammar != "rust":
                continue
        elif label == "error":
            errors += 1
            continue
        settings = compiled.pattern_settings(pattern)
        name = settings.get("name") or _text(text, captures.get("name"))
        found.append(
            Found(
                node.start_byte,
                node.end_byte,
                label,
                pattern,
                _unquoted((settings.get("prefix") or "") + name),
                _text(text, captures.get("receiver")),
                "weak" in settings,
                label == "method.constructor" and "name" in settings,
            )
        )
    definitions = read_definitions(found, text)
    return {
        "loc": code_lines(data, [*comments, *definitions.ignored]),
        "errors": errors,
        "classes": definitions.classes,
        "methods": definitions.methods,
        "namespaces": definitions.namespaces,
    }


def _parsed(parser: Parser, query: Query, data: bytes) -> tuple[bytes, Tree]:
    """C++ text as it was parsed, with its tree: macros blanked where that mends more than it breaks."""
    plain = without_export_macros(data)
    tree = parser.parse(plain)
    if not tree.root_node.has_error:
        return plain, tree
    mended = without_macros(plain)
    other = parser.parse(mended)
    return (mended, other) if _errors(query, other) < _errors(query, tree) else (plain, tree)


def _errors(query: Query, tree: Tree) -> int:
    return len(QueryCursor(query).captures(tree.root_node).get("error", []))


def _text(data: bytes, nodes: list[Any] | None) -> str:
    return data[nodes[0].start_byte : nodes[0].end_byte].decode("utf-8", "backslashreplace") if nodes else ""


def _unquoted(name: str) -> str:
    """``foo`` of ``['foo']``, ``"foo"`` and Kotlin's backticks."""
    if name[:1] == "[" and name[-1:] == "]" and name[1:2] in ("'", '"'):
        name = name[1:-1]
    return name[1:-1] if len(name) > 2 and name[0] in "'\"`" and name[-1] == name[0] else name


def code_lines(data: bytes, without: Iterable[tuple[int, int]]) -> int:
    """Lines that hold more than white space once the byte ranges ``without`` are taken out."""
    pieces, place = [], 0
    for start, end in sorted(without):
        if end <= place:
            continue
        start = max(start, place)
        pieces.append(data[place:start])
        pieces.append(b"\n" * data.count(b"\n", start, end))
        place = end
    pieces.append(data[place:])
    return sum(map(bool, map(bytes.strip, b"".join(pieces).splitlines())))
