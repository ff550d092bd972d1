"""From JSON requests to a line."""

import json
from typing import Any

from tree.boxes import Box, boxed, plain
from tree.changes import append, put, remove
from tree.failures import BadPath, Blocked, NoPath, NotMap
from tree.merging import merge
from tree.paths import find, part


class BadRequest(Exception):
    """The request has not the shape that its action needs."""


class UnknownAction(Exception):
    """There is no such action."""


_WORDS = {
    BadRequest: "bad_request",
    UnknownAction: "unknown_action",
    BadPath: "bad_path",
    NoPath: "no_path",
    Blocked: "blocked",
    NotMap: "not_map",
}
_CHANGES = {"set": put, "append": append, "remove": remove}


def _fraction(text: str) -> Any:
    raise BadRequest


def _typed(request: dict, name: str, *kinds: type) -> Any:
    value = request.get(name)
    if not isinstance(value, kinds):
        raise BadRequest
    return value


def _tree(request: dict, name: str = "data") -> Box:
    return boxed(_typed(request, name, dict, list))


def _json(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def _arguments(verb: str, request: dict) -> list[Any]:
    path = _typed(request, "path", str)
    if verb == "remove":
        return [path]
    if "value" not in request:
        raise BadRequest
    return [path, boxed(request["value"])]


def _run(steps: list[tuple[str, list[Any]]], tree: Box) -> str:
    for verb, arguments in steps:
        _CHANGES[verb](tree, *arguments)
    return f"data={_json(tree)}\n"


def _change(request: dict) -> str:
    tree = _tree(request)
    return _run([(request["action"], _arguments(request["action"], request))], tree)


def _script(request: dict) -> str:
    tree = _tree(request)
    steps = []
    for step in _typed(request, "steps", list):
        if not isinstance(step, dict) or not isinstance(step.get("do"), str) or step["do"] not in _CHANGES:
            raise BadRequest
        steps.append((step["do"], _arguments(step["do"], step)))
    return _run(steps, tree)


def _get(request: dict) -> str:
    tree, path, default = _tree(request), _typed(request, "path", str), boxed(request.get("default"))
    try:
        value = find(tree, path)
    except NoPath:
        if default is None:
            raise
        value = None
    return f"value={_json(default if value is None else value)}\n"


def _has(request: dict) -> str:
    tree, path = _tree(request), _typed(request, "path", str)
    try:
        find(tree, path)
    except NoPath:
        return "has=no\n"
    return "has=yes\n"


def _part(request: dict) -> str:
    return f"data={_json(part(_tree(request), _typed(request, 'path', str)))}\n"


def _merge(request: dict) -> str:
    tree, other = _tree(request), _tree(request, "other")
    mode = request.get("mode")
    mode = "replace" if mode is None else mode
    if not isinstance(mode, str) or mode not in ("replace", "preserve", "join"):
        raise BadRequest
    return f"data={_json(merge(tree, other, mode))}\n"


_ACTIONS = {
    "get": _get,
    "has": _has,
    "part": _part,
    "merge": _merge,
    "script": _script,
    **dict.fromkeys(_CHANGES, _change),
}


def respond(text: str) -> str:
    """Answer one request."""
    try:
        try:
            request = json.loads(text, parse_float=float)
        except ValueError as problem:
            raise BadRequest from problem
        if not isinstance(request, dict):
            raise BadRequest
        action = request.get("action")
        if not isinstance(action, str) or action not in _ACTIONS:
            raise UnknownAction
        json.loads(text, parse_float=_fraction)
        return _ACTIONS[action](request)
    except tuple(_WORDS) as failure:
        return f"error={_WORDS[type(failure)]}\n"
