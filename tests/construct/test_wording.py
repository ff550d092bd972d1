"""A hidden phrase is found however it is spelled, and nowhere else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.construct.text_gates.wording import Text, same_words, singular

WORDS = st.lists(st.text("bcdfghklmnprt", min_size=2, max_size=6), min_size=1, max_size=4)
# What stands between words, and what none of the words above can be glued to.
GAPS = st.sampled_from([" ", "  ", "\n", "-", "_", " – ", "\u00a0", "/", ". ", "**", "\u200b "])
LITERALS = st.text("0123456789+-*/%@#.,:$", min_size=1, max_size=8).filter(lambda text: any(c.isdigit() for c in text))
PROSE = st.text("aeiou \n.,", max_size=40)


@given(WORDS, st.data())
def test_a_hidden_phrase_is_caught_in_any_case_spacing_and_punctuation(words: list[str], data: st.DataObject) -> None:
    cased = [data.draw(st.sampled_from([word, word.upper(), word.title()])) for word in words]
    spelled = cased[0] + "".join(data.draw(GAPS) + word for word in cased[1:])
    text = f"{data.draw(PROSE)} {spelled} {data.draw(PROSE)}"
    assert Text(text).holds(" ".join(words))


@given(WORDS, st.data())
def test_a_hidden_phrase_is_caught_in_full_width_letters_and_with_accents(
    words: list[str], data: st.DataObject
) -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if "a" <= c <= "z" else c for c in " ".join(words))
    accented = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), " ".join(w + "\u0301" for w in words))
    for spelled in (wide, accented):
        assert Text(f"see {spelled}!").holds(" ".join(words))


@given(WORDS, PROSE)
def test_a_phrase_of_other_letters_is_never_found(words: list[str], prose: str) -> None:
    assert not Text(prose).holds(" ".join(words))


@given(LITERALS, st.data())
def test_a_hidden_literal_is_caught_whatever_the_spaces(literal: str, data: st.DataObject) -> None:
    spaced = "".join(data.draw(st.sampled_from(["", " "])) + character for character in literal)
    # Spaces may not make another number of it, which the digits of a literal would if they were taken apart in prose.
    assert Text(f"up to {spaced} of them").holds(literal)


@given(st.integers(1, 99_999), st.integers(1, 9))
def test_a_number_is_no_part_of_a_longer_one(number: int, digit: int) -> None:
    for text in (f"{digit}{number}", f"{number}{digit}", f"{number}.{digit}", f"{digit}.{number}", f"{digit},{number}"):
        assert not Text(f"it is {text} here").holds(str(number))
    assert Text(f"it is {number}, here").holds(str(number))
    assert Text(f"it is {number}.").holds(str(number))


@given(st.text(max_size=60), st.text(max_size=60), st.text(min_size=1, max_size=12))
def test_whatever_the_text_places_lie_in_it_and_hold_what_was_sought(before: str, after: str, phrase: str) -> None:
    text = Text(f"{before} {phrase} {after}")
    for begin, end in text.find(phrase):
        assert 0 <= begin < end <= len(text.text)
        assert Text(text.text[begin:end]).holds(phrase)
        assert text.line((begin, end)).startswith("line ")


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("year end", "the year-ends' rules"),
        ("error category", "Error categories:"),
        ("maxWidth", "the max width"),
        ("max width", "`maxWidth`"),
        ("bad_piece", "a bad piece"),
        ("-840", "from \N{MINUS SIGN}840 minutes"),
        ("@yearly", "it happens yearly"),
        ("*/4", "write * / 4"),
        ("0.25", "a 0.25 share"),
        ("(etc)", "put ( ETC ) there"),
        ("naïve", "NAIVE"),
    ],
)
def test_spellings_that_give_a_phrase_away(phrase: str, text: str) -> None:
    assert Text(text).holds(phrase)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("art", "party"),
        ("width", "widthwise"),
        ("-840", "1-8400"),
        ("4", "0.4 or 42 or 4.5"),
        ("LW", "always"),
        ("unit", "community"),
        ("   ", "   "),
    ],
)
def test_what_is_no_such_phrase(phrase: str, text: str) -> None:
    assert not Text(text).holds(phrase)


@pytest.mark.parametrize(
    ("plural", "word"),
    [
        ("sizes", "size"),
        ("boxes", "box"),
        ("cities", "city"),
        ("classes", "class"),
        ("status", "status"),
        ("gas", "gas"),
    ],
)
def test_endings_of_plurals(plural: str, word: str) -> None:
    assert singular(plural) == word


def test_same_words() -> None:
    assert same_words("Which sizes?", "which size")
    assert not same_words("which size", "what size")
    assert not same_words("+", "-")
