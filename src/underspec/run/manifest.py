"""``run.toml``: versions, digests, limits and the machine. What a reader needs to know whether two runs compare."""

from __future__ import annotations

import os
import platform
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import BaseModel, ValidationError

from underspec import __version__
from underspec.artifact.base import json_path
from underspec.artifact.files import NotRegularError, host_exhaustion, read_regular, write_atomic
from underspec.errors import StoreError
from underspec.run.claim import locked
from underspec.sandbox.protocol import SandboxBackend

FILE = "run.toml"
SCHEMA = 1
_MEND = "remove it and run the same command again"


class _Sandbox(BaseModel):
    backend: str
    comparable: bool


class _Machine(BaseModel):
    system: str
    release: str
    architecture: str
    cpus: int
    python: str
    user: str


class _Shape(BaseModel):
    """What readers of a manifest rely on."""

    machine: _Machine
    underspec: str
    sandbox: _Sandbox
    images: dict[str, str]
    tasks: dict[str, str]
    limits: dict[str, dict[str, Any]] = {}


def machine() -> dict[str, Any]:
    """What of the machine can change a result. No host name and no time."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "architecture": platform.machine(),
        "cpus": os.cpu_count() or 0,
        "python": platform.python_version(),
        "user": "root" if os.geteuid() == 0 else "ordinary",
    }


def make_manifest(
    *,
    name: str,
    backend: SandboxBackend,
    images: dict[str, str],
    tasks: dict[str, str],
    concurrency: int,
    limits: Mapping[str, Mapping[str, Any]] | None = None,
    network: Mapping[str, Any] | None = None,
    prompts: Mapping[str, str] | None = None,
    critic: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The manifest of a run: ``images`` and ``tasks`` by name with their digests, ``limits`` by task, ``network`` what
    decides what networks reach, where any is granted, ``prompts`` the hashes of all prompts by name, ``critic`` who
    reviews deliverables."""
    return {
        "schema": SCHEMA,
        "name": name,
        "underspec": __version__,
        "concurrency": concurrency,
        "machine": machine(),
        "sandbox": {
            "backend": backend.name,
            "comparable": _comparable(images),
            "checks": [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in backend.checks()],
        },
        "images": images,
        "tasks": tasks,
        "limits": {task: dict(values) for task, values in (limits or {}).items()},
        **({"network": dict(network)} if network else {}),
        **({"prompts": dict(prompts)} if prompts else {}),
        **({"critic": dict(critic)} if critic else {}),
    }


def _comparable(images: Mapping[str, str]) -> bool:
    """Whether scores compare between machines: not where a machine's own /usr was shown."""
    return all(not digest.startswith("host:") for digest in images.values())


def write_manifest(run: Path, manifest: dict[str, Any]) -> None:
    """Write ``run.toml``; what an earlier plan of the same run named is kept beside the new, and counts as well."""
    with host_exhaustion(run):
        run.mkdir(parents=True, exist_ok=True)
    with locked(run / "run.lock"):
        if (run / FILE).exists():
            earlier = read_manifest(run)
            kept = {part: {**earlier.get(part, {}), **manifest[part]} for part in ("images", "tasks", "limits")}
            comparable = _comparable(kept["images"]) and earlier.get("sandbox", {}).get("comparable", False)
            kept.update({part: manifest.get(part, earlier[part]) for part in ("network", "critic") if part in earlier})
            manifest = {**manifest, **kept, "sandbox": {**manifest["sandbox"], "comparable": comparable}}
        write_atomic(run / FILE, tomli_w.dumps(manifest).encode())


def read_manifest(run: Path) -> dict[str, Any]:
    """Read ``run.toml``.

    Raises:
        StoreError: missing, damaged or of another schema.
    """
    path = run / FILE
    try:
        manifest = tomllib.loads(read_regular(path).decode("utf-8"))
    except FileNotFoundError as error:
        raise StoreError("this is no run", file=str(run), mend="give a folder that `underspec run` made") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, NotRegularError, RecursionError) as error:
        raise StoreError(f"damaged: {error}", file=str(path), mend=_MEND) from error
    if manifest.get("schema") != SCHEMA:
        raise StoreError(
            f"has schema {manifest.get('schema')!r}, not {SCHEMA}", file=str(path), mend="use a matching version"
        )
    try:
        _Shape.model_validate(manifest)
    except ValidationError as error:
        first: Any = error.errors()[0]
        raise StoreError(
            f"damaged: {first['msg']}", file=str(path), where=json_path(first["loc"]), mend=_MEND
        ) from error
    return manifest
