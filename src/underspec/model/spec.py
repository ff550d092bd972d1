"""Which model, how much thinking, at which endpoints. No key ever stands here, only the names of variables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from underspec.artifact.base import json_path
from underspec.artifact.canonical import sha256_hex
from underspec.errors import UsageError

SCRIPTED = "scripted"

_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_THINKING = re.compile(r"off|adaptive|max|[1-9][0-9]{0,8}")
# Each could carry a key, or send the prompt elsewhere than to the endpoints named.
_SECRET = re.compile(r"key|secret|passw|credential|auth|header|cookie|session", re.IGNORECASE)
_NOT_OPTIONS = frozenset({"extra_headers", "cache", "batch", "response_schema", "system_message", "fallback_models"})


class Endpoint(BaseModel):
    """One place where a model is served. ``key_env`` names the environment variable that holds its key.

    None stands for what the provider uses by itself.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    key_env: Annotated[str, StringConstraints(pattern=_VARIABLE)] | None = None

    @field_validator("base_url")
    @classmethod
    def _no_secrets(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http or https address")
        if parts.username or parts.password or parts.query:
            raise ValueError("must carry no user, password or query: keys come from the environment")
        return url


class ModelSpec(BaseModel):
    """A model as a condition names it.

    ``name`` is any that Inspect takes (``provider/name``), or ``scripted/<path of a script>``. ``thinking`` is None
    (the provider's own default), ``off``, ``adaptive``, a number of tokens at most, or ``max``. With several
    ``endpoints`` one that fails is put aside for a while. ``options`` are fields of Inspect's GenerateConfig, ``args``
    arguments of the provider. ``retries`` bounds the attempts after the first (None: until a limit or the watchdog
    ends it).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]+/.+$", max_length=4096)]
    thinking: str | None = None
    endpoints: tuple[Endpoint, ...] = ()
    options: dict[str, Any] = {}
    args: dict[str, Any] = {}
    retries: int | None = Field(default=None, ge=0)
    attempt_seconds: int | None = Field(default=None, ge=1)

    @field_validator("thinking")
    @classmethod
    def _known_thinking(cls, value: str | None) -> str | None:
        if value is not None and not _THINKING.fullmatch(value):
            raise ValueError("must be off, adaptive, max or a number of tokens")
        return value

    @field_validator("options")
    @classmethod
    def _plain_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        if bad := sorted(set(options) & _NOT_OPTIONS):
            raise ValueError(f"{bad[0]} cannot be set here")
        return options

    @field_validator("args")
    @classmethod
    def _no_keys(cls, args: dict[str, Any]) -> dict[str, Any]:
        if bad := [name for name in args if _SECRET.search(name)]:
            raise ValueError(f"{bad[0]} cannot be set here: keys come from the environment")
        return args

    @property
    def provider(self) -> str:
        """The first part of the name."""
        return self.name.split("/", 1)[0]

    @property
    def script(self) -> Path | None:
        """The script's path, for a scripted model."""
        return Path(self.name.split("/", 1)[1]) if self.provider == SCRIPTED else None

    def fingerprint(self) -> str:
        """What, besides this specification, decides what the model says: a script's digest, or ''. For phase keys.

        Raises:
            UsageError: the script cannot be read.
        """
        if self.script is None:
            return ""
        try:
            return sha256_hex(self.script.read_bytes())
        except OSError as error:
            mend = "give the path of a readable script"
            raise UsageError(f"cannot be read: {error.strerror}", file=str(self.script), mend=mend) from error


def make_spec(name: str, **fields: Any) -> ModelSpec:
    """A specification from plain values.

    Raises:
        UsageError: names the field and what it may be.
    """
    try:
        return ModelSpec(name=name, **fields)
    except ValidationError as error:
        first: Any = error.errors()[0]
        mend = "a model is named provider/name" if first["loc"] == ("name",) else None
        raise UsageError(f"model {name!r}: {first['msg']}", where=json_path(first["loc"]), mend=mend) from error


Thinking = Literal["off", "adaptive", "max"] | int


def thinking_of(spec: ModelSpec) -> Thinking | None:
    """``spec.thinking`` with a number as one."""
    value = spec.thinking
    if value is None or value in ("off", "adaptive", "max"):
        return value  # type: ignore[return-value]  # narrowed by the pattern
    return int(value)
