"""What a builder is told in each condition."""

from __future__ import annotations

import itertools
import json
import re
import shlex
from typing import Any

import pytest

from underspec.errors import HarnessError
from underspec.prompts.builder import builder_prompts, clarification_block, instruction_text

URL = "http://127.0.0.1:8077/ask"
USUAL: dict[str, Any] = {
    "asks": True,
    "network": "none",
    "scaffold": False,
    "language": "Python",
    "budget": 16,
    "request_path": "/request/start.md",
    "ask_url": URL,
}


def told(**changes: Any) -> str:
    return instruction_text(**{**USUAL, **changes})


@pytest.mark.parametrize(
    ("asks", "network", "grade_network", "scaffold"),
    list(itertools.product([True, False], ["none", "registries", "open"], ["none", "registries"], [True, False])),
)
def test_every_condition_has_an_instruction(asks: bool, network: str, grade_network: str, scaffold: bool) -> None:
    text = told(
        asks=asks, ask_url=URL if asks else None, network=network, grade_network=grade_network, scaffold=scaffold
    )
    assert "/request/start.md" in text
    assert "bash rcb_tests/test.sh --cases-dir" in text
    assert not re.search(r"\$\{|<!--", text)
    assert (URL in text) is asks


def test_only_those_who_may_ask_are_told_to() -> None:
    assert "16 questions" in re.sub(r"\s+", " ", told())
    silent = told(asks=False, ask_url=None, budget=16)
    assert "16" not in silent
    assert "Nobody" in silent


def test_the_network_is_told_as_it_is() -> None:
    assert "There is no network." in told(network="none")
    assert "registries" not in told(network="none")
    assert "The network is open." in told(network="open")
    assert "reaches package registries" in told(network="registries")


def test_public_cases_are_announced_only_where_they_lie() -> None:
    assert "Example cases" in told(scaffold=True)
    assert "Example cases" not in told(scaffold=False)


def test_the_language_is_the_conditions() -> None:
    assert "in Rust" in told(language="Rust")


@pytest.mark.parametrize(
    "changes",
    [{"ask_url": None}, {"asks": False}, {"budget": 0}, {"network": "host"}, {"grade_network": "x"}],
)
def test_arguments_that_contradict_each_other_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(HarnessError):
        told(**changes)


def test_the_block_tells_where_how_and_how_often() -> None:
    block = clarification_block(URL, 7)
    assert "7 questions" in re.sub(r"\s+", " ", block)
    assert "data.reply" in block
    assert "status.remaining" in block
    assert "max_interactions_reached" in block


def test_the_examples_in_the_block_are_valid() -> None:
    lines = [line.strip() for line in clarification_block(URL, 7).splitlines() if line.startswith("    ")]
    shape, curl, python = lines
    assert json.loads(shape) == {"question": "your question"}
    words = shlex.split(curl)
    assert URL in words
    assert json.loads(words[words.index("-d") + 1])["question"].endswith("?")
    compile(shlex.split(python)[2], "example", "exec")


def test_prompts_are_named_with_their_hashes() -> None:
    prompts = builder_prompts()
    assert set(prompts) == {"instruction", "clarification"}
    assert all(re.fullmatch(r"[0-9a-f]{64}", prompt.sha256) for prompt in prompts.values())
