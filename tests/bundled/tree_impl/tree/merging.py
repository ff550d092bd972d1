"""Two trees made one."""

from typing import Any

from tree.boxes import Box


def merge(own: Any, other: Any, mode: str) -> Any:
    """The merged value; changes ``own``."""
    if not isinstance(own, Box) or not isinstance(other, Box):
        return own if mode == "preserve" else other
    if mode == "join" and own.is_list and other.is_list:
        for value in other.values.values():
            own.push(value)
        return own
    for name, value in other.values.items():
        own.put(name, merge(own.values[name], value, mode) if own.holds(name) else value)
    return own
