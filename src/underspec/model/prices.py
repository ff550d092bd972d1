"""What tokens cost: a dated file of prices, which users can replace. A model that is not in it has no known cost."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from underspec.artifact.base import json_path
from underspec.errors import UsageError

PACKAGED = "prices.toml"
MILLION = 1_000_000

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class Tokens:
    """Token counts of one call, exclusive of each other; None where the provider did not say."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


class Price(BaseModel):
    """Dollars per million tokens of one model.

    ``cache_write`` is the rate of the five-minute cache, and what a write of unknown lifetime costs;
    ``cache_write_1h`` that of the one-hour cache. A rate that is absent is unknown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    cache_write_1h: Dollars | None = None
    names: tuple[str, ...] = ()
    source: str
    read: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]

    def cost(self, tokens: Tokens, *, cache_lifetime: str | None = None) -> float | None:
        """Dollars for ``tokens``; None where a count or a rate that is needed is unknown."""
        if tokens.input is None or tokens.output is None:
            return None
        write = self.cache_write_1h if cache_lifetime == "1h" else self.cache_write
        parts = (
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read or 0, self.cache_read),
            (tokens.cache_write or 0, write),
        )
        total = 0.0
        for count, rate in parts:
            if count and rate is None:
                return None
            total += count * (rate or 0.0)
        return total / MILLION


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(default=1, ge=1, le=1)
    models: dict[str, Price]


@dataclass(frozen=True)
class Prices:
    """Prices by model name (``provider/name``). ``origin`` is ``packaged`` or the user's path."""

    models: dict[str, Price]
    origin: str

    def find(self, model: str) -> Price | None:
        """The price of exactly this model, by its name or one of its other names. Never a guess by resemblance."""
        return self.models.get(model) or next((p for p in self.models.values() if model in p.names), None)

    def source_of(self, model: str) -> str | None:
        """Which price is used for ``model``: origin and the day on which it was read."""
        price = self.find(model)
        return f"{self.origin} {price.read}" if price else None

    def require(self, model: str) -> None:
        """A cost limit needs prices.

        Raises:
            UsageError: this model has none.
        """
        if self.find(model) is None:
            raise UsageError(
                f"a cost limit cannot be kept with {model!r}, whose price is not known",
                file=None if self.origin == "packaged" else self.origin,
                mend=f'give --prices FILE with [models."{model}"], or leave the cost limit out',
            )


def load_prices(path: Path | None = None) -> Prices:
    """The user's prices, or the packaged ones. A user's file stands alone: nothing is mixed in.

    Raises:
        UsageError: the file cannot be read, or a field is wrong; names file and field.
    """
    origin = "packaged" if path is None else str(path)
    try:
        text = (resources.files(__package__) / PACKAGED).read_text() if path is None else path.read_text("utf-8")
        return Prices(_File.model_validate(tomllib.loads(text)).models, origin)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"not a readable TOML file: {error}", file=origin, mend="give a file of prices") from error
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise UsageError(str(first["msg"]), file=origin, where=json_path(first["loc"])) from error
