"""Finds JSON that stands in prose: case files in answers, examples in requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from underspec.task.cases import value_key
from underspec.task.model import Case

_OPENING = re.compile(r"[{\[]")
_MAX_MISSES = 3_000
_LEAST = 8
_UNICODE, _ASCII = json.JSONEncoder(ensure_ascii=False), json.JSONEncoder()


def embedded_json(text: str) -> Iterator[Any]:
    """Objects and lists that stand in a text, outermost ones only, in order.

    Prose holds brackets that open no JSON. After 3,000 of those the search ends, so that no text takes for ever.
    """
    decoder = json.JSONDecoder()
    place, misses = 0, 0
    while misses < _MAX_MISSES and (opening := _OPENING.search(text, place)):
        try:
            value, place = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            misses += 1
            place = opening.end()
            continue
        yield value


def _squeezed(text: str) -> str:
    return "".join(text.split())


class Sought:
    """A case in all the spellings in which a text may show it, made once and sought in many texts."""

    def __init__(self, case: Case):
        self.input = case.input
        self.key = value_key(case.input) if isinstance(case.input, dict | list) else None
        spelled = _UNICODE.encode(case.input)
        spellings = [spelled] if spelled.isascii() else [spelled, _ASCII.encode(case.input)]
        self.spellings = [spelling for spelling in map(_squeezed, spellings) if len(spelling) >= _LEAST]
        self.output = case.expected_output
        self.output_spellings = {_squeezed(self.output), _squeezed(_UNICODE.encode(self.output)[1:-1])}


class ShownCases:
    """Tells whether a text shows a case: its input as JSON however laid out, and its expected output."""

    def __init__(self, text: str):
        self._text = _squeezed(text)
        self._values: set[str] = set()
        self._strings: set[str] = set()
        for document in embedded_json(text):
            self._collect(document)

    def _collect(self, document: Any) -> None:
        waiting = [document]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                self._strings.add(value)
            elif isinstance(value, dict | list):
                self._values.add(value_key(value))
                waiting.extend(value.values() if isinstance(value, dict) else value)

    def shows(self, sought: Sought) -> bool:
        """Whether input and expected output both stand in the text."""
        has_input = (
            sought.key in self._values
            or (isinstance(sought.input, str) and sought.input in self._strings)
            or any(spelling in self._text for spelling in sought.spellings)
        )
        return has_input and (
            sought.output in self._strings or any(spelling in self._text for spelling in sought.output_spellings)
        )
