"""Containers and their keys."""

from __future__ import annotations

import re
from typing import Any

Key = int | str


def key(text: str) -> Key:
    """A text that is written like a whole number is that number."""
    return int(text) if re.fullmatch(r"0|-?[1-9][0-9]*", text) else text


class Box:
    """A container: values under keys in the order in which the keys came in."""

    def __init__(self) -> None:
        self.values: dict[Key, Any] = {}
        self._next = 0

    def put(self, name: Key, value: Any) -> None:
        """Put a value under a key."""
        self.values[name] = value
        if isinstance(name, int):
            self._next = max(self._next, name + 1)

    def push(self, value: Any) -> None:
        """Put a value under the next number."""
        self.put(self._next, value)

    def holds(self, name: Key) -> bool:
        """Whether the key is there with anything but null."""
        return self.values.get(name) is not None

    @property
    def is_list(self) -> bool:
        """Whether the keys are exactly 0, 1, 2, ..."""
        return list(self.values) == list(range(len(self.values)))


def boxed(value: Any) -> Any:
    """A JSON value with its lists and objects as containers."""
    if not isinstance(value, list | dict):
        return value
    box = Box()
    pairs = enumerate(value) if isinstance(value, list) else value.items()
    for name, one in pairs:
        box.put(key(name) if isinstance(name, str) else name, boxed(one))
    return box


def plain(value: Any) -> Any:
    """The JSON value of a container."""
    if not isinstance(value, Box):
        return value
    if value.is_list:
        return [plain(one) for one in value.values.values()]
    return {str(name): plain(one) for name, one in value.values.items()}
