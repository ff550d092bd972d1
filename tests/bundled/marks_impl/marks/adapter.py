"""JSON requests in, lines out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from . import failures
from .board import Board, Fallout
from .history import Change, History
from .places import Stretch, place, stretch
from .texts import Written, extent

Request = dict[str, Any]
LARGEST_ID = 1_000_000
WORDS = {
    failures.BadRequest: "bad_request",
    failures.UnknownAction: "unknown_action",
    failures.BadPlace: "bad_place",
    failures.BadRange: "bad_range",
    failures.TakenMark: "taken_mark",
    failures.NoMark: "no_mark",
}


def _need(holder: Request, name: str, kind: type | None = None) -> Any:
    value = holder.get(name)
    if value is None or (kind is not None and type(value) is not kind):
        raise failures.BadRequest
    return value


def _optional(holder: Request, name: str, kind: type, standard: Any) -> Any:
    return standard if holder.get(name) is None else _need(holder, name, kind)


def _whole(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise failures.BadRequest
    return value


class _Mark:
    def __init__(self, given: Any) -> None:
        if type(given) is not dict:
            raise failures.BadRequest
        self.id = _whole(given.get("id"), LARGEST_ID)
        self.firm = _optional(given, "firm", bool, False)
        self.ends = _need(given, "from"), _need(given, "to")

    def understand(self) -> Callable[[Board], None]:
        where = stretch(*self.ends)
        return lambda board: board.add(self.id, where, self.firm)


class _Drop:
    def __init__(self, given: Any) -> None:
        self.id = _whole(given, LARGEST_ID)

    def understand(self) -> Callable[[Board], None]:
        return lambda board: board.drop(self.id)


class _Edit:
    def __init__(self, given: Request) -> None:
        start = _need(given, "at")
        self.ends = start, start if given.get("until") is None else given["until"]
        self.put = _optional(given, "put", str, "")
        self.where: Stretch | None = None
        self.fallout: Fallout | None = None

    def understand(self) -> Callable[[Board], None]:
        self.where = stretch(*self.ends)
        return self._edit

    def _edit(self, board: Board) -> None:
        assert self.where is not None
        self.fallout = board.edit(self.where, extent(self.put))


def _step(given: Any, edits_only: bool) -> _Mark | _Drop | _Edit:
    kinds = [name for name in ("add", "drop", "at") if type(given) is dict and given.get(name) is not None]
    if len(kinds) != 1 or (edits_only and kinds != ["at"]):
        raise failures.BadRequest
    if kinds == ["add"]:
        return _Mark(given["add"])
    return _Drop(given["drop"]) if kinds == ["drop"] else _Edit(given)


def _script(request: Request) -> list[_Mark | _Drop | _Edit]:
    script: list[_Mark | _Drop | _Edit] = [_Mark(mark) for mark in _need(request, "marks", list)]
    return script + [_step(step, edits_only=False) for step in _optional(request, "steps", list, [])]


def _edits(request: Request) -> list[_Edit]:
    edits = [_step(step, edits_only=True) for step in _need(request, "steps", list)]
    return [edit for edit in edits if isinstance(edit, _Edit)]


def _run(script: list[_Mark | _Drop | _Edit], *then: Callable[[], Any]) -> tuple[Board, list[Any]]:
    """Understand everything, then carry the script out."""
    acts = [step.understand() for step in script]
    understood = [each() for each in then]
    board = Board()
    for act in acts:
        act(board)
    return board, understood


def _listed(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids)) or "none"


def _places(request: Request) -> list[str]:
    board, _ = _run(_script(request))
    lines = [f"mark={n} from={board.marks[n].start} to={board.marks[n].end}" for n in board.ordered()]
    return [f"count={len(lines)}", *lines]


def _fallout(request: Request) -> list[str]:
    script = _script(request)
    _run(script)
    found = [step.fallout for step in script if isinstance(step, _Edit) and step.fallout]
    names = ("touch", "inside", "overlap", "surround")
    return [f"edits={len(found)}"] + [
        f"edit={number} " + " ".join(f"{name}={_listed(sorted(getattr(one, name)))}" for name in names)
        for number, one in enumerate(found, start=1)
    ]


def _search(find: Callable[[Board, Stretch], set[int]]) -> Callable[[Request], list[str]]:
    def search(request: Request) -> list[str]:
        script = _script(request)
        start = _need(request, "from")
        end = start if request.get("to") is None else request["to"]
        board, [where] = _run(script, lambda: stretch(start, end))
        return [f"marks={_listed(sorted(find(board, where)))}"]

    return search


def _walk(request: Request) -> list[str]:
    script = _script(request)
    start = _need(request, "from")
    limit = 8 if request.get("limit") is None else _whole(request["limit"], 1000)
    board, [start] = _run(script, lambda: place(start))
    lines = [f"open={_listed(board.open_before(start))}"]
    for where, starting, ending in board.edges_from(start, limit):
        lines.append(f"edge={where} starting={_listed(sorted(starting))} ending={_listed(sorted(ending))}")
    return lines


def _changes(choose: Callable[[History], list[Change]]) -> Callable[[Request], list[str]]:
    def changes(request: Request) -> list[str]:
        history = History(_optional(request, "join", bool, True))
        edits = _edits(request)
        for edit in edits:
            edit.understand()
        for edit in edits:
            assert edit.where is not None
            history.edit(edit.where, extent(edit.put))
        lines = [f"change={old.start}-{old.end} now={new.start}-{new.end}" for old, new in choose(history)]
        return [f"count={len(lines)}", *lines]

    return changes


def _locate(request: Request) -> list[str]:
    text = Written(_need(request, "text", str))
    if (request.get("at") is None) == (request.get("offset") is None):
        raise failures.BadRequest
    if request.get("at") is not None:
        return [f"offset={text.offset(place(request['at']))}"]
    return [f"place={text.place(_whole(request['offset'], 1_000_000_000))}"]


def _clip(request: Request) -> list[str]:
    text = Written(_need(request, "text", str))
    return [f"place={text.clip(place(_need(request, 'at')))}"]


def _escaped(line: str) -> str:
    def escape(found: re.Match[str]) -> str:
        return {"\\": "\\\\", "\r": "\\r"}.get(found[0], f"\\u{ord(found[0]):04x}")

    return re.sub(r"[\x00-\x1f\x7f\\\ud800-\udfff]", escape, line)


def _apply(request: Request) -> list[str]:
    text = Written(_need(request, "text", str))
    edits = _edits(request)
    for edit in edits:
        edit.understand()
    for edit in edits:
        assert edit.where is not None
        text.replace(edit.where, edit.put)
    lines = text.lines()
    return [f"lines={len(lines)}"] + [f"line={_escaped(line)}" for line in lines]


ACTIONS: dict[str, Callable[[Request], list[str]]] = {
    "locate": _locate,
    "clip": _clip,
    "apply": _apply,
    "places": _places,
    "fallout": _fallout,
    "meeting": _search(Board.meeting),
    "covering": _search(Board.covering),
    "enclosed": _search(Board.within),
    "starting": _search(Board.starting),
    "ending": _search(Board.ending),
    "walk": _walk,
    "changes": _changes(lambda history: history.changes),
    "undo": _changes(History.backwards),
}


def respond(text: str) -> str:
    """Answer one request."""
    try:
        try:
            request = json.loads(text)
        except ValueError as problem:
            raise failures.BadRequest from problem
        if type(request) is not dict:
            raise failures.BadRequest
        action = request.get("action")
        if type(action) is not str or action not in ACTIONS:
            raise failures.UnknownAction
        return "".join(f"{line}\n" for line in ACTIONS[action](request))
    except failures.MarksFailure as failure:
        return f"error={WORDS[type(failure)]}\n"
