"""Running the real command in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """How it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


def underspec(*argv: str | Path, cwd: Path | None = None, timeout: float = 120, **env: str) -> Ran:
    """Run ``underspec`` with these arguments; ``env`` is added to the environment."""
    command = Path(sys.executable).with_name("underspec")
    done = subprocess.run(
        [str(command), *map(str, argv)],
        capture_output=True,
        cwd=cwd,
        timeout=timeout,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", **env},
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
