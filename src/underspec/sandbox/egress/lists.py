"""The lists: which hosts are package registries, by language, and which are blocked whatever else is granted.

They are data, in ``lists.toml`` beside this file, and a user's own file extends or replaces them.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from underspec.artifact.base import json_path
from underspec.artifact.canonical import digest_of
from underspec.errors import UsageError
from underspec.sandbox.egress.hosts import Pattern, matches_any

PACKAGED = "lists.toml"
HTTP_PORT, HTTPS_PORT = 80, 443

_Port = Annotated[int, Field(ge=1, le=65535)]
_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


class Registry(BaseModel):
    """The hosts of one ecosystem's registries.

    ``addresses`` are networks where they may lie although those are not public: for a mirror of one's own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hosts: tuple[Pattern, ...]
    addresses: tuple[IPv4Network | IPv6Network, ...] = ()
    http_ports: tuple[_Port, ...] = (HTTP_PORT,)
    https_ports: tuple[_Port, ...] = (HTTPS_PORT,)


class Blocked(BaseModel):
    """Hosts that nothing inside reaches, for one reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hosts: tuple[Pattern, ...]


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = Field(default=1, ge=1, le=1)
    revised: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    extends: Literal["packaged", "nothing"] = "packaged"
    allow: dict[_Name, Registry] = {}
    block: dict[_Name, Blocked] = {}


@dataclass(frozen=True)
class Lists:
    """Registries and blocked hosts by group. ``origin`` is ``packaged`` or the user's path."""

    allow: dict[str, Registry]
    block: dict[str, Blocked]
    origin: str

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 over what the lists say, wherever they stood."""
        return digest_of({"allow": _said(self.allow), "block": _said(self.block)})

    def registry(self, host: str) -> tuple[str, Registry] | None:
        """The first group of registries that has the host, with its name."""
        return next(((name, each) for name, each in self.allow.items() if matches_any(host, each.hosts)), None)

    def blocked(self, host: str) -> str | None:
        """The name of the first group of blocked hosts that has the host."""
        return next((name for name, each in self.block.items() if matches_any(host, each.hosts)), None)


def _said(groups: Mapping[str, Registry | Blocked]) -> list[Any]:
    """What groups say. The order of groups counts, since the first that has a host decides; that of hosts does not."""
    return [
        [name, {key: sorted(values) for key, values in group.model_dump(mode="json").items()}]
        for name, group in groups.items()
    ]


def load_lists(path: Path | None = None) -> Lists:
    """The user's lists, or the packaged ones.

    A user's file extends the packaged lists: a group of the same name stands instead of theirs, others come beside
    it. With ``extends = "nothing"`` it stands alone.

    Raises:
        UsageError: the file cannot be read, or a field is wrong; names file and field.
    """
    return packaged_lists() if path is None else _load(path, str(path))


@functools.cache
def packaged_lists() -> Lists:
    """The lists that come with the package."""
    return _load(None, "packaged")


def _load(path: Path | None, origin: str) -> Lists:
    try:
        text = (resources.files(__package__) / PACKAGED).read_text("utf-8") if path is None else path.read_text("utf-8")
        file = _File.model_validate(tomllib.loads(text))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        mend = "give a file of registries, as in docs/network.md"
        raise UsageError(f"not a readable TOML file: {error}", file=origin, mend=mend) from error
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise UsageError(str(first["msg"]), file=origin, where=json_path(first["loc"])) from error
    if path is None or file.extends == "nothing":
        return Lists(file.allow, file.block, origin)
    base = packaged_lists()
    # The user's first: where two groups have a host, it is the user's word that counts.
    kept = {name: group for name, group in base.allow.items() if name not in file.allow}
    return Lists({**file.allow, **kept}, {**base.block, **file.block}, origin)
