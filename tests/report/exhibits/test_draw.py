"""Figures as SVG: inert whatever things are called, without styles of their own, and honest."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from tests.report.exhibits.sample import built, evidence_of, make_task
from tests.report.html_sample import HOSTILE
from underspec.artifact.condition import Condition
from underspec.report.exhibits.catalogue import made
from underspec.report.exhibits.charts import SERIES, Label, bars, lines, spread
from underspec.report.exhibits.draw import DARK, LIGHT, STYLE, SVG, svg
from underspec.report.exhibits.exhibit import Cell, Column, Exhibit, Figure, Span, Table

VALUE = Column("value", "Share", "percent")
LABEL = Column("label", "Row")


def figure(labels: list[str], slug: str = "a-figure", *, alternative: str = "Words.") -> Figure:
    rows = [
        {"label": Cell(label), "value": Cell(place / len(labels), Span(0.0, 1.0))}
        for place, label in enumerate(labels, 1)
    ]
    data = Table("A Figure", slug, "A title", (LABEL, VALUE), rows)
    return Figure("A Figure", slug, "A title", bars(VALUE), data, alternative)


def elements(drawn: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawn).iter())


def tags(drawn: str) -> set[str]:
    return {element.tag.removeprefix(f"{{{SVG}}}") for element in elements(drawn)}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_are_text_and_nothing_else(hostile: str) -> None:
    plain_tags = tags(svg(figure(["a", "b"])))
    drawn = svg(figure([hostile, "b"], alternative=hostile))
    assert tags(drawn) == plain_tags
    for element in elements(drawn):
        assert not [name for name in element.attrib if name.startswith("on") or name in ("href", "style")]
        assert not any("javascript:" in value for value in element.attrib.values())
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066\ufeff]", drawn)


def test_names_of_every_exhibit_may_be_hostile() -> None:
    name = "</text><script>alert(1)</script>\x00"
    given = [built(Condition(agent=name, model=f"{name}{place}"), name, 5) for place in range(3)]
    drawn = [
        svg(each) for each in made(evidence_of(given, [make_task(name, category=name)])) if isinstance(each, Figure)
    ]
    assert len(drawn) > 4
    for each in drawn:
        assert "script" not in tags(each)


def test_a_name_that_looks_like_an_expression_is_not_evaluated() -> None:
    drawn = svg(figure(["datum.value", "${7*7}", "' + (1+1) + '", '"];alert(1)//']))
    shown = {element.text for element in elements(drawn) if element.tag.endswith("text")}
    assert {"datum.value", "${7*7}", "' + (1+1) + '", '"];alert(1)//'} <= shown


def test_a_figure_for_a_page_has_neither_styles_nor_scripts_nor_anything_to_fetch() -> None:
    drawn = svg(figure(["a", "b"]))
    assert not tags(drawn) & {"style", "script", "a", "image", "use", "foreignObject"}
    assert "style=" not in drawn
    assert "url(http" not in drawn
    assert "xlink" not in drawn


def test_a_figure_in_a_file_of_its_own_has_its_style_inside() -> None:
    drawn = svg(figure(["a"]), standalone=True)
    (style,) = [element for element in elements(drawn) if element.tag.endswith("style")]
    assert "prefers-color-scheme:dark" in (style.text or "")
    assert "url(" not in (style.text or "")
    assert "@import" not in (style.text or "")


def test_it_says_in_words_what_it_shows() -> None:
    drawn = svg(figure(["a"], alternative="Half <of> it."))
    root, title, desc = elements(drawn)[:3]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert title.text == "A Figure. A title"
    assert desc.text == "Half <of> it."


def test_every_colour_is_a_class_of_the_style_sheet_in_light_and_in_dark() -> None:
    assert LIGHT.keys() == DARK.keys() >= set(SERIES)
    drawn = svg(figure(["a", "b"]))
    for element in elements(drawn):
        for part, letter in (("fill", "f"), ("stroke", "s")):
            colour = element.get(part)
            if colour is not None and colour not in ("none", "transparent"):
                (name,) = [name for name, value in LIGHT.items() if value == colour]
                assert f"fig-{letter}-{name}" in (element.get("class") or "").split()
                assert f".fig-{letter}-{name}{{" in STYLE


def test_ids_of_two_figures_on_one_page_do_not_collide(all_exhibits: list[Exhibit]) -> None:
    seen: list[str] = []
    for exhibit in all_exhibits:
        if isinstance(exhibit, Figure):
            own = [element.attrib["id"] for element in elements(svg(exhibit)) if "id" in element.attrib]
            assert all(name.startswith(exhibit.slug) for name in own)
            seen += own
    assert len(seen) == len(set(seen))


def _bar_edges(drawn: str) -> list[tuple[float, float]]:
    """Left edge and width of each bar."""
    found = []
    for element in elements(drawn):
        if "fig-f-series-1" in (element.get("class") or "") and (
            match := re.match(r"M([\d.]+),[\d.]+h([\d.]+)", element.get("d", ""))
        ):
            found.append((float(match[1]), float(match[2])))
    return found


def test_bars_begin_at_nought_and_are_as_long_as_their_values() -> None:
    edges = _bar_edges(svg(figure(["a", "b", "c", "d"])))
    assert [left for left, _width in edges] == [0.0] * 4
    longest = edges[-1][1]
    assert [width / longest for _left, width in edges] == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_rows_stand_in_the_order_of_the_data() -> None:
    drawn = svg(figure(["zulu", "alpha", "mike"]))
    shown = [element.text for element in elements(drawn) if element.text in ("zulu", "alpha", "mike")]
    assert shown == ["zulu", "alpha", "mike"]


def test_panels_stand_in_the_order_of_the_data() -> None:
    columns = (Column("panel", "Panel"), LABEL, VALUE)
    rows = [{"panel": Cell(panel), "label": Cell("a"), "value": Cell(0.5)} for panel in ("zulu", "alpha", "mike")]
    drawn = svg(Figure("F", "f", "T", bars(VALUE, panels=3), Table("F", "f", "T", columns, rows), "W"))
    assert [element.text for element in elements(drawn) if element.text in ("zulu", "alpha", "mike")] == [
        "zulu",
        "alpha",
        "mike",
    ]


def test_a_line_is_named_at_its_end_in_its_own_colour() -> None:
    x = Column("round", "Round", "count")
    rows = [
        {"label": Cell(name), "round": Cell(at), "value": Cell(at / 4)} for name in ("one", "two") for at in range(3)
    ]
    labels = [Label("one", 2, 0.5, "one"), Label("two", 2, 0.7, "two")]
    drawn = svg(Figure("F", "f", "T", lines(x, VALUE, labels), Table("F", "f", "T", (LABEL, x, VALUE), rows), "W"))
    classes = {element.text: element.get("class") for element in elements(drawn) if element.text in ("one", "two")}
    assert classes == {"one": "fig-f-series-1", "two": "fig-f-series-2"}


def test_labels_are_moved_apart_in_their_order_and_stay_inside() -> None:
    placed = spread([0.5, 0.51, 0.52, 0.99, 1.0], 0.1, 0.0, 1.0)
    assert placed == sorted(placed)
    assert all(other - one >= 0.1 - 1e-9 for one, other in itertools.pairwise(placed))
    assert min(placed) >= 0
    assert max(placed) <= 1


def test_a_drawing_is_the_same_each_time() -> None:
    assert svg(figure(["a", "b"])) == svg(figure(["a", "b"]))


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("colours", "papers"), [(LIGHT, ("#ffffff", "#fbfaf7")), (DARK, ("#14181a", "#1b2023"))])
def test_what_is_written_or_drawn_can_be_told_from_the_paper(colours: dict[str, str], papers: tuple[str, str]) -> None:
    for name, colour in colours.items():
        if name != "line":
            assert min(_contrast(colour, paper) for paper in papers) >= 4.5, name


def test_what_one_drawing_refers_to_is_its_own() -> None:
    def clipped(slug: str) -> Figure:
        made = figure(["a"], slug)
        marks = [{**layer, "mark": {**layer["mark"], "clip": True}} for layer in made.spec["layer"]]
        return Figure(made.name, slug, made.title, {**made.spec, "layer": marks}, made.data, made.alternative)

    one, other = svg(clipped("one")), svg(clipped("other"))
    for drawn, slug in ((one, "one"), (other, "other")):
        ids = {element.attrib["id"] for element in elements(drawn) if "id" in element.attrib}
        named = set(re.findall(r"url\(#([^)]*)\)", drawn))
        assert named
        assert named <= ids
        assert all(name.startswith(f"{slug}-") for name in ids)
