"""Opening a model: from a specification to what Inspect calls a Model, metered and limited."""

from __future__ import annotations

import asyncio
import os
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from underspec.errors import EnvironmentLacksError, ModelServiceError, UnderspecError, UsageError
from underspec.model.engine import require_engine
from underspec.model.ledger import Ledger
from underspec.model.limits import Limits, PhaseWatch
from underspec.model.prices import Prices, load_prices
from underspec.model.roles import Role
from underspec.model.signals import signal_of
from underspec.model.spec import Endpoint, ModelSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspect_ai.model import GenerateConfig, Model, ModelAPI

_shared: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, ModelAPI]] = weakref.WeakKeyDictionary()


def open_model(
    spec: ModelSpec,
    *,
    role: Role,
    phase: str,
    ledger: Ledger | None = None,
    watch: PhaseWatch | None = None,
    prices: Prices | None = None,
) -> Model:
    """A model for one role in one phase. Use it like any of Inspect's, inside an evaluation or without one.

    Clients are shared by all models of the same name and endpoints in one event loop; a scripted model is never shared,
    so that each opened one reads its script from the beginning. Every call becomes a line of ``ledger`` before its
    answer is used, and is counted by ``watch``, which also refuses calls once a limit is reached.

    Raises:
        EnvironmentLacksError: the engine, a provider's package or a key is missing; says what to do (exit 3).
        UsageError: there is no such provider, or the model cannot think, or be configured, as asked.
    """
    require_engine()
    from underspec.model.thinking import thinking_fields

    api = _api(spec)
    config = _config({**spec.options, **thinking_fields(spec, api), **_patience(spec)}, spec)
    fixed = spec.thinking is not None
    return _metered(api, config, spec.args, spec.name, role, phase, ledger, watch, prices, fixed_thinking=fixed)


def adopt_model(
    model: Model,
    *,
    role: Role,
    phase: str,
    ledger: Ledger | None = None,
    watch: PhaseWatch | None = None,
    prices: Prices | None = None,
) -> Model:
    """The same for a model that somebody else has opened, such as an evaluation of Inspect's."""
    require_engine()
    from underspec.model.tap import tap

    name = str(model)
    return _metered(
        tap([model.api]), model.config, model.model_args, name, role, phase, ledger, watch, prices, fixed_thinking=False
    )


def _metered(
    api: ModelAPI,
    config: GenerateConfig,
    args: dict[str, Any],
    name: str,
    role: Role,
    phase: str,
    ledger: Ledger | None,
    watch: PhaseWatch | None,
    prices: Prices | None,
    *,
    fixed_thinking: bool,
) -> Model:
    from underspec.model.metered import Meter, MeteredModel

    meter = Meter(
        name=name,
        role=str(role),
        phase=phase,
        ledger=ledger or Ledger.in_memory(),
        watch=watch or PhaseWatch(Limits(inactivity=None)),  # with no phase, nobody stands still
        prices=prices or load_prices(),
        counted=role is Role.BUILDER,
        fixed_thinking=fixed_thinking,
    )
    return MeteredModel(api, config, args, meter)


@contextmanager
def service_errors(model: str) -> Iterator[None]:
    """Turn whatever a model call raises into :class:`ModelServiceError`, naming the model and the signal alone.

    What a provider says can hold parts of the prompt, so its text stays out of the message (it is the cause).
    """
    try:
        yield
    except UnderspecError:
        raise
    except Exception as error:  # providers are plug-ins, and raise what they like
        if type(error).__name__ == "LimitExceededError":
            raise  # one of Inspect's own, which ends its sample
        raise ModelServiceError(f"the model {model} failed: {signal_of(error)} ({type(error).__name__})") from error


def _patience(spec: ModelSpec) -> dict[str, Any]:
    found = {"max_retries": spec.retries, "attempt_timeout": spec.attempt_seconds}
    return {name: value for name, value in found.items() if value is not None}


def _config(fields: dict[str, Any], spec: ModelSpec) -> GenerateConfig:
    from inspect_ai.model import GenerateConfig
    from pydantic import ValidationError

    try:
        return GenerateConfig(**fields)
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise UsageError(f"model {spec.name!r}: {first['msg']}", where="$.options") from error


def _api(spec: ModelSpec) -> ModelAPI:
    from underspec.model.tap import tap

    endpoints = spec.endpoints or (Endpoint(),)
    if spec.script is not None:
        return tap([_provider(spec, endpoint) for endpoint in endpoints], patient=False)
    key = spec.model_dump_json(include={"name", "endpoints", "args"})
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return tap([_provider(spec, endpoint) for endpoint in endpoints])
    known = _shared.setdefault(loop, {})
    if key not in known:
        known[key] = tap([_provider(spec, endpoint) for endpoint in endpoints])
    return known[key]


def _provider(spec: ModelSpec, endpoint: Endpoint) -> ModelAPI:
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    import underspec.model.scripted_provider  # noqa: F401  # registers it

    key: str | None = None
    if endpoint.key_env is not None:
        key = os.environ.get(endpoint.key_env)
        if not key:
            mend = f"set the environment variable {endpoint.key_env}"
            raise EnvironmentLacksError(f"model {spec.name!r} has no key", mend=mend)
    try:
        return get_model(spec.name, base_url=endpoint.base_url, api_key=key, memoize=False, **spec.args).api
    except UnderspecError:
        raise
    except PrerequisiteError as error:
        # Its text names packages and variables, never their values.
        raise EnvironmentLacksError(f"model {spec.name!r} cannot be used here: {_plain(error)}") from error
    except ImportError as error:
        mend = f"install what the provider {spec.provider!r} needs"
        raise EnvironmentLacksError(f"model {spec.name!r} needs the package {error.name}", mend=mend) from error
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"model {spec.name!r} cannot be opened: {error}", mend="a model is named provider/name"
        ) from error


def _plain(error: Exception) -> str:
    from rich.text import Text

    return " ".join(Text.from_markup(str(getattr(error, "message", error))).plain.split())
