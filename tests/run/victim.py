"""A process that runs the toy agents, for tests that kill it: ``tests.run.victim RUN TASK EPOCHS [SANDBOXES]``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.run.toy_agents import make_context, toy_agents
from underspec.run.executor import execute


def main() -> None:
    run, task, epochs = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    sandboxes = sys.argv[4] if len(sys.argv) > 4 else "bubblewrap"
    context, items = make_context(run, task, toy_agents(), epochs=epochs, sandboxes=sandboxes)
    asyncio.run(execute(context, items, concurrency=2))


if __name__ == "__main__":
    main()
