"""Definitions in all twelve languages, against hand labels: precision and recall are 1."""

from __future__ import annotations

import pytest

from tests.structure.labels import labels, snippet
from underspec.grade.structure.languages import LANGUAGES, Language
from underspec.grade.structure.measure import gather
from underspec.grade.structure.source import read_text
from underspec.grade.structure.walk import Sources

ALL = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.key)


@ALL
def test_every_labelled_definition_is_found_and_nothing_else(language: Language) -> None:
    ending, text = snippet(language.key)
    expected = labels(text)
    assert len(expected.classes) + len(expected.methods) >= 25
    answer = read_text(text, language.grammar(ending), language.key)
    measured = gather([("snippet" + ending, answer)], language, Sources(), {})
    assert {f"{owner}.{name}" if owner else name for owner, name, _ in measured.methods} == expected.methods
    assert measured.classes == {name.rpartition(".")[2] for name in expected.classes}
    assert {f"{owner}.{name}" if owner else name for _, owner, name in measured.counted} == expected.classes
    assert set(answer["namespaces"]) == expected.namespaces
    assert answer["errors"] == 0


@ALL
def test_lines_of_code_leave_out_blanks_and_comments_by_syntax(language: Language) -> None:
    ending, text = snippet(language.key)
    assert read_text(text, language.grammar(ending), language.key)["loc"] == labels(text).loc
