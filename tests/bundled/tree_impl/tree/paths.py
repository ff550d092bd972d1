"""Paths, and what is read by them."""

import re
from typing import Any

from tree.boxes import Box, Key, key
from tree.failures import BadPath, NoPath, NotMap


def keys(path: str) -> list[Key]:
    """The keys of a path."""
    if not path:
        raise BadPath
    return [key(piece) for piece in re.split(r"[./]", path)]


def find(tree: Any, path: str) -> Any:
    """What is there."""
    for name in keys(path):
        if not isinstance(tree, Box) or name not in tree.values:
            raise NoPath
        tree = tree.values[name]
    return tree


def part(tree: Any, path: str) -> Box:
    """A branch as a tree of its own."""
    found = find(tree, path)
    if not isinstance(found, Box) or any(isinstance(name, int) for name in found.values):
        raise NotMap
    return found
