"""Thinking: what each provider is told, and what is refused. Asked of Inspect's own classes, without network."""

from __future__ import annotations

from typing import Any

import pytest

from underspec.errors import UsageError
from underspec.model.models import open_model
from underspec.model.roles import Role
from underspec.model.spec import make_spec
from underspec.model.thinking import thinking_fields

pytest.importorskip("inspect_ai")

REFUSED = "refused"

# model, thinking, the fields that Inspect gets
CASES: list[tuple[str, str, Any]] = [
    ("anthropic/claude-3-5-haiku-latest", "off", {}),
    ("anthropic/claude-3-5-haiku-latest", "max", REFUSED),
    ("anthropic/claude-opus-4-5", "off", {"reasoning_effort": "none"}),
    ("anthropic/claude-opus-4-5", "8000", {"reasoning_tokens": 8000}),
    ("anthropic/claude-opus-4-5", "1000", REFUSED),
    ("anthropic/claude-opus-4-5", "adaptive", REFUSED),
    ("anthropic/claude-opus-4-5", "max", {"reasoning_effort": "max"}),
    ("anthropic/claude-opus-4-6", "adaptive", {"reasoning_effort": "high"}),
    ("anthropic/claude-opus-4-6", "8000", {"reasoning_tokens": 8000}),
    ("anthropic/claude-opus-4-8", "off", {"reasoning_effort": "none"}),
    ("anthropic/claude-opus-4-8", "8000", REFUSED),
    ("anthropic/claude-opus-5-5", "off", REFUSED),
    ("anthropic/claude-opus-5-5", "adaptive", {"reasoning_effort": "medium"}),
    ("anthropic/claude-sonnet-5-5", "off", REFUSED),
    ("openai/gpt-4o", "off", {}),
    ("openai/gpt-4o", "adaptive", REFUSED),
    ("openai/o3", "off", REFUSED),
    ("openai/o3", "max", {"reasoning_effort": "high"}),
    ("openai/gpt-5", "off", REFUSED),
    ("openai/gpt-5.5", "off", {"reasoning_effort": "none"}),
    ("openai/gpt-5.5", "8000", REFUSED),
    ("openai/gpt-5.5", "adaptive", {"reasoning_effort": "medium"}),
    ("openai/gpt-5.5", "max", {"reasoning_effort": "xhigh"}),
    ("deepseek/deepseek-v4-pro", "off", {"reasoning_effort": "none"}),
    ("deepseek/deepseek-v4-pro", "max", {"reasoning_effort": "max"}),
    ("deepseek/deepseek-v4-pro", "8000", REFUSED),
    ("deepseek/deepseek-reasoner", "off", REFUSED),
    ("openai-api/local/anything", "off", REFUSED),
]


@pytest.mark.parametrize(("name", "thinking", "fields"), CASES)
def test_a_model_is_told_what_it_understands_or_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, thinking: str, fields: Any
) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY", "LOCAL_API_KEY"):
        monkeypatch.setenv(variable, "none")
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/")
    spec = make_spec(name, thinking=thinking)
    if fields == REFUSED:
        with pytest.raises(UsageError, match="thinking") as caught:
            open_model(spec, role=Role.BUILDER, phase="build")
        assert caught.value.mend
        return
    model = open_model(spec, role=Role.BUILDER, phase="build")
    config = model.config.model_dump(exclude_none=True)
    assert {key: value for key, value in config.items() if key.startswith("reasoning")} == fields


class GoogleGenAIAPI:
    """Stands where Inspect's class of this name does, whose package is not among ours."""

    def __init__(self, name: str) -> None:
        self.name = name

    def is_gemini(self) -> bool:
        return "gemini" in self.name

    def is_gemini_1_5(self) -> bool:
        return "-1.5-" in self.name

    def is_gemini_2_0(self) -> bool:
        return "-2.0-" in self.name

    def is_gemini_3_plus(self) -> bool:
        return "-3" in self.name

    def is_gemini_thinking_only(self) -> bool:
        return "-pro" in self.name


@pytest.mark.parametrize(
    ("name", "thinking", "fields"),
    [
        ("google/gemini-2.0-flash", "off", {}),
        ("google/gemini-2.0-flash", "100", REFUSED),
        ("google/gemini-2.5-flash", "off", {"reasoning_tokens": 0}),
        ("google/gemini-2.5-flash", "adaptive", {"reasoning_tokens": -1}),
        ("google/gemini-2.5-flash", "max", {"reasoning_tokens": 24576}),
        ("google/gemini-2.5-flash", "30000", REFUSED),
        ("google/gemini-2.5-pro", "30000", {"reasoning_tokens": 30000}),
        ("google/gemini-2.5-pro", "off", REFUSED),
        ("google/gemini-3.1-pro", "max", {"reasoning_effort": "high"}),
        ("google/gemini-3.1-pro", "adaptive", {}),
    ],
)
def test_gemini_likewise(name: str, thinking: str, fields: Any) -> None:
    spec = make_spec(name, thinking=thinking)
    if fields == REFUSED:
        with pytest.raises(UsageError):
            thinking_fields(spec, GoogleGenAIAPI(name))
    else:
        assert thinking_fields(spec, GoogleGenAIAPI(name)) == fields
