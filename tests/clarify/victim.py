"""A process that runs one item that clarifies, and kills itself where it is told to.

``python -m tests.clarify.victim FOLDER PROTOCOL [amid|before|after|call] [PHASE|NUMBER]``: in the middle of a phase's
work, before or after its artifact is published, or at the model's call of that number.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.clarify import spy
from tests.clarify.test_isolation import context_of
from underspec.grade.acceptance.broker import Broker
from underspec.run.executor import execute
from underspec.run.store import PhaseFolder


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    folder, protocol, *how = sys.argv[1:]
    work(Path(folder), protocol, how)


def work(folder: Path, protocol: str, how: Sequence[str] = ()) -> None:
    """Run one item; with ``how``, until this process dies."""
    schedule = spy.Schedule([1, 0], look="cat README.md")  # numbers of mounts differ each time
    spy.play(schedule)
    if how and how[0] == "call":
        schedule.at_call = lambda number: die() if number == int(how[1]) else None
    elif how and how[0] != "amid":
        publish = PhaseFolder.publish

        def dying(self: PhaseFolder, *args: Any) -> bool:
            here = self.path.name == how[1]
            if here and how[0] == "before":
                die()
            published = publish(self, *args)
            if here:
                die()
            return published

        PhaseFolder.publish = dying  # type: ignore[method-assign,assignment]
    context, item = context_of(folder, protocol)
    if how == ["amid", "accept"]:
        # The first command of a test: two sandboxes are alive.
        Broker._run = lambda self, order: die()  # type: ignore[method-assign,assignment,return-value]
    elif how and how[0] == "amid":
        # What a phase says of its progress; freezing is over at once and says nothing.
        said = how[1] if how[1] == "freeze" else f"{how[1]}: "
        context.progress = lambda _, words: die() if words.startswith(said) else None
    asyncio.run(execute(context, [item], concurrency=1))


if __name__ == "__main__":
    main()
