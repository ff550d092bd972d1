"""Scripts and models for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli_w

from underspec.model.ledger import Ledger
from underspec.model.limits import PhaseWatch
from underspec.model.models import open_model
from underspec.model.prices import Price, Prices
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec, make_spec

PRICE = Price(input=1.0, output=10.0, cache_read=0.1, cache_write=2.0, source="a test", read="2026-01-01")


def script(folder: Path, *turns: dict[str, Any], name: str = "script.toml", **fields: Any) -> Path:
    """A script file of these turns."""
    path = folder / name
    path.write_text(tomli_w.dumps({**fields, "turn": list(turns)}))
    return path


def spec_of(path: Path, **fields: Any) -> ModelSpec:
    """The specification of a scripted model."""
    return make_spec(f"scripted/{path}", **fields)


def priced(path: Path) -> Prices:
    """Prices that know the scripted model."""
    return Prices({f"scripted/{path}": PRICE}, "packaged")


def opened(
    path: Path,
    *,
    ledger: Ledger | None = None,
    watch: PhaseWatch | None = None,
    role: Role = Role.BUILDER,
    phase: str = "build",
    prices: Prices | None = None,
    **fields: Any,
) -> Any:
    """A scripted model, opened."""
    return open_model(spec_of(path, **fields), role=role, phase=phase, ledger=ledger, watch=watch, prices=prices)
