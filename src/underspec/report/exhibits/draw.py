"""Figures as SVG: inert, without styles of their own, in the colours of the page that they stand in.

vl-convert draws the Vega-Lite; nothing is fetched, and its fonts only measure. What it emits is read again and written
anew: colours become classes with the light theme's colour as the attribute that any style sheet overrides, ids carry
the figure's slug, and what is there for scripts is dropped. A page that shows figures takes :data:`STYLE` in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from underspec.report.exhibits.charts import OWN_ROWS, PANEL_ORDER, ROWS
from underspec.report.exhibits.exhibit import Figure, Table
from underspec.report.terminal import plain

SVG = "http://www.w3.org/2000/svg"
LIGHT = {
    "ink": "#1d2326",
    "dim": "#566167",
    "line": "#d9d6cd",
    "series-1": "#0f766e",
    "series-2": "#b4530f",
    "series-3": "#5b3ea8",
    "series-4": "#a3194f",
    "series-5": "#1d5fa8",
    "series-6": "#5f6b12",
    "series-7": "#7a4a2a",
    "series-8": "#4d565b",
}
DARK = {
    "ink": "#e8e6e0",
    "dim": "#a3adb2",
    "line": "#343b3f",
    "series-1": "#2fa89b",
    "series-2": "#ff9a62",
    "series-3": "#b9a4f5",
    "series-4": "#ff8fb3",
    "series-5": "#7db7f5",
    "series-6": "#bccb5a",
    "series-7": "#d8a684",
    "series-8": "#b4bdc2",
}


def _theme(colours: dict[str, str]) -> str:
    return "".join(f"--fig-{name}:{colour};" for name, colour in colours.items())


def _classes() -> str:
    return "".join(
        f".fig-f-{name}{{fill:var(--fig-{name})}}.fig-s-{name}{{stroke:var(--fig-{name})}}" for name in LIGHT
    )


STYLE = (
    f".fig{{{_theme(LIGHT)}height:auto}}"
    f"@media screen and (prefers-color-scheme:dark){{.fig{{{_theme(DARK)}}}}}"
    f".fig text{{font-family:inherit}}{_classes()}"
)
"""Style sheet of figures, for a page that shows them. A page with colours of its own sets ``--fig-ink`` and the others.

Figures keep their width, since text that shrinks cannot be read: put them into a box that scrolls.
"""
_PAPER = ("#ffffff", "#1b2023")
_ALONE = (
    f".fig{{background:{_PAPER[0]};font-family:system-ui,sans-serif}}"
    f"@media screen and (prefers-color-scheme:dark){{.fig{{background:{_PAPER[1]}}}}}"
)

_CONFIG: dict[str, Any] = {
    "aria": False,
    "background": None,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "dim",
        "titleColor": "dim",
        "titleFontWeight": "normal",
        "titleFontSize": 14.4,
        "labelFontSize": 14.4,
        "gridColor": "line",
        "domainColor": "line",
        "tickColor": "line",
        "labelPadding": 5,
        "titlePadding": 9,
    },
    "axisY": {"labelColor": "ink"},
    "axisYDiscrete": {"domain": False, "ticks": False, "grid": False, "labelColor": "ink"},
    "axisYBand": {"domain": False, "ticks": False, "grid": False, "labelColor": "ink"},
    "axisYQuantitative": {"labelColor": "dim", "domain": False, "ticks": False},
    "header": {"labelColor": "ink", "labelFontSize": 15.6, "labelFontWeight": "bold", "titleColor": "dim"},
    "text": {"fontSize": 14.4},
    "facet": {"spacing": 26},
}
_ROOM = 1.2
"""Texts are measured in a narrow font; by so much wider ones fit as well, and the page chooses. Sizes above are for
measuring, and emitted smaller."""
_KEPT = frozenset(
    (
        "transform", "d", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "cx", "cy", "r", "points", "opacity",
        "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
        "stroke-miterlimit", "text-anchor", "font-size", "font-weight", "clip-path",
    )
)  # fmt: skip
_ELEMENTS = frozenset(("g", "path", "line", "rect", "circle", "text", "tspan", "defs", "clipPath"))
_LOCAL = re.compile(r"url\(#([A-Za-z0-9_-]+)\)")


def rows(table: Table) -> list[dict[str, Any]]:
    """A table's rows as plain values; intervals as ``<key>_low`` and ``<key>_high``. Text has nothing invisible in
    it."""
    found: list[dict[str, Any]] = []
    for row in table.rows:
        values: dict[str, Any] = {}
        for column in table.columns:
            cell = row[column.key]
            values[column.key] = _clean(cell.value)
            if cell.span is not None:
                values |= {f"{column.key}_low": cell.span.low, f"{column.key}_high": cell.span.high}
        found.append(values)
    return found


def svg(figure: Figure, *, standalone: bool = False) -> str:
    """The figure as one ``<svg>`` element for a page that has :data:`STYLE`, or as a file of its own with it inside."""
    import vl_convert

    own = [{key: _clean(value) for key, value in row.items()} for row in figure.spec.get(OWN_ROWS, ())]
    marks = {name: part for name, part in figure.spec.items() if name != OWN_ROWS}
    spec = {**marks, "config": _CONFIG, "datasets": {ROWS: _ordered([*rows(figure.data), *own])}}
    drawn = ElementTree.fromstring(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
    slug = figure.slug
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": SVG,
            "class": "fig",
            "viewBox": drawn.get("viewBox", ""),
            "width": drawn.get("width", ""),
            "height": drawn.get("height", ""),
            "role": "img",
            "aria-labelledby": f"{slug}-title {slug}-desc",
        },
    )
    for name, said in (("title", f"{figure.name}. {figure.title}"), ("desc", figure.alternative)):
        child = ElementTree.SubElement(root, name, {"id": f"{slug}-{name}"})
        child.text = _clean(said)
    if standalone:
        style = ElementTree.SubElement(root, "style")
        style.text = STYLE + _ALONE
    root.extend(_rewritten(drawn, slug))
    return ElementTree.tostring(root, encoding="unicode")


def _ordered(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each row with its panel's place: panels stand in the order in which the data has them."""
    panels = {panel: place for place, panel in enumerate(dict.fromkeys(row.get("panel") for row in found))}
    return [{**row, PANEL_ORDER: panels[row.get("panel")]} for row in found]


def _rewritten(element: ElementTree.Element, slug: str) -> Iterator[ElementTree.Element]:
    """What draws something, in our own words; groups that hold nothing more are left out."""
    for child in element:
        tag = child.tag.removeprefix(f"{{{SVG}}}") if isinstance(child.tag, str) else ""
        if tag not in _ELEMENTS or _invisible(tag, child):
            continue
        kept = ElementTree.Element(tag, _attributes(child, slug))
        kept.text = child.text if tag in ("text", "tspan") else None
        kept.extend(_rewritten(child, slug))
        if tag in ("g", "defs") and not len(kept):
            continue
        if tag == "g" and not kept.attrib:
            yield from kept
        else:
            yield kept


def _invisible(tag: str, element: ElementTree.Element) -> bool:
    if element.get("display") == "none" or element.get("opacity") == "0":
        return True
    if tag == "path":
        return element.get("fill") is None and element.get("stroke") is None and "clip" not in element.get("class", "")
    return tag == "text" and not (element.text or len(element))


def _attributes(element: ElementTree.Element, slug: str) -> dict[str, str]:
    found = {name: _LOCAL.sub(rf"url(#{slug}-\1)", value) for name, value in element.attrib.items() if name in _KEPT}
    if found.get("opacity") == "1":
        del found["opacity"]
    classes = []
    for part, letter in (("fill", "f"), ("stroke", "s")):
        value = element.get(part)
        if value is None:
            continue
        found[part] = LIGHT.get(value, value)
        if value in LIGHT:
            classes.append(f"fig-{letter}-{value}")
    if classes:
        found["class"] = " ".join(classes)
    if "id" in element.attrib:
        found["id"] = f"{slug}-{element.attrib['id']}"
    if element.tag.endswith("text"):
        found["font-family"] = "sans-serif"
        size = found.get("font-size", "")
        if size.endswith("px"):
            found["font-size"] = f"{float(size.removesuffix('px')) / _ROOM:g}px"
    return found


def _clean(value: Any) -> Any:
    return plain(value).replace("\n", " ").replace("\t", " ") if isinstance(value, str) else value
