"""The frozen context: one list, one hash, one rendering in which no text passes for ours."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.agent.protocol import SeenTool
from underspec.artifact.canonical import sha256_hex
from underspec.artifact.clarification import Draft, Round, Verdict
from underspec.artifact.context import Event, FrozenContext, QuestionEvent, ReplyEvent, RequestEvent, ToolEvent
from underspec.phase.recorder import Recorder

OURS = re.compile(
    r"The client's request:|Question \d+, asked of the client:|The client's reply to question \d+:"
    r"|Tool \".*\" was called with .* and returned:|"
)
TEXT = st.text(max_size=60)
NUMBER = st.integers(1, 5)
EVENTS = st.lists(
    st.one_of(
        st.builds(RequestEvent, text=TEXT),
        st.builds(QuestionEvent, number=NUMBER, text=TEXT),
        st.builds(ReplyEvent, number=NUMBER, text=TEXT),
        st.builds(ToolEvent, tool=st.just("shell"), arguments=st.just('{"command": "ls"}'), result=TEXT),
    ),
    min_size=1,
    max_size=6,
)


def frozen(*events: Event) -> FrozenContext:
    return FrozenContext(task="t", events=events)


@given(EVENTS)
@settings(max_examples=200, deadline=None)
def test_no_text_passes_for_one_of_our_lines(events: list[Event]) -> None:
    for line in frozen(*events).render().splitlines():
        assert line.startswith("    ") or OURS.fullmatch(line), line


@given(EVENTS, EVENTS)
@settings(max_examples=200, deadline=None)
def test_a_context_is_known_by_its_hash_and_survives_a_file(one: list[Event], two: list[Event]) -> None:
    first, second = frozen(*one), frozen(*two)
    assert (first.sha256 == second.sha256) == (first == second)
    again = FrozenContext.from_bytes(first.to_bytes(), file="context.json")
    assert again == first
    assert (again.render(), again.sha256) == (first.render(), first.sha256)


def test_the_rendering_stays_as_it_is() -> None:
    """Another rendering needs another version: contexts of different renderings must not share a hash."""
    context = frozen(
        RequestEvent(text="# A\n\nB\n"),
        ToolEvent(tool="shell", arguments='{"command": "ls"}', result="x\ny"),
        QuestionEvent(number=1, text="Q?"),
        ReplyEvent(number=1, text="R."),
    )
    assert context.render() == (
        "The client's request:\n\n    # A\n    \n    B\n\n"
        'Tool "shell" was called with {"command": "ls"} and returned:\n\n    x\n    y\n\n'
        "Question 1, asked of the client:\n\n    Q?\n\n"
        "The client's reply to question 1:\n\n    R.\n"
    )
    assert context.rendering == 1


def test_a_recorder_keeps_what_was_seen_and_nothing_of_the_operators() -> None:
    recorder = Recorder()
    recorder.saw(SeenTool("1", "shell", {"command": "ls \udcff"}, "a \udcff"))
    drafts = (
        Draft(text="wrong", verdict=Verdict(objections=("scope",), reasons="secret reason")),
        Draft(text="right", verdict=Verdict()),
    )
    recorder.heard(Round(number=1, question="q", reply="right", drafts=drafts))
    context = frozen(RequestEvent(text="r"), *recorder.events)
    data = context.to_bytes()
    assert [event.kind for event in recorder.events] == ["tool", "question", "reply"]
    assert b"wrong" not in data
    assert b"secret reason" not in data


def test_equal_contexts_are_equal_files(tmp_path: Path) -> None:
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in paths:
        path.write_bytes(frozen(RequestEvent(text="r"), ReplyEvent(number=1, text="ü")).to_bytes())
    assert len({sha256_hex(path.read_bytes()) for path in paths}) == 1
