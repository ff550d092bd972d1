"""What several folders of tests share: a container engine."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.container_engine import EngineUnavailableError, running_engine


@pytest.fixture(scope="session")
def container_engine() -> Iterator[str]:
    """The socket of an engine, where DOCKER_HOST points meanwhile; skips, with the reason, where none can be had."""
    try:
        with running_engine() as socket, pytest.MonkeyPatch.context() as patch:
            patch.setitem(os.environ, "DOCKER_HOST", f"unix://{socket}")
            yield socket
    except EngineUnavailableError as error:
        pytest.skip(f"no container engine: {error}")
