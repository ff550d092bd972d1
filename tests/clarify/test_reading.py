"""Answers are found in whatever a model writes; nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.phase.reading import read_answers

MARKS = ("Q1", "Q2", "Q3")


@pytest.mark.parametrize(
    ("text", "answers", "besides"),
    [
        ("## Q1\na\n## Q2\nb\n## Q3\nc", ("a", "b", "c"), ""),
        ("Here they are.\n\n# Q1\na\n\n#### Q3\nc", ("a", "", "c"), "Here they are."),
        ("**Q1**\na\n**Q2:** b\nmore\nQ3: c", ("a", "b\nmore", "c"), ""),
        ("Q1. a\nQ2 - b\nQ3 — c", ("a", "b", "c"), ""),
        ("## Q2\nb\n## Q1\na", ("a", "b", ""), ""),
        ("## Q1\na\n## Q2\nb\n## Q1\nand", ("a\nand", "b", ""), ""),
        ("## Q1\na\n## Q9\nnothing is asked so", ("a\n## Q9\nnothing is asked so", "", ""), ""),
        ("Q1 says that it is a\nQ2 is b", ("", "", ""), "Q1 says that it is a\nQ2 is b"),
        ("no marks at all", ("", "", ""), "no marks at all"),
        ("", ("", "", ""), ""),
        ("## Q1\r\na\r\n## Q2\r\nb", ("a", "b", ""), ""),
    ],
)
def test_answers_stand_under_their_marks(text: str, answers: tuple[str, ...], besides: str) -> None:
    assert read_answers(text, MARKS) == (answers, besides)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_every_line_is_somewhere(text: str) -> None:
    answers, besides = read_answers(f"## Q1\nx{text}", MARKS)
    kept = "\n".join((*answers, besides))
    for word in text.split():
        if not word.startswith(("#", "*", "Q")) and word.isalnum():
            assert word in kept
