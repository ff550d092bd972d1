"""Taking out of a deliverable what tells whose it is, before people see it.

Names are covered where they stand, character for character, so that nothing else of a file moves. What programs leave
for themselves (their notes, settings and transcripts) is no part of what is rated, and is left out whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

COVER = "█"
_PROGRAMS = (
    r"anthropic",
    r"chat-?gpt",
    r"claude",
    r"codex",
    r"cursor[ -]agent",
    r"deepseek",
    r"gemini",
    r"gpt-?[0-9][\w.-]*",
    r"grok",
    r"kimi",
    r"mini-swe-agent",
    r"mistral",
    r"openai",
    r"openhands",
    r"qwen",
)
"""Programs and makers of models that sign their work."""
_LEFT_FOR_ITSELF = re.compile(
    r"(?:^|/)(?:\.(?:claude|codex|cursor|gemini|openhands|pi|aider[^/]*|mini-swe-agent)(?:/|$)"
    r"|(?:CLAUDE|AGENTS|GEMINI|CODEX)(?:\.local)?\.md$|\.cursorrules$)"
)
_LEAST = 5
"""Characters of a name of a model that is covered: shorter ones are ordinary words."""


def is_trace(path: str) -> bool:
    """Whether a path is what an agent's program left for itself."""
    return _LEFT_FOR_ITSELF.search(path) is not None


class Blind:
    """Covers the names of programs and makers, and of the models and agents of a study."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        known = sorted({part for name in names for part in _parts(name)}, key=lambda each: (-len(each), each))
        alternatives = "|".join([*(re.escape(name) for name in known), *_PROGRAMS])
        self._pattern = re.compile(rf"(?<![A-Za-z])(?:{alternatives})", re.IGNORECASE)
        self._bytes = re.compile(self._pattern.pattern.encode(), re.IGNORECASE)

    def text(self, text: str) -> tuple[str, int]:
        """The text with names covered, and how many were."""
        return self._pattern.subn(lambda match: COVER * len(match[0]), text)

    def content(self, content: bytes) -> tuple[bytes, int]:
        """The same for a file's bytes; what is no UTF-8 text is left as it is, and its names are counted as -1 each."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return content, -len(self._bytes.findall(content))
        if "\0" in text:
            return content, -len(self._bytes.findall(content))
        covered, number = self.text(text)
        return (covered.encode(), number) if number else (content, 0)


def _parts(name: str) -> list[str]:
    """``anthropic/claude-x`` gives ``claude-x``; what is too short, or a path of a script, gives nothing."""
    if name.startswith(("scripted/", "actors/")):
        return []
    last = name.rsplit("/", 1)[-1]
    return [last] if len(last) >= _LEAST and re.search(r"[0-9-]", last) else []
