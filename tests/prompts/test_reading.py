"""Prompts are read as they are, strictly, and may be replaced by a user's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.errors import HarnessError, UnderspecError, UsageError
from underspec.prompts import Prompt, load_prompt, render


def prompt(text: str) -> Prompt:
    return Prompt("role", "name", text, "0" * 64, "packaged")


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "builder" / "clarification.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_values_are_put_in() -> None:
    assert render(prompt("Hello ${who}, ${who}!"), sections={}, values={"who": "you"}) == "Hello you, you!\n"


@given(st.text())
def test_a_value_is_never_read_as_a_template(value: str) -> None:
    hostile = value + "${other} $other {0} %s\n<!-- only: x -->\n<!-- end -->\n\n\n"
    assert render(prompt("<${text}>"), sections={}, values={"text": hostile}) == f"<{hostile}>\n"


def test_a_section_is_there_only_where_it_is_wanted() -> None:
    text = "a\n\n<!-- only: x -->\nb ${v}\n<!-- end -->\n\nc\n"
    assert render(prompt(text), sections={"x": True}, values={"v": "1"}) == "a\n\nb 1\n\nc\n"
    assert render(prompt(text), sections={"x": False}, values={"v": "1"}) == "a\n\nc\n"


def test_a_dollar_alone_is_just_a_dollar() -> None:
    assert render(prompt('cost $5, "$1" and $HOME'), sections={}, values={}) == 'cost $5, "$1" and $HOME\n'


@pytest.mark.parametrize(
    ("text", "sections", "values", "says"),
    [
        ("${b}", {}, {"a": "1", "b": "2"}, "${a} is missing"),
        ("${a} ${b}", {}, {"a": "1"}, "unknown placeholder ${b}"),
        ("${A}", {}, {}, "not a placeholder"),
        ("${a", {}, {}, "not a placeholder"),
        ("<!-- only: y -->\n<!-- end -->", {}, {}, "unknown section 'y'"),
        ("text", {"x": False}, {}, "section 'x' is missing"),
        ("<!-- only: x -->", {"x": True}, {}, "has no end"),
        ("<!-- end -->", {}, {}, "the end of no section"),
        ("<!-- only: x -->\n<!-- only: x -->", {"x": True}, {}, "inside a section"),
    ],
)
def test_what_does_not_fit_is_said(text: str, sections: dict[str, bool], values: dict[str, str], says: str) -> None:
    with pytest.raises(HarnessError) as caught:
        render(prompt(text), sections=sections, values=values)
    assert says in str(caught.value)
    assert "prompts/role/name.md" in str(caught.value)


def test_a_placeholder_must_be_known_even_in_a_section_that_is_left_out() -> None:
    with pytest.raises(UnderspecError):
        render(prompt("<!-- only: x -->\n${typo}\n<!-- end -->"), sections={"x": False}, values={})


def test_a_users_prompt_replaces_ours_and_has_its_own_hash(tmp_path: Path) -> None:
    ours = load_prompt("builder", "clarification")
    path = write(tmp_path, "Ask at ${ask_url}, ${budget} times.")
    theirs = load_prompt("builder", "clarification", override=tmp_path)
    assert ours.origin == "packaged"
    assert theirs.origin == str(path)
    assert theirs.sha256 != ours.sha256
    assert load_prompt("builder", "instruction", override=tmp_path).origin == "packaged"


def test_a_users_prompt_that_does_not_fit_is_the_users_fault(tmp_path: Path) -> None:
    path = write(tmp_path, "Ask ${nobody}.")
    with pytest.raises(UsageError) as caught:
        render(load_prompt("builder", "clarification", override=tmp_path), sections={}, values={})
    assert str(path) in str(caught.value)
    assert "line 1" in str(caught.value)


def test_a_users_prompt_that_cannot_be_read_is_the_users_fault(tmp_path: Path) -> None:
    write(tmp_path, b"\xff\xfe")
    with pytest.raises(UsageError):
        load_prompt("builder", "clarification", override=tmp_path)
    with pytest.raises(UsageError):
        load_prompt("builder", "clarification", override=tmp_path / "absent")


@pytest.mark.parametrize(("role", "name"), [("builder", "absent"), ("..", "errors"), ("builder", "../builder/x")])
def test_there_is_nothing_to_read_outside_the_prompts(role: str, name: str) -> None:
    with pytest.raises(HarnessError):
        load_prompt(role, name)
