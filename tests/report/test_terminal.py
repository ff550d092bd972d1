"""What is printed is safe and does not flatter."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.report.terminal import percent, plain


@given(st.text())
def test_no_control_or_formatting_character_reaches_the_terminal(text: str) -> None:
    for character in plain(text):
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_an_escape_sequence_and_a_bidi_override_become_visible() -> None:
    assert plain("\x1b[2Jgone\u202e") == "\\x1b[2Jgone\\u202e"


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(None, "–"), (0.0, "0.0"), (1.0, "100.0"), (0.99996, "99.9"), (0.0001, "0.1"), (0.8125, "81.2")],
)
def test_a_rate_is_never_rounded_to_all_or_nothing(rate: float | None, shown: str) -> None:
    assert percent(rate) == shown
