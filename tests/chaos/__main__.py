"""Any number of rounds by one command."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from tests.chaos.storm import Storm


def main() -> None:
    """Run the storm; an assertion ends it where something was lost, done twice or left behind."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="storm-") as folder:
        told = Storm(Path(folder), seed=chosen.seed).rounds(chosen.rounds)
    document = {"seed": chosen.seed, "rounds": dict(told.rounds), "runs": told.runs, "failed": told.failed_attempts}
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
