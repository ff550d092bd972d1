"""Figures as SVG files that follow the reader's colour scheme.

A figure is drawn once, in stand-in colours; these become variables of a style sheet inside the file, which is where a
picture that a page only shows learns whether it is dark.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from underspec.errors import HarnessError
from underspec.report.exhibits.exhibit import Figure
from underspec.report.terminal import plain

_SERIES_LIGHT = ("#0b6b63", "#b5501c", "#5b3ea8", "#8a6d00", "#1f5f9e", "#9c2f5b", "#4c6b1f", "#5d666b")
_SERIES_DARK = ("#5fd0c3", "#ff9a62", "#cdbcff", "#e3c14d", "#8cc2f5", "#f29bbd", "#b5d67a", "#a7b0b5")
_INK = ("#010101", "#1d2326", "#e8e6e0")
_DIM = ("#020202", "#566167", "#a3adb2")
_RULE = ("#030303", "#d9d6cd", "#343b3f")
_STANDING_IN = [f"#0{number:x}0a0b" for number in range(8)]
_HOSTILE = re.compile(r"<(script|foreignObject|iframe|use|a)\b|\son\w+=|javascript:|href=", re.IGNORECASE)

_CONFIG: dict[str, Any] = {
    "background": None,
    "font": "system-ui, sans-serif",
    "padding": 4,
    "view": {"stroke": None},
    "title": {"color": _INK[0], "fontSize": 13},
    "axis": {
        "labelColor": _DIM[0],
        "titleColor": _INK[0],
        "domainColor": _RULE[0],
        "tickColor": _RULE[0],
        "gridColor": _RULE[0],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 320,
    },
    "legend": {"labelColor": _DIM[0], "titleColor": _INK[0], "labelFontSize": 12, "labelLimit": 320},
    "header": {"labelColor": _DIM[0], "titleColor": _INK[0]},
    "text": {"color": _INK[0], "fill": _INK[0]},
    "rule": {"color": _DIM[0]},
    "mark": {"color": _STANDING_IN[0]},
    "range": {"category": _STANDING_IN},
}


def figure_svg(figure: Figure) -> bytes:
    """The figure as an SVG file: no script, no link, nothing fetched.

    Raises:
        HarnessError: it cannot be drawn, or what was drawn is more than a drawing.
    """
    import vl_convert

    spec = _harmless(figure.spec)
    try:
        drawn = vl_convert.vegalite_to_svg(spec, config=_CONFIG, allowed_base_urls=[])
    except ValueError as error:
        raise HarnessError(f"the figure {figure.slug} cannot be drawn: {str(error)[:300]}") from error
    return _with_scheme(drawn, figure.slug).encode("utf-8")


def _harmless(value: Any) -> Any:
    """A specification with everything invisible in its texts shown."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {key: _harmless(part) for key, part in value.items()}
    return [_harmless(part) for part in value] if isinstance(value, list | tuple) else value


def _with_scheme(drawn: str, slug: str) -> str:
    if _HOSTILE.search(drawn):
        raise HarnessError(f"the drawing of figure {slug} holds more than a drawing")
    try:
        ElementTree.fromstring(drawn)
    except ElementTree.ParseError as error:
        raise HarnessError(f"the drawing of figure {slug} is no XML: {error}") from error
    named = {
        _INK[0]: ("--ink", *_INK[1:]),
        _DIM[0]: ("--dim", *_DIM[1:]),
        _RULE[0]: ("--rule", *_RULE[1:]),
        **{
            stand_in: (f"--series-{number}", light, dark)
            for number, (stand_in, light, dark) in enumerate(
                zip(_STANDING_IN, _SERIES_LIGHT, _SERIES_DARK, strict=True)
            )
        },
    }
    for stand_in, (name, _, _) in named.items():
        drawn = drawn.replace(stand_in, f"var({name})")
    light = "".join(f"{name}:{colour};" for name, colour, _ in named.values())
    dark = "".join(f"{name}:{colour};" for name, _, colour in named.values())
    style = f"<style>:root{{{light}}}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}</style>"
    head = drawn.index(">", drawn.index("<svg")) + 1
    return drawn[:head] + style + drawn[head:]
