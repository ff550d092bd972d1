"""C++ as it stands before its preprocessor: what only that understands is blanked, byte for byte.

A grammar knows no macros. ``class EXPORT_API Foo`` is always mended; the rest only where a file has parse errors, and
only if it then has fewer. Every change keeps offsets and line ends.
"""

from __future__ import annotations

import re

_EXPORT = re.compile(
    rb"\b(?:class|struct|union)[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()\n]{0,80}\))?)"
    rb"(?=[ \t]+[A-Za-z_]\w*[^;=(]{0,200}?[{:])"
)
# Conditions, pragmas and includes. Both branches of a condition are read; `#define` is the grammar's own.
_DIRECTIVE = re.compile(
    rb"^[ \t]*+#[ \t]*+(?:if|ifdef|ifndef|elif|else|endif|pragma|include|undef|error|warning|line)\b(?:[^\n\\]|\\.)*+",
    re.MULTILINE | re.DOTALL,
)
# A line that is one macro: FMT_BEGIN_NAMESPACE, Q_OBJECT, PRAGMA(push).
_LONE = re.compile(rb"^[ \t]*+[A-Z][A-Z0-9_]{2,}+[ \t]*+(?:\([^\n;{}]*\)[ \t]*+)?$", re.MULTILINE)
# A macro before a declaration, or between type and name: FMT_FUNC void f(, int CAPI_CALL f(.
_BEFORE = re.compile(rb"(?<![\w.>:#])[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n;]{0,80}\))?(?=[ \t]+(?:[A-Za-z_~]\w*|::))")


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n\r]", b" ", match[0])


def without_export_macros(data: bytes) -> bytes:
    """``class EXPORT_API Foo {`` as ``class            Foo {``."""
    return _EXPORT.sub(lambda match: match[0][: match.start(1) - match.start()].ljust(len(match[0])), data)


def without_macros(data: bytes) -> bytes:
    """Also without conditions of the preprocessor, lone macros and macros before declarations."""
    for pattern in (_DIRECTIVE, _LONE, _BEFORE):
        data = pattern.sub(_blank, data)
    return data
