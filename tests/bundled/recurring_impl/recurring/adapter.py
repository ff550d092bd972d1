"""JSON requests in, lines out (section 3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from . import failures, search
from .lines import Line, read_line
from .moments import read_clock, read_moment, written

Request = dict[str, Any]


class BadRequest(Exception):
    """The shape is wrong."""


WORDS: dict[type[Exception], str] = {
    BadRequest: "bad_request",
    failures.PartCount: "part_count",
    failures.BadPiece: "bad_piece",
    failures.OutOfRange: "out_of_range",
    failures.BadRange: "bad_range",
    failures.BadOrdinal: "bad_ordinal",
    failures.WideStep: "wide_step",
    failures.BadOffset: "bad_offset",
    failures.BadTime: "bad_time",
}


def _is_whole(content: object) -> bool:
    return not isinstance(content, bool) and (
        isinstance(content, int) or (isinstance(content, float) and content.is_integer())
    )


def _text(request: Request, name: str) -> str:
    content = request.get(name)
    if not isinstance(content, str):
        raise BadRequest
    return content


def _whole(content: object, least: int, most: int) -> int:
    if not _is_whole(content) or not least <= content <= most:  # type: ignore[operator]
        raise BadRequest
    return int(content)  # type: ignore[call-overload, no-any-return]


def _offset(request: Request) -> int | str:
    content = request.get("offset")
    if content is None:
        return 0
    if isinstance(content, str):
        return content
    if not _is_whole(content):
        raise BadRequest
    return int(content)


def _check(request: Request) -> list[str]:
    text, strict = _text(request, "line"), request.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise BadRequest
    read_line(text, strict=bool(strict))
    return ["valid=yes"]


def _expand(request: Request) -> list[str]:
    text, part = _text(request, "line"), _text(request, "part")
    if part not in ("second", "minute", "hour", "month"):
        raise BadRequest
    return ["values=" + " ".join(map(str, read_line(text).values(part)))]


def _days(request: Request) -> list[str]:
    text = _text(request, "line")
    year, month = _whole(request.get("year"), 1970, 9999), _whole(request.get("month"), 1, 12)
    return ["days=" + (" ".join(map(str, search.due_days(read_line(text), year, month))) or "none")]


def _timed(request: Request, name: str) -> Callable[[], tuple[Line, int, int]]:
    """Shapes first; what they mean only when the whole request has been looked at."""
    text, moment, offset = _text(request, "line"), _text(request, name), _offset(request)

    def meant() -> tuple[Line, int, int]:
        line = read_line(text)
        ahead = read_clock(offset)
        return line, read_moment(moment), ahead

    return meant


def _next(request: Request) -> list[str]:
    found = search.first_after(*_timed(request, "after")())
    return [f"time={'none' if found is None else written(found)}"]


def _list(request: Request) -> list[str]:
    meant, count = _timed(request, "after"), request.get("count")
    wanted = 5 if count is None else _whole(count, 0, 1000)
    found = search.several_after(*meant(), wanted)
    return [f"count={len(found)}", *(f"time={written(moment)}" for moment in found)]


def _match(request: Request) -> list[str]:
    return [f"match={'yes' if search.matches(*_timed(request, 'at')()) else 'no'}"]


def _warnings(request: Request) -> list[str]:
    found = read_line(_text(request, "line")).warned()
    return [f"count={len(found)}", *(f"warning={each.text} step={each.step} span={each.span}" for each in found)]


ACTIONS: dict[str, Callable[[Request], list[str]]] = {
    "check": _check,
    "expand": _expand,
    "days": _days,
    "next": _next,
    "list": _list,
    "match": _match,
    "warnings": _warnings,
}


def respond(text: str) -> str:
    try:
        request = json.loads(text)
    except ValueError:
        return "error=bad_request\n"
    if not isinstance(request, dict):
        return "error=bad_request\n"
    action = request.get("action")
    if not isinstance(action, str) or action not in ACTIONS:
        return "error=unknown_action\n"
    try:
        lines = ACTIONS[action](request)
    except tuple(WORDS) as failure:
        lines = [f"error={WORDS[type(failure)]}"]
    return "".join(f"{line}\n" for line in lines)
