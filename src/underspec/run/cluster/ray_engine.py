"""Ray, loaded late: a cluster that is there, or one of this machine alone, and work sent to one node of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec.errors import EnvironmentLacksError
from underspec.run.cluster.keys import without_secrets

MEND = "install underspec[ray]"
_STORE_BYTES = 80 * 1024**2
# Ray tells its makers of every cluster unless it is told not to.
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


class NodeGoneError(Exception):
    """The node, or the worker on it, ended while it had work to do."""


@dataclass(frozen=True)
class LiveNode:
    """A node that takes work now. ``address`` is for people."""

    id: str
    address: str
    cores: float
    memory_mb: int


@contextlib.contextmanager
def connected(address: str | None) -> Iterator[Ray]:
    """A cluster for as long as the block runs: the one at ``address``, else one of this machine's own, which ends with
    the block and leaves nothing.

    Raises:
        EnvironmentLacksError: Ray is not installed, or there is no cluster at that address.
    """
    # Whoever reaches the ports of a cluster could run code on it: on this machine anybody, without a token.
    token = {} if address else {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    # Before Ray is loaded: it reads them then.
    for name, value in {**_QUIET, **token}.items():
        os.environ.setdefault(name, value)
    ray = _ray()
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    folder = None if address else Path(tempfile.mkdtemp(prefix="underspec-ray-"))
    if folder:
        options.update(num_cpus=os.cpu_count(), object_store_memory=_STORE_BYTES, include_dashboard=False)
        options.update(_temp_dir=str(folder), _node_ip_address="127.0.0.1")
    else:
        options.update(address=address)
    try:
        # Ray's threads tell of nodes that die by printing; standard output is the command's own.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                with without_secrets(os.environ):
                    ray.init(**options)
            except (ConnectionError, ValueError, RuntimeError, OSError) as error:
                mend = "give the address of a cluster of which this machine is a node, such as auto or HOST:6379"
                raise EnvironmentLacksError(f"no Ray cluster: {_first_line(error)}", mend=mend) from error
            yield Ray(ray)
    finally:
        ray.shutdown()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise EnvironmentLacksError(f"the Ray executor needs the package {error.name or 'ray'}", mend=MEND) from error
    return ray


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


class Ray:
    """What the driver needs of Ray."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def nodes(self) -> list[LiveNode]:
        """The nodes that are alive; one without a core takes no work."""
        found = []
        for node in self._ray.nodes():
            resources = node["Resources"]
            if node["Alive"] and resources.get("CPU", 0) > 0:
                memory = int(resources.get("memory", 0) / 1024**2)
                found.append(LiveNode(node["NodeID"], node["NodeManagerAddress"], resources["CPU"], memory))
        return sorted(found, key=lambda node: node.id)

    def send(self, node: str, cores: float, memory_mb: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Begin a call on one node and return Ray's reference to it. It is never tried again by Ray itself."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        remote = self._ray.remote(function).options(
            num_cpus=cores, memory=memory_mb * 1024**2, max_retries=0, scheduling_strategy=there
        )
        return remote.remote(*arguments)

    async def result(self, reference: Any) -> Any:
        """What a call returned.

        Raises:
            NodeGoneError: its node or worker ended first, or the call was cancelled.
        """
        from ray.exceptions import RayError, RayTaskError

        try:
            return await asyncio.wrap_future(reference.future())
        except RayTaskError:
            raise  # a defect of ours, with its traceback
        except RayError as error:
            raise NodeGoneError(_first_line(error)) from error

    def cancel(self, reference: Any, *, force: bool) -> None:
        """Ask a call to end, as Ctrl-C does; with ``force`` kill its worker."""
        self._ray.cancel(reference, force=force)
