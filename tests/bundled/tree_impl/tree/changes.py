"""What changes a tree."""

from typing import Any

from tree.boxes import Box, Key
from tree.failures import Blocked
from tree.paths import keys


def _reach(tree: Box, names: list[Key]) -> Box:
    for name in names:
        if not tree.holds(name):
            tree.put(name, Box())
        tree = tree.values[name]
        if not isinstance(tree, Box):
            raise Blocked
    return tree


def put(tree: Box, path: str, value: Any) -> None:
    """Put a value under the path."""
    *way, last = keys(path)
    _reach(tree, way).put(last, value)


def append(tree: Box, path: str, value: Any) -> None:
    """Put a value under the next number of what stands under the path."""
    *way, last = keys(path)
    holder = _reach(tree, way)
    if not isinstance(holder.values.get(last), Box):
        box = Box()
        if holder.holds(last):
            box.push(holder.values[last])
        holder.put(last, box)
    holder.values[last].push(value)


def remove(tree: Box, path: str) -> None:
    """Take the last key of the path out of its container."""
    *way, last = keys(path)
    at: Any = tree
    for name in way:
        if isinstance(at, str) and isinstance(name, int):
            size = len(at.encode())
            if -size <= name < size:
                raise Blocked
        if not isinstance(at, Box) or not at.holds(name):
            return
        at = at.values[name]
    if not isinstance(at, Box):
        raise Blocked
    at.values.pop(last, None)
