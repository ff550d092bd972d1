"""From JSON requests to lines."""

import json
import re
from collections.abc import Callable

from labels import classes, filling, places, serials

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class BadRequest(Exception):
    """The request has not the shape that its action needs."""


class UnknownAction(Exception):
    """There is no such action."""


_WORDS = {BadRequest: "bad_request", UnknownAction: "unknown_action", places.OutOfRange: "out_of_range"}


def _text(request: dict, name: str = "text", most: int = 2000, standard: str | None = None) -> str:
    value = request.get(name)
    value = standard if value is None else value
    if not isinstance(value, str) or len(value) > most or _CONTROL.search(value):
        raise BadRequest
    return value


def _number(request: dict, name: str, least: int, most: int, standard: int | None = None) -> int:
    value = request.get(name)
    value = standard if value is None else value
    if type(value) is not int or not least <= value <= most:
        raise BadRequest
    return value


def _place(request: dict, name: str, standard: int | None = None) -> int:
    return _number(request, name, -1_000_000, 1_000_000, standard)


def _line(name: str, text: str) -> str:
    shown = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    return f"{name}={shown}\n"


def _class(request: dict) -> classes.Class:
    return classes.read(_text(request, "class", 100))


def _count(request: dict) -> str:
    return f"count={classes.count(_text(request), _class(request))}\n"


def _delete(request: dict) -> str:
    return _line("text", classes.replace(_text(request), _class(request), ""))


def _squeeze(request: dict) -> str:
    text, written = _text(request), _text(request, "class", 100, "")
    return _line("text", classes.squeeze(text, classes.read(written or "^")))


def _mask(request: dict) -> str:
    text, inside, sign = _text(request), _class(request), _text(request, "with", 1)
    if not sign:
        raise BadRequest
    return _line("text", classes.replace(text, inside, sign))


def _next(request: dict) -> str:
    text = _text(request)
    if not re.fullmatch("[ -~]*", text):
        raise BadRequest
    return _line("text", serials.following(text))


def _justify(request: dict) -> str:
    text, side = _text(request), request.get("side")
    length, fill = _number(request, "length", 0, 1000), _text(request, "fill", 20, " ")
    if not isinstance(side, str) or side not in ("left", "right", "middle"):
        raise BadRequest
    return _line("text", filling.justify(text, side, length, fill))


def _tabs(request: dict) -> str:
    return _line("text", filling.tabs(_text(request), _number(request, "size", 1, 100, 8)))


def _width(request: dict) -> str:
    return f"width={filling.width(_text(request))}\n"


def _cut(request: dict) -> str:
    return _line("text", places.cut(_text(request), _place(request, "start"), _place(request, "end", -1)))


def _insert(request: dict) -> str:
    return _line("text", places.insert(_text(request), _text(request, "piece"), _place(request, "at")))


def _split(request: dict) -> str:
    text, mark, last = _text(request), _text(request, "mark", 100), request.get("last")
    if last is not None and not isinstance(last, bool):
        raise BadRequest
    return "".join(map(_line, ("head", "match", "tail"), places.split(text, mark, bool(last))))


def _words(request: dict) -> str:
    found = places.words(_text(request))
    return f"count={len(found)}\n" + "".join(_line("word", word) for word in found)


_ACTIONS: dict[str, Callable[[dict], str]] = {
    "count": _count,
    "delete": _delete,
    "squeeze": _squeeze,
    "mask": _mask,
    "next": _next,
    "justify": _justify,
    "tabs": _tabs,
    "width": _width,
    "cut": _cut,
    "insert": _insert,
    "split": _split,
    "words": _words,
}


def respond(text: str) -> str:
    """Answer one request."""
    try:
        try:
            request = json.loads(text)
        except ValueError as problem:
            raise BadRequest from problem
        if not isinstance(request, dict):
            raise BadRequest
        action = request.get("action")
        if not isinstance(action, str) or action not in _ACTIONS:
            raise UnknownAction
        return _ACTIONS[action](request)
    except tuple(_WORDS) as failure:
        return f"error={_WORDS[type(failure)]}\n"
