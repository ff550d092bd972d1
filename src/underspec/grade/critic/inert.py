"""Text from a tree, made harmless for a model's prompt. What is changed stays visible; ordinary code is left alone."""

from __future__ import annotations

import re
import unicodedata

# What servers turn into the tokens that end a message or begin another, wherever it stands in a prompt.
_MARKER = re.compile(
    r"<(?=[|｜])"
    r"|<(?=/?(?:start_of_turn|end_of_turn|start_of_image|bos|eos|pad|unk|mask|s|sys|im_start|im_end|think|"
    r"system|user|assistant|human|tool_call|tool_response|function_calls|unused\d{1,4}|extra_id_\d{1,4})>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|IMG|PREFIX|SUFFIX|MIDDLE)\])",
    re.IGNORECASE,
)
_STANDS_FOR = {"<": "‹", "[": "⟦"}
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Everything that could be one of those; what it hits is looked at more closely.
_SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")


def inert(text: str) -> str:
    """``text`` with line ends made ``\\n``, invisible characters written out as ``\\u{…}``, and the first sign of what
    could pass for a marker between messages replaced: ``‹`` stands for ``<`` there, and ``⟦`` for ``[``.

    A text that has been through this stays as it is.
    """
    text = text.replace("\r\n", "\n")
    text = _SUSPECT.sub(_visible, text)
    return _MARKER.sub(lambda match: _STANDS_FOR[match[0]], text)


def inert_line(text: str) -> str:
    """The same for what has to stay on one line, such as a path."""
    return inert(text).replace("\n", "\\n").replace("\t", "\\t")


def _visible(match: re.Match[str]) -> str:
    character = match[0]
    if unicodedata.category(character) in _INVISIBLE or _is_blank(character):
        return f"\\u{{{ord(character):x}}}"
    return character


def _is_blank(character: str) -> bool:
    """Letters and marks that show as nothing: fillers of Hangul, variation selectors, Khmer's inherent vowels."""
    code = ord(character)
    return code in (0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, 0x034F, 0x2800) or 0xE0100 <= code <= 0xE01EF
