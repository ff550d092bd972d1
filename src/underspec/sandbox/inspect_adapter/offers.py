"""Sandboxes of this process that an Inspect sample may name as its own. Each stays its phase's."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from underspec.errors import HarnessError
from underspec.sandbox.protocol import Sandbox

_offers: dict[str, Sandbox] = {}


@contextlib.contextmanager
def offer(sandbox: Sandbox) -> Iterator[str]:
    """Let samples name a sandbox within the block; gives its id."""
    _offers[sandbox.id] = sandbox
    try:
        yield sandbox.id
    finally:
        del _offers[sandbox.id]


def offered(sandbox_id: str) -> Sandbox:
    """The sandbox of that id.

    Raises:
        HarnessError: none is offered.
    """
    try:
        return _offers[sandbox_id]
    except KeyError:
        raise HarnessError(
            f"no sandbox {sandbox_id!r} is offered to Inspect in this process",
            mend="evaluate within the block that offers it, in the same process",
        ) from None
