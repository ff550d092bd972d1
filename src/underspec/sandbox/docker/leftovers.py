"""Containers carry labels that say who owns them, so that only what dead owners of ours left behind is removed."""

from __future__ import annotations

import json
import os

from underspec.errors import SandboxError
from underspec.sandbox.bubblewrap.state import is_ownerless
from underspec.sandbox.docker.connection import ask, engine

_SANDBOX, _USER, _OWNER = "underspec.sandbox", "underspec.user", "underspec.owner"


def container_name(sandbox_id: str) -> str:
    """The name of a sandbox's container."""
    return f"underspec-{sandbox_id}"


def labels_for(sandbox_id: str, owner: str) -> dict[str, str]:
    """Labels of a sandbox's container. ``owner`` is the document of its state folder."""
    document = json.loads(owner)
    return {
        _SANDBOX: sandbox_id,
        _USER: str(os.geteuid()),
        _OWNER: owner,
        "underspec.run": document["run"],
        "underspec.purpose": document["purpose"],
    }


def reap_containers() -> list[str]:
    """Remove containers of this user whose owner is dead; returns the ids of their sandboxes.

    Raises:
        EnvironmentLacksError: there is no engine.
    """
    wanted = {"label": [_SANDBOX, f"{_USER}={os.geteuid()}"]}
    removed = []
    for container in ask("/containers/json", all="1", filters=json.dumps(wanted)):
        labels = container["Labels"]
        name = container_name(labels[_SANDBOX])
        if f"/{name}" in container["Names"] and _is_ownerless(labels) and remove_container(name):
            removed.append(labels[_SANDBOX])
    return removed


def _is_ownerless(labels: dict[str, str]) -> bool:
    try:
        document = json.loads(labels.get(_OWNER, ""))
    except ValueError:
        return False
    return isinstance(document, dict) and is_ownerless(document)


def remove_container(name: str) -> bool:
    """Kill and remove a container. False if it was gone."""
    with engine() as connected:
        status, content = connected.request("DELETE", f"/containers/{name}?force=1&v=1")
    if status == 404 or (status == 409 and b"already in progress" in content):
        return False
    if status >= 400:
        raise SandboxError(f"container engine: {content.decode(errors='replace').strip()}")
    return True
