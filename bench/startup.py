"""How long the command line takes to say anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.figures import figure, median_seconds


def startup(rounds: int = 7) -> dict[str, Any]:
    """``underspec --help``, beside an interpreter that does nothing."""
    command = Path(sys.executable).with_name("underspec")

    def run(*argv: str) -> None:
        subprocess.run(argv, check=True, capture_output=True)

    helped = median_seconds(lambda: run(str(command), "--help"), rounds)
    bare = median_seconds(lambda: run(sys.executable, "-c", "pass"), rounds)
    return {"help": figure(helped, "s", ratio=helped / bare, baseline=bare)}
