"""The page can be read in both of its colour schemes (WCAG 2: text 4.5 to 1, pictures 3 to 1)."""

from __future__ import annotations

import re

import pytest

from underspec.report.html.page import _style

_TEXT = [
    *((ink, ground) for ink in ("ink", "dim", "accent") for ground in ("paper", "card", "soft")),
    ("warn", "warn-ground"),
    ("warn", "card"),
    ("warn", "paper"),
    ("ink", "warn-ground"),
    ("ink", "ask"),
    ("dim", "ask"),
    ("token", "token-ground"),
    ("mark-ink", "mark"),
    *((ink, side) for side in ("wanted", "came") for ink in ("ink", f"{side}-ink")),
]
_PICTURES = [
    ("pass", "card"),
    ("pass", "paper"),
    *((outcome, f"{outcome}-ground") for outcome in ("mismatch", "missing", "oversize")),
]


def _schemes() -> dict[str, dict[str, str]]:
    style = _style()
    light, _, rest = style.partition("@media screen and (prefers-color-scheme: dark)")
    found = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});").findall
    first = dict(found(light))
    return {"light": first, "dark": {**first, **dict(found(rest.partition("\n}\n")[0]))}}


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_stand_out_from_their_ground(scheme: str) -> None:
    colours = _schemes()[scheme]
    weak = {
        (ink, ground): round(contrast(colours[ink], colours[ground]), 2)
        for pairs, least in ((_TEXT, 4.5), (_PICTURES, 3.0))
        for ink, ground in pairs
        if contrast(colours[ink], colours[ground]) < least
    }
    assert weak == {}


def test_the_schemes_differ_and_contrast_is_measured_right() -> None:
    light, dark = _schemes()["light"], _schemes()["dark"]
    assert light["paper"] != dark["paper"]
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_no_text_is_tiny() -> None:
    sizes = [float(size) for size in re.findall(r"(?:font-size: |font: 600 )(\.\d+|\d\.\d+)(?:rem|em)", _style())]
    assert len(sizes) > 15
    assert min(sizes) >= 0.78
