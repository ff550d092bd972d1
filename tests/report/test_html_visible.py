"""Text in the page is inert, shows what cannot be seen, and loses nothing that can."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.html_sample import HOSTILE, Page
from underspec.report.html.visible import bounded, cells, decoded, html_of, name, prose, weight


def _text(html: str) -> str:
    return Page(f"<div class=whole>{html}</div>").texts("whole")[0]


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"], exclude_characters="\u2800"), max_size=300))
def test_what_can_be_seen_is_read_as_it_was_written(text: str) -> None:
    if any(character in "\u115f\u1160\u3164\uffa0" for character in text):
        return
    assert _text(prose(text, 100_000)) == text


@given(st.text(max_size=300))
def test_any_text_becomes_elements_of_ours_alone(text: str) -> None:
    page = Page(f"<div>{prose(text, 100_000)}</div>")
    assert {element.tag for element in page.elements} <= {"div", "b"}
    assert all(not element.attributes for element in page.elements)
    assert not page.comments


@given(st.text(max_size=300) | st.sampled_from(HOSTILE))
def test_nothing_invisible_reaches_the_page(text: str) -> None:
    for character in _text(prose(text, 100_000)):
        assert character in "\n\t " or unicodedata.category(character) not in (
            "Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs",
        )  # fmt: skip


@given(st.binary(max_size=200))
def test_any_bytes_can_be_written_as_utf8(data: bytes) -> None:
    html_of(cells(decoded(data), exact=True)).encode("utf-8")


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_different_outputs_look_different(one: bytes, other: bytes) -> None:
    shown = [html_of(cells(decoded(data), exact=True)) for data in (one, other)]
    assert (shown[0] == shown[1]) == (one == other)


@pytest.mark.parametrize(
    ("data", "html"),
    [
        (b"a  \n", "a<b>\u00b7\u00b7\u21b5</b>\n"),
        (b"a \r\n", "a<b>\u00b7</b><b>CR</b><b>\u21b5</b>\n"),
        (b" a b", " a b"),
        (b"a\tb\x00", "a<b>\u21e5</b>b<b>NUL</b>"),
        (b"\xef\xbb\xbfx\xff", "<b>U+FEFF</b>x<b>\\xFF</b>"),
        (b"\xe2\x80\xae\xc2\xa0", "<b>U+202E</b><b>U+00A0</b>"),
        (b"\xed\xa0\x80", "<b>\\xED</b><b>\\xA0</b><b>\\x80</b>"),
        ("\u21b5 NUL".encode(), "\u21b5 NUL"),
        (b"\x1b[0m\x7f", "<b>ESC</b>[0m<b>DEL</b>"),
    ],
)
def test_an_output_shows_what_cannot_be_seen(data: bytes, html: str) -> None:
    assert html_of(cells(decoded(data), exact=True)) == html


def test_marks_piled_on_a_letter_are_counted_out() -> None:
    assert prose("a\u0301\u0302\u0303\u0304") == "a\u0301\u0302\u0303<b>U+0304</b>"


@given(st.text(max_size=400), st.integers(0, 300))
def test_a_bounded_text_keeps_to_its_bound(text: str, most: int) -> None:
    kept, whole = bounded(cells(text, exact=True), most)
    assert sum(weight(cell) for cell in kept) <= most
    assert whole == (sum(weight(cell) for cell in cells(text, exact=True)) <= most)


def test_a_huge_text_is_cut_with_its_length() -> None:
    shown = prose("x" * 1_000_000, 1000)
    assert len(shown) < 1100
    assert "1,000,000 characters" in shown
    assert len(prose("\x00<" * 500_000, 1000)) < 1100
    assert "cut" not in prose("x" * 1000, 1000)


def test_a_name_stays_in_its_line_and_its_direction() -> None:
    assert name("a\nb\u05d0") == "<bdi>a\u21b5b\u05d0</bdi>"


@given(st.text(max_size=30), st.integers(0, 60))
def test_a_cut_leaves_out_half_a_character_and_nothing_else(text: str, place: int) -> None:
    whole = text.encode("utf-8", "replace")
    shown = decoded(whole[:place], cut=True)
    assert whole.decode().startswith(shown)
    assert len(whole[:place]) - len(shown.encode()) <= 3


def test_a_cut_keeps_bytes_that_are_wrong_by_themselves() -> None:
    assert decoded(b"a\xff\xff", cut=True) == "a\udcff\udcff"
    assert decoded(b"\x80\x80\x80\x80", cut=True) == "\udc80" * 4
