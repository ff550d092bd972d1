"""A process that asks without pause, says on stdout what it was answered, and is there to be killed.

Usage: ``python -m tests.stakeholder.asking_process FILE BUDGET``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.stakeholder.toy import open_session
from underspec.stakeholder.session import Answer


async def main(path: Path, budget: int) -> None:
    with open_session(path, budget=budget) as session:
        # From the very first question on, so that each restart also replays what was stored before.
        for number in range(1, budget + 1):
            outcome = await session.ask(f"C1 question {number}", f"id-{number}")
            assert isinstance(outcome, Answer)
            print(json.dumps([number, outcome.reply, outcome.remaining]), flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
