"""Vega-Lite for the few kinds of chart that the papers' figures are: bars, lines, a scatter and a grid of shares.

Specifications name their data ``rows`` and hold none but the places of labels; colours are names that
:mod:`underspec.report.exhibits.draw` knows. Bars begin at 0. Nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from underspec.report.exhibits.exhibit import Column

ROWS = "rows"
OWN_ROWS = "own_rows"
"""Where a specification keeps rows that are drawn beside the figure's data: labels, at places where none lies on
another."""
TEXT, LEAD_X, LEAD_Y = "own_text", "own_x", "own_y"
PANEL_ORDER = "panel_order"
"""Given to each row by its panel's first appearance."""
INK, DIM, SERIES = "ink", "dim", tuple(f"series-{number}" for number in range(1, 9))
WIDTH, STEP, LABEL_LIMIT = 270, 24, 280
AXIS_FORMAT = {
    "percent": ".0%",
    "money": "$~r",
    "tokens": "~s",
    "count": "~s",
    "number": "~r",
    "seconds": "~s",
    "points": "+.0%",
}
WHOLE = "datum.value == floor(datum.value) ? format(datum.value, ',d') : ''"
"""Half a task is none."""
VALUE_FORMAT = {
    "percent": ".1%",
    "money": "$.3~r",
    "tokens": ",.0f",
    "count": ",d",
    "number": ",.3~r",
    "seconds": ",.0f",
    "points": "+.1%",
}


@dataclass(frozen=True)
class Label:
    """A label beside a mark: its text, and where it stands in the data's units, in which ``panel``.

    ``series`` chooses its colour; a thin line leads to it from the ``lead``.
    """

    text: str
    x: float
    y: float
    series: str = ""
    panel: str = ""
    lead: tuple[float, float] | None = None


def _data() -> Any:
    return alt.NamedData(ROWS)


def _spec(chart: Any) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("$schema", None)
    return spec


def _panels(chart: Any, columns: int, *, independent: str | None = None) -> Any:
    facet = alt.Facet(
        "panel:N",
        sort=alt.EncodingSortField(field=PANEL_ORDER, op="min"),
        title=None,
        header=alt.Header(labelAnchor="start", labelLimit=LABEL_LIMIT),
    )
    faceted = chart.facet(facet=facet, columns=columns, data=_data())
    if independent == "y":
        return faceted.resolve_scale(y="independent")
    return faceted.resolve_scale(x="independent") if independent == "x" else faceted


def bars(
    value: Column,
    *,
    panels: int = 0,
    own_labels: bool = False,
    own_values: bool = False,
    greatest: float | None = None,
    ordered_by_value: bool = False,
) -> dict[str, Any]:
    """Bars to the right, one a ``label``, with an interval where there is one and the value beside it.

    ``panels`` > 0 gives one panel a ``panel``, so many beside each other; with ``own_labels`` each has its own labels,
    with ``own_values`` its own axis. ``greatest`` ends the axis; a rate's axis ends at 1.
    """
    end = 1.0 if value.kind == "percent" and greatest is None else greatest
    scale = alt.Scale(domain=[0, end]) if end is not None else alt.Scale(zero=True, nice=True)
    position = alt.X(
        f"{value.key}:Q",
        title=value.title,
        scale=scale,
        axis=alt.Axis(tickCount=4, labelOverlap="greedy", **_axis_format(value)),
    )
    sort: Any = "-x" if ordered_by_value else None
    base = alt.Chart().encode(y=alt.Y("label:N", sort=sort, title=None, axis=alt.Axis(labelLimit=LABEL_LIMIT)))
    low, high = f"{value.key}_low", f"{value.key}_high"
    reach = f"isValid(datum.{high}) ? max(datum.{high}, datum.{value.key}) : datum.{value.key}"
    layers = alt.layer(
        base.mark_bar(color=SERIES[0], height=alt.RelativeBandSize(0.62)).encode(x=position),
        base.mark_rule(color=INK, strokeWidth=1.5).encode(x=f"{low}:Q", x2=f"{high}:Q"),
        base.mark_text(align="left", dx=5, color=INK)
        .transform_calculate(reach=reach, said=_said(value))
        .encode(x="reach:Q", text="said:N"),
    ).properties(width=WIDTH, height=alt.Step(STEP))
    if not panels:
        return _spec(layers.properties(data=_data()))
    return _spec(_panels(layers, panels, independent="y" if own_labels else "x" if own_values else None))


def lines(
    x: Column,
    y: Column,
    labels: Sequence[Label],
    *,
    panels: int = 0,
    points: bool = False,
    band: bool = False,
    whole: bool = False,
    xs: Sequence[float] = (),
) -> dict[str, Any]:
    """A line a ``label``, named at its end; with ``points`` marked and with intervals, with ``band`` in a shaded one.

    ``whole``: x counts things. ``xs`` are the ticks, where they are given.
    """
    axis: dict[str, Any] = {"format": "d" if whole else AXIS_FORMAT[x.kind]}
    if xs:
        axis["values"] = list(xs)
    elif whole:
        axis["labelExpr"] = WHOLE
    else:
        axis["tickCount"] = 5
    across = alt.X(f"{x.key}:Q", title=x.title, scale=alt.Scale(zero=True, nice=False), axis=alt.Axis(**axis))
    up = alt.Y(
        f"{y.key}:Q",
        title=y.title,
        scale=alt.Scale(domain=[0, 1]) if y.kind == "percent" else alt.Scale(zero=True),
        axis=alt.Axis(format=AXIS_FORMAT[y.kind], tickCount=5),
    )
    colour = _colour("label")
    drawn = alt.Chart().transform_filter(f"!isValid(datum.{TEXT})")
    base = drawn.encode(x=across, y=up, color=colour)
    low, high = f"{y.key}_low:Q", f"{y.key}_high:Q"
    layers = [base.mark_line(strokeWidth=2)]
    if band:
        layers.insert(0, drawn.mark_area(opacity=0.2).encode(x=across, y=low, y2=f"{y.key}_high", color=colour))
    if points:
        layers.append(
            drawn.mark_rule(strokeWidth=2, opacity=0.5).encode(
                x=across, y=low, y2=high.removesuffix(":Q"), color=colour
            )
        )
        layers.append(base.mark_point(filled=True, size=50, opacity=1))
    if labels:
        lead = alt.Chart().mark_rule(strokeWidth=1, strokeDash=[2, 3]).transform_filter(f"isValid(datum.{LEAD_X})")
        layers.append(lead.encode(x=f"{LEAD_X}:Q", y=f"{LEAD_Y}:Q", x2=x.key, y2=y.key, color=colour))
        layers.append(_labels(x.key, y.key, colour_by_series=True))
    size = {"width": WIDTH if panels else WIDTH * 1.6, "height": 240}
    chart = alt.layer(*layers).properties(**size)
    spec = _spec(_panels(chart, panels) if panels else chart.properties(data=_data()))
    return _labelled(spec, labels, x.key, y.key)


def scatter(x: Column, y: Column, labels: Sequence[Label], *, log: bool) -> dict[str, Any]:
    """A point a row, with its interval in y, named beside it."""
    scale = alt.Scale(type="log", nice=True) if log else alt.Scale(zero=True)
    across = alt.X(
        f"{x.key}:Q", title=x.title, scale=scale, axis=alt.Axis(format=AXIS_FORMAT[x.kind], tickCount=6, grid=not log)
    )
    up = alt.Y(f"{y.key}:Q", title=y.title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5))
    base = alt.Chart().transform_filter(f"!isValid(datum.{TEXT})")
    layers = alt.layer(
        base.mark_rule(color=DIM, strokeWidth=1.2).encode(x=across, y=f"{y.key}_low:Q", y2=f"{y.key}_high"),
        base.mark_point(filled=True, size=70, opacity=1, color=SERIES[0]).encode(x=across, y=up),
        _labels(x.key, y.key, colour_by_series=False),
    )
    spec = _spec(layers.properties(width=WIDTH * 1.6, height=300, data=_data()))
    return _labelled(spec, labels, x.key, y.key)


def shares(columns: int) -> dict[str, Any]:
    """A grid of shares a ``panel``: ``answer`` across, ``code`` down, the share in each cell, on one scale for all."""
    base = alt.Chart().encode(
        x=alt.X(
            "answer:N", sort=None, title=None, axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)
        ),
        y=alt.Y("code:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False)),
    )
    strength = alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.06, 0.75]))
    layers = alt.layer(
        base.mark_rect(color=SERIES[0]).encode(opacity=strength),
        base.mark_text(color=INK).encode(text=alt.Text("share:Q", format=".1%")),
    ).properties(width=216, height=64)
    return _spec(_panels(layers, columns).resolve_axis(x="independent"))


def histogram(start: Column, end: str, number: Column) -> dict[str, Any]:
    """Counts over bins of the same width in the logarithm, from ``start`` to ``end``."""
    axis = alt.Axis(format="~s", tickCount=6, grid=False)
    base = alt.Chart(_data())
    layers = alt.layer(
        base.mark_bar(color=SERIES[0], binSpacing=1).encode(
            x=alt.X(f"{start.key}:Q", title=start.title, scale=alt.Scale(type="log", nice=False), axis=axis),
            x2=end,
            y=alt.Y(
                f"{number.key}:Q",
                title=number.title,
                scale=alt.Scale(zero=True),
                axis=alt.Axis(labelExpr=WHOLE),
            ),
            y2=alt.datum(0),
        ),
        base.mark_text(dy=-6, color=INK)
        .transform_calculate(middle=f"sqrt(datum.{start.key} * datum.{end})")
        .transform_filter(f"datum.{number.key} > 0")
        .encode(x="middle:Q", y=f"{number.key}:Q", text=f"{number.key}:Q"),
    )
    return _spec(layers.properties(width=WIDTH * 1.6, height=220))


def _said(value: Column) -> str:
    """The expression of what stands beside a bar. Great numbers are shortened, small ones are not (500m is no half)."""
    plain, great = VALUE_FORMAT[value.kind], ".3~s"
    written = f"format(datum.{value.key}, '{plain}')"
    return f"datum.{value.key} >= 10000 ? format(datum.{value.key}, '{great}') : {written}"


def _axis_format(value: Column) -> dict[str, Any]:
    if value.kind == "count":
        return {"labelExpr": WHOLE}
    if value.kind in ("percent", "points", "money"):
        return {"format": AXIS_FORMAT[value.kind]}
    return {"labelExpr": "datum.value >= 10000 ? format(datum.value, '~s') : format(datum.value, '~r')"}


def _colour(field: str) -> Any:
    return alt.Color(f"{field}:N", sort=None, legend=None, scale=alt.Scale(range=list(SERIES)))


def _labels(x: str, y: str, *, colour_by_series: bool) -> Any:
    chart = (
        alt.Chart()
        .mark_text(align="left", dx=8, color=INK, limit=LABEL_LIMIT)
        .transform_filter(f"isValid(datum.{TEXT})")
    )
    encoded = chart.encode(x=f"{x}:Q", y=f"{y}:Q", text=f"{TEXT}:N")
    return encoded.encode(color=_colour("label")) if colour_by_series else encoded


def _labelled(spec: dict[str, Any], labels: Sequence[Label], x: str, y: str) -> dict[str, Any]:
    """The specification with rows of its own for labels, whose places are not the figure's data."""
    own = [{x: each.x, y: each.y, TEXT: each.text, "label": each.series, "panel": each.panel} for each in labels]
    for row, each in zip(own, labels, strict=True):
        if each.lead is not None:
            row |= {LEAD_X: each.lead[0], LEAD_Y: each.lead[1]}
    return {**spec, OWN_ROWS: own}


def spread(values: Sequence[float], gap: float, least: float, greatest: float) -> list[float]:
    """The values moved apart by ``gap`` at least, in their order, within ``least`` to ``greatest`` where they fit."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    placed = [min(max(values[place], least), greatest) for place in order]
    for place in range(1, len(placed)):
        placed[place] = max(placed[place], placed[place - 1] + gap)
    if placed and placed[-1] > greatest:
        placed[-1] = greatest
        for place in range(len(placed) - 2, -1, -1):
            placed[place] = min(placed[place], placed[place + 1] - gap)
    found = [0.0] * len(values)
    for place, value in zip(order, placed, strict=True):
        found[place] = value
    return found
