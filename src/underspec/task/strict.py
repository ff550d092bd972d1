"""JSON and TOML as a task may hold them: nothing ambiguous, nothing lossy, every problem with its place."""

from __future__ import annotations

import datetime
import json
import math
import re
import tomllib
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from underspec.task.finding import Report, error

MAX_DEPTH = 100
MAX_FINDINGS_PER_FILE = 20

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]

_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_PLAIN_KEY = re.compile(r"\w{1,60}", re.ASCII)
_DATES = (datetime.date, datetime.time)
_TYPE_WORDS = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", int: "a number"}


DAMAGED = object()
"""What :func:`read_document` returns when there is no document (``null`` is one)."""


def json_path(location: Location) -> str:
    """A JSON path that is safe to print: ``$.cases[3].input``, odd keys as ``["..."]``, long ones cut."""
    path = "$"
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            path += f".{part}"
        else:
            path += f"[{quoted(part)}]"
    return path


def quoted(text: str) -> str:
    """Somebody else's text in quotes, cut and escaped, so that it can stand in a message."""
    return json.dumps(text if len(text) <= 60 else text[:57] + "...")


class _Repeated(dict[str, Any]):
    """An object in which ``key`` stands twice."""

    key = ""


class _Unrepresentable(str):
    """A number that JSON has no place for (NaN, Infinity, 1e999)."""

    __slots__ = ()


class _Reader:
    """Parses one JSON text. ``odd`` says afterwards whether anything was met that a task may not hold."""

    def __init__(self) -> None:
        self.odd = False

    def read(self, text: str) -> Any:
        self.odd = _SURROGATE_ESCAPE.search(text) is not None
        document = json.loads(
            text, object_pairs_hook=self._object, parse_float=self._number, parse_constant=self._constant
        )
        self.odd = self.odd or _is_deep(document)
        return document

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) == len(pairs):
            return built
        self.odd = True
        seen: set[str] = set()
        repeated = _Repeated(built)
        for key, _ in pairs:
            if key in seen:
                repeated.key = key
                break
            seen.add(key)
        return repeated

    def _number(self, text: str) -> float | _Unrepresentable:
        value = float(text)
        return value if math.isfinite(value) else self._constant(text)

    def _constant(self, text: str) -> _Unrepresentable:
        self.odd = True
        return _Unrepresentable(text)


def _is_deep(document: Any) -> bool:
    """Whether lists and objects may be nested too deep; looks at those alone, a whole depth at once."""
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
    return bool(level)


def _problems(document: Any) -> Iterator[tuple[Location, str, str]]:
    """Places, messages and mends of everything in a parsed document that a task may not hold."""
    waiting: list[tuple[Location, Any]] = [((), document)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, _Unrepresentable) or (isinstance(value, float) and not math.isfinite(value)):
            yield place, f"{str(value)[:40]} is no number that JSON can hold", "use a finite number or a string"
        elif isinstance(value, str) and _SURROGATE.search(value):
            yield place, "the text holds half of a surrogate pair", "write valid Unicode"
        elif isinstance(value, _DATES):
            yield place, "is a date, not a string", "put it in quotes"
        elif isinstance(value, dict | list):
            if len(place) >= MAX_DEPTH:
                yield place[:5], f"is nested more than {MAX_DEPTH} deep", "flatten it"
                continue
            if isinstance(value, _Repeated):
                yield (*place, value.key), "the key stands twice in one object", "keep one of the two"
            children = value.items() if isinstance(value, dict) else enumerate(value)
            waiting.extend(reversed([((*place, key), child) for key, child in children]))
            if isinstance(value, dict):
                for key in value:
                    if _SURROGATE.search(key):
                        yield place, "a key holds half of a surrogate pair", "write valid Unicode"


def read_text(data: bytes, file: str, report: Report) -> str | None:
    """Decode UTF-8 text without a byte order mark; None, and a report, when it is not."""
    if data.startswith(_BOM):
        report(error(file, "begins with a byte order mark", mend="save it as UTF-8 without a byte order mark"))
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        where = f"byte {problem.start}"
        report(error(file, "is not UTF-8 text", where=where, mend="save it as UTF-8; binary files do not belong here"))
        return None
    if "\x00" in text:
        where = f"byte {data.index(0)}"
        report(error(file, "is binary (it holds a NUL byte)", where=where, mend="save it as UTF-8 text"))
        return None
    return text


def read_document(data: bytes, file: str, report: Report) -> Any:
    """Parse JSON, or TOML when the name ends so. :data:`DAMAGED`, and reports, when it is damaged or ambiguous."""
    text = read_text(data, file, report)
    if text is None:
        return DAMAGED
    is_toml = file.endswith(".toml")
    reader = _Reader()
    try:
        document = tomllib.loads(text) if is_toml else reader.read(text)
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        report(error(file, f"is not JSON: {problem.msg}", where=where, mend="correct the syntax there"))
        return DAMAGED
    except tomllib.TOMLDecodeError as problem:
        report(error(file, f"is not TOML: {problem}", mend="correct the syntax there"))
        return DAMAGED
    except RecursionError:
        report(error(file, f"is nested more than {MAX_DEPTH} deep", mend="flatten it"))
        return DAMAGED
    except ValueError:
        # What is left is the interpreter's refusal of integers of more than some thousand digits.
        report(error(file, "holds a number with too many digits", mend="write such a number as a string"))
        return DAMAGED
    if not is_toml and not reader.odd:
        return document
    found = False
    for count, (place, message, mend) in enumerate(_problems(document)):
        if count == MAX_FINDINGS_PER_FILE:
            break
        found = True
        report(error(file, message, where=json_path(place), mend=mend))
    return DAMAGED if found else document


def _say(problem: Any) -> tuple[str, str]:
    """Message and mend for one problem that pydantic found, in words for a task's author."""
    kind, field = problem["type"], quoted(str(problem["loc"][-1] if problem["loc"] else "the file"))
    was = _TYPE_WORDS.get(type(problem["input"]), "something else") if problem["input"] is not None else "null"
    match kind:
        case "missing":
            return f"{field} is missing", "add it"
        case "extra_forbidden":
            return f"{field} is no field that belongs here", "remove it, or correct its spelling"
        case "string_type":
            return f"must be a string, not {was}", "write it in quotes"
        case "model_type" | "model_attributes_type" | "dict_type":
            return f"must be an object, not {was}", "see the shape of this file in the documentation"
        case "tuple_type" | "list_type":
            return f"must be a list, not {was}", "put it in square brackets"
        case "too_short" | "string_too_short":
            return "must not be empty", "write at least one"
        case _:
            return str(problem["msg"]).removeprefix("Value error, "), "correct the value"


def read_model(model: type[Model], data: bytes, file: str, report: Report) -> Model | None:
    """Parse a file into ``model``. None, and reports with JSON paths, when it is damaged or of another shape."""
    document = read_document(data, file, report)
    if document is DAMAGED:
        return None
    try:
        # JSON mode even for TOML: it is the mode in which strict models take lists for tuples.
        return model.model_validate_json(data if not file.endswith(".toml") else json.dumps(document))
    except ValidationError as invalid:
        for problem in invalid.errors(include_url=False)[:MAX_FINDINGS_PER_FILE]:
            message, mend = _say(problem)
            report(error(file, message, where=json_path(problem["loc"]), mend=mend))
        return None


def strings_of(document: Any) -> str:
    """All keys and strings of a JSON value, a line each: its text without escapes, for searching."""
    found: list[str] = []
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            waiting.extend([*value.keys(), *value.values()])
        elif isinstance(value, list | tuple):
            waiting.extend(value)
    return "\n".join(found)
