"""How much a model thinks: from ``off``, ``adaptive``, a number of tokens or ``max`` to what its provider takes.

Providers lower or ignore what a model can't do, some with a warning in a log. A condition that says one thing while the
model does another is worthless, so here it is refused. What a provider's class knows about its models is asked of it.
"""

from __future__ import annotations

from typing import Any

from underspec.errors import UsageError
from underspec.model.spec import SCRIPTED, ModelSpec, Thinking, thinking_of

ANTHROPIC_LEAST_TOKENS = 1024
GEMINI_DYNAMIC = -1
GEMINI_MOST_TOKENS = {"pro": 32768, "flash": 24576}


def thinking_fields(spec: ModelSpec, api: Any) -> dict[str, Any]:
    """Fields of GenerateConfig for ``spec.thinking``; none where it is not given.

    Args:
        api: the provider's object (an Inspect ModelAPI), asked what its model can do.

    Raises:
        UsageError: this model can't, or nobody knows whether it can.
    """
    thinking = thinking_of(spec)
    if thinking is None:
        return {}
    kinds = {kind.__name__ for kind in type(api).__mro__}
    for name, mapping in _PROVIDERS.items():
        if name in kinds:
            return mapping(spec, api, thinking)
    if spec.provider == SCRIPTED:
        return _scripted(thinking)
    raise _cannot(
        spec,
        f"how models of the provider {spec.provider!r} think is not known here",
        "leave thinking out, and set reasoning_effort or reasoning_tokens in the model's options",
    )


def _cannot(spec: ModelSpec, why: str, mend: str) -> UsageError:
    return UsageError(f"{spec.name}: thinking {spec.thinking!r}: {why}", where="$.thinking", mend=mend)


def _scripted(thinking: Thinking) -> dict[str, Any]:
    if isinstance(thinking, int):
        return {"reasoning_tokens": thinking}
    return {"reasoning_effort": {"off": "none", "adaptive": "medium", "max": "max"}[thinking]}


def _anthropic(spec: ModelSpec, api: Any, thinking: Thinking) -> dict[str, Any]:
    adaptive, no_cap = api.is_claude_frontier(), api.is_claude_4_7_or_later()
    if not api.is_thinking_model():
        if thinking == "off":
            return {}
        raise _cannot(spec, "this model cannot think", "use off, or another model")
    if thinking == "off":
        # Where thinking is on by itself, it must be one of those models that let it be turned off altogether.
        if no_cap and (not api._supports_disabling_thinking() or api.is_claude_sonnet_5_5_or_later()):
            raise _cannot(spec, "this model always thinks", "use adaptive or max")
        return {"reasoning_effort": "none"}
    if isinstance(thinking, int):
        if no_cap:
            raise _cannot(spec, "this model takes no number of tokens", "use adaptive or max")
        if thinking < ANTHROPIC_LEAST_TOKENS:
            raise _cannot(spec, f"the least is {ANTHROPIC_LEAST_TOKENS} tokens", "use off, or more tokens")
        return {"reasoning_tokens": thinking}
    if thinking == "adaptive":
        if not adaptive:
            raise _cannot(spec, "this model does not choose by itself", "give a number of tokens")
        return {"reasoning_effort": _default_effort(spec)}
    return {"reasoning_effort": "max"}


def _default_effort(spec: ModelSpec) -> str:
    """The effort that the provider documents as its own default; adaptive thinking is asked for by naming one."""
    from inspect_ai.model._model_info import _get_model_info_direct

    info = _get_model_info_direct(spec.name)
    known = info.reasoning_effort_default if info is not None else None
    return known if known in ("low", "medium", "high") else "high"


def _openai(spec: ModelSpec, api: Any, thinking: Thinking) -> dict[str, Any]:
    if not api.has_reasoning_options():
        if thinking == "off":
            return {}
        raise _cannot(spec, "this model cannot think", "use off, or another model")
    if isinstance(thinking, int):
        raise _cannot(spec, "the provider takes no number of tokens", "use off, adaptive or max")
    if thinking == "off":
        if api.always_reasons() or not api.is_gpt_5_plus():
            raise _cannot(spec, "this model always thinks", "use adaptive or max")
        return {"reasoning_effort": "none"}
    if thinking == "adaptive":
        return {"reasoning_effort": "medium"}
    if api.supports_max_reasoning_effort():
        return {"reasoning_effort": "max"}
    return {"reasoning_effort": "xhigh" if api.is_gpt_5_plus() else "high"}


def _google(spec: ModelSpec, api: Any, thinking: Thinking) -> dict[str, Any]:
    if not api.is_gemini() or api.is_gemini_1_5() or api.is_gemini_2_0():
        if thinking == "off":
            return {}
        raise _cannot(spec, "this model cannot think", "use off, or another model")
    most = GEMINI_MOST_TOKENS["pro" if "-pro" in spec.name else "flash"]
    if thinking == "off":
        if api.is_gemini_thinking_only():
            raise _cannot(spec, "this model always thinks", "use adaptive or max")
        return {"reasoning_tokens": 0}
    if isinstance(thinking, int):
        if thinking > most:
            raise _cannot(spec, f"the most is {most} tokens", "give fewer, or max")
        return {"reasoning_tokens": thinking}
    if thinking == "adaptive":
        return {} if api.is_gemini_3_plus() else {"reasoning_tokens": GEMINI_DYNAMIC}
    return {"reasoning_effort": "high"} if api.is_gemini_3_plus() else {"reasoning_tokens": most}


def _deepseek(spec: ModelSpec, api: Any, thinking: Thinking) -> dict[str, Any]:
    name = api.service_model_name()
    if isinstance(thinking, int):
        raise _cannot(spec, "the provider takes no number of tokens", "use off, adaptive or max")
    if "reasoner" in name or "-r1" in name.lower():
        if thinking != "adaptive":
            raise _cannot(spec, "this model always thinks, as much as it wants", "use adaptive")
        return {}
    if thinking == "off":
        return {"reasoning_effort": "none"}
    return {} if thinking == "adaptive" else {"reasoning_effort": "max"}


_PROVIDERS = {"AnthropicAPI": _anthropic, "OpenAIAPI": _openai, "GoogleGenAIAPI": _google, "DeepSeekAPI": _deepseek}
