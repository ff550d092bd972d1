"""Hand labels in the snippets: what a person says is defined where, written beside each definition."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

SNIPPETS = Path(__file__).parent / "snippets"
_LABEL = re.compile(r"label: (.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Labels:
    """Qualified names by kind, and the lines of code."""

    classes: set[str]
    methods: set[str]
    namespaces: set[str]
    loc: int


def snippet(language: str) -> tuple[str, bytes]:
    """A snippet's ending and text."""
    (path,) = SNIPPETS.glob(f"{language}.*.txt")
    return "." + path.name.split(".")[1], path.read_bytes()


def labels(text: bytes) -> Labels:
    """What the snippet says about itself."""
    found: dict[str, set[str]] = {"class": set(), "method": set(), "namespace": set(), "loc": set()}
    for label in _LABEL.findall(text.decode()):
        for one in label.split(", "):
            kind, _, name = one.partition(" ")
            found[kind].add(name)
    (loc,) = found["loc"]
    return Labels(found["class"], found["method"], found["namespace"], int(loc))
