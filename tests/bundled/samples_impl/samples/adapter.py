"""From JSON requests to lines."""

import json
import re

from samples.failures import BadMoment, NoMeaning
from samples.moments import moment
from samples.sample import understand
from samples.writing import write

_CONTROL = re.compile("[\x00-\x1f\x7f]")


class BadRequest(Exception):
    """The request has not the shape that its action needs."""


class UnknownAction(Exception):
    """There is no such action."""


_WORDS = {
    BadRequest: "bad_request",
    UnknownAction: "unknown_action",
    BadMoment: "bad_moment",
    NoMeaning: "no_meaning",
}


def _sample(request: dict) -> str:
    text = request.get("sample")
    if not isinstance(text, str) or len(text) > 200 or _CONTROL.search(text):
        raise BadRequest
    return text


def _write(request: dict) -> str:
    sample, at = _sample(request), request.get("at")
    if not isinstance(at, str):
        raise BadRequest
    when = moment(at)
    return f"text={write(understand(sample), when)}\n"


def _list(request: dict) -> str:
    sample, at = _sample(request), request.get("at")
    if not isinstance(at, list) or len(at) > 100 or not all(isinstance(one, str) for one in at):
        raise BadRequest
    moments = [moment(one) for one in at]
    texts = [write(understand(sample), when) for when in moments]
    return f"count={len(texts)}\n" + "".join(f"text={text}\n" for text in texts)


def _fields(request: dict) -> str:
    found = [choice[0] for piece in understand(_sample(request)) for choice in piece.choices]
    return f"fields={' '.join(name for name in found if name != 'half') or 'none'}\n"


_ACTIONS = {"write": _write, "list": _list, "fields": _fields}


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
