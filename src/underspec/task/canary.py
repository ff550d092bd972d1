"""Canaries: one unmistakable line in each hidden file, searched for wherever it must not turn up.

A canary stands in the ``canary`` field of JSON and TOML, in a comment line ``<!-- canary ... -->`` of Markdown, and in
a comment line ``# canary ...`` (or ``//``, ``--``, ``;``, ``%``) of programs. Release takes it out; whatever still
carries one was not released.
"""

from __future__ import annotations

import re

MIN_CANARY_LENGTH = 16

_MARKDOWN = re.compile(r"^[ \t]*<!--[ \t]*canary[ \t]+(?P<canary>.*?)[ \t]*-->[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?:#|//|--|;|%)[ \t]*canary[ \t]+(?P<canary>\S.*?)[ \t]*\r?$", re.MULTILINE)
_FIELD = re.compile(
    r"""^\s*"?canary"?\s*[:=]\s*"(?P<canary>[^"\n]+)"|[{,]\s*"canary"\s*:\s*"(?P<inline>[^"\n]+)\"""", re.M
)


def text_canaries(path: str, text: str) -> tuple[str, ...]:
    """The canaries that stand in a hidden file's text, by the rule for its kind of file."""
    if "canary" not in text:
        return ()
    if path.endswith(".md"):
        return tuple(found["canary"] for found in _MARKDOWN.finditer(text) if found["canary"])
    comments = () if path.endswith(".json") else tuple(found["canary"] for found in _COMMENT.finditer(text))
    fields = _FIELD.finditer(text) if path.endswith((".json", ".toml")) else ()
    return comments + tuple(found["canary"] or found["inline"] for found in fields)


def strip_markdown_canary(text: str) -> str:
    """Markdown without its canary lines, and without the blank lines that they leave at the top."""
    stripped = _MARKDOWN.sub("", text)
    return stripped if stripped == text else stripped.lstrip("\r\n")


def blank_markdown_canary(text: str) -> str:
    """Markdown with its canary lines emptied, so that line numbers stay those of the file."""
    return _MARKDOWN.sub("\n", text)


def blank_canaries(path: str, text: str) -> str:
    """A hidden file's text without its canaries, each line in its place: lines with one are emptied, and in JSON a
    canary becomes ``""``."""
    if path.endswith(".md"):
        return blank_markdown_canary(text)
    for canary in text_canaries(path, text) if path.endswith((".json", ".toml")) else ():
        text = text.replace(f'"{canary}"', '""')
    return text if path.endswith(".json") else _COMMENT.sub("", text)
