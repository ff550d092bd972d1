"""A difference shows both sides whole, marks what differs, and stays small and quick."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.report.html.diff import Line, diff
from underspec.report.html.visible import cells, decoded, html_of

_LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"a ", b"\xff", b"long line", b"\r"]), max_size=8)
_OUTPUT = st.builds(lambda lines, end: b"\n".join(lines) + end, _LINES, st.sampled_from([b"", b"\n"]))


def _plain(line: Line) -> str:
    return line.html.replace("<mark>", "").replace("</mark>", "")


def _shown(data: bytes) -> str:
    return html_of(cells(decoded(data), exact=True)).replace("\n", "")


@given(_OUTPUT, _OUTPUT)
def test_each_side_can_be_read_off_the_difference(expected: bytes, actual: bytes) -> None:
    lines = diff(expected, actual)
    if any(line.sign == "gap" for line in lines):
        return
    for sign, data in (("expected", expected), ("actual", actual)):
        side = "".join(_plain(line) for line in lines if line.sign in ("same", sign))
        # Neighbouring tokens share an element or do not, depending on where marks begin.
        assert side.replace("</b><b>", "") == _shown(data).replace("</b><b>", "")


@given(_OUTPUT, _OUTPUT)
def test_equal_outputs_and_no_others_have_no_difference(expected: bytes, actual: bytes) -> None:
    differs = any(line.sign in ("expected", "actual") for line in diff(expected, actual))
    assert differs == (expected != actual)


@pytest.mark.parametrize(
    ("expected", "actual", "signs"),
    [
        (b"6\n", b"6", [("expected", "6<mark><b>\u21b5</b></mark>"), ("actual", "6")]),
        (b"a\n", b"a \n", [("expected", "a<b>\u21b5</b>"), ("actual", "a<mark><b>\u00b7</b></mark><b>\u21b5</b>")]),
        (b"x1\t", b"x2\t", [("expected", "x<mark>1</mark><b>\u21e5</b>"), ("actual", "x<mark>2</mark><b>\u21e5</b>")]),
        (b"", b"<x>", [("actual", "&lt;x&gt;")]),
        (b"k\nl\n", b"k\n", [("same", "k<b>\u21b5</b>"), ("expected", "l<b>\u21b5</b>")]),
    ],
)  # fmt: skip
def test_what_differs_is_marked(expected: bytes, actual: bytes, signs: list[tuple[str, str]]) -> None:
    assert [(line.sign, str(line.html)) for line in diff(expected, actual)] == signs


def test_long_runs_of_equal_lines_are_left_out_with_their_number() -> None:
    same = b"".join(b"line %d\n" % number for number in range(50))
    lines = diff(b"a\n" + same + b"z\n", b"b\n" + same + b"y\n")
    assert [line.html for line in lines if line.sign == "gap"] == ["44 equal lines"]
    assert sum(line.sign == "same" for line in lines) == 6


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (b"\n" * 4096, b" \n" * 2048),
        (b"ab\n" * 1365, b"ba\n" * 1365),
        (b"\x00" * 4096, b"\xff" * 4096),
        (b"<" * 4096, b"&" * 4096),
        (bytes(range(256)) * 16, bytes(reversed(range(256))) * 16),
    ],
)
def test_the_worst_outputs_stay_small_and_quick(expected: bytes, actual: bytes) -> None:
    begun = time.process_time()
    lines = diff(expected, actual)
    assert time.process_time() - begun < 2
    assert sum(len(line.html) + 40 for line in lines) < 40_000
    assert lines[-1].html == "the rest is left out"
