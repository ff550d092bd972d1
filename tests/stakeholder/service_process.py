"""The service as a user starts it: a process of its own on loopback ports, there to be asked, stopped and killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPERATOR = "operator-0123456789"


@dataclass(frozen=True)
class ServiceProcess:
    """A running service: what it said when it was ready."""

    process: subprocess.Popen[bytes]
    told: dict[str, Any]

    @property
    def url(self) -> str:
        """Where the API is."""
        return str(self.told["url"])

    @property
    def port(self) -> int:
        """The API's port."""
        return int(self.url.rsplit(":", 1)[1])

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def command(db: Path, *more: str) -> list[str]:
    """The command line of a service of data-sizes on free ports."""
    program = [sys.executable, "-c", "from underspec.cli import main; main()"]
    given = [*program, "stakeholder", "serve", "--json", "--port", "0", "--db", str(db), *more]
    # The router that is there at once: these tests are not about routing.
    for option, value in (("--task", "data-sizes"), ("--router", "lexical")):
        given += [] if option in more else [option, value]
    return given


@contextlib.contextmanager
def service(db: Path, *more: str, operator: str | None = OPERATOR) -> Iterator[ServiceProcess]:
    """Start one and wait until it answers; killed afterwards if it still runs. What it logs is in ``<db>.stderr``."""
    environment = {name: value for name, value in os.environ.items() if name != "UNDERSPEC_OPERATOR_TOKEN"}
    if operator is not None:
        environment["UNDERSPEC_OPERATOR_TOKEN"] = operator
    with (
        db.with_name(f"{db.name}.stderr").open("ab") as errors,
        subprocess.Popen(command(db, *more), stdout=subprocess.PIPE, stderr=errors, env=environment) as process,
    ):
        try:
            yield ServiceProcess(process, _ready(process))
        finally:
            process.kill()


def _ready(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    said = b""
    while line := process.stdout.readline():
        said += line
        if line == b"}\n":
            told = json.loads(said)
            assert isinstance(told, dict)
            return told
    raise AssertionError(f"the service did not start: {said!r}")
