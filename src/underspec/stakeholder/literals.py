"""What literals in a question are called: ``"12"`` is a string, ``1e6`` has an exponent, ``a + b`` is an addition.

Askers give examples where authors give names; this adds the names, so that both meet.
"""

from __future__ import annotations

import re

_CALLED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), called)
    for pattern, called in (
        (r"\b\d+(?:\.\d+)?e[+-]?\d+\b", "exponent notation"),
        (r"(?<![\w.])\.\d", "digits missing before the decimal point"),
        (r"\b\d+\.(?![\w.])(?=['\"`]|\s+\S)", "digits missing after the decimal point"),
        (r"\b\d{1,3}(?:[,_']\d{3})+\b", "thousands separator"),
        (r"\b\d+,\d{1,2}\b", "decimal comma"),
        (r"(?<![\w.)])-\d", "negative"),
        (r"(?<![\w.)])\+\s?\d", "plus sign"),
        (r"""(?:""|''|``)""", "empty string"),
        (r"\[\s*\]", "empty list"),
        (r"\{\s*\}", "empty object"),
        (r"\{\w*(?::[^{}]*)?\}", "placeholder"),
        (r"[\w)\]\"'] \+ [\w(\[\"']", "plus add sum"),
        (r"[\w)\]\"'] - [\d(\[\"']", "minus subtract difference"),
        (r"[\w)\]\"'] \* [\w(\[\"']|\b\d+ ?[x×] ?\d+\b", "times multiply product"),
        (r"[\w)\]\"'] ?÷ ?[\w(\[\"']|[\d)] / [\d(]", "divide quotient"),
        (r"[\w)\]\"'] % [\w(\[\"']", "modulo remainder"),
        (r">=|<=|==|!=", "comparison"),
        (r"\\n|\\r", "newline line end"),
        (r"\\t", "tab"),
        (r"\b\d{4}-\d{2}-\d{2}\b", "date"),
        (r"\b\d{1,2}:\d{2}\b", "time of day"),
        (r"\bNaN\b", "not a number"),
        (r"\binf(?:inity)?\b", "infinite overflow"),
        (r"(?<=[\"'`])(?:true|false)(?=[\"'`])|\b[Tt]rue\b|\b[Ff]alse\b", "boolean"),
        (r"\bnull\b|\bNone\b|\bundefined\b", "null missing"),
    )
)


def names_of_literals(text: str) -> str:
    """The names of the literals in a text, each once; empty when there are none."""
    return " ".join(called for pattern, called in _CALLED if pattern.search(text))
