"""A proxy in a process of its own, whose memory and handles can be measured from outside.

``python -m tests.egress.serving FOLDER UPSTREAM_PORT`` prints its port, serves until its standard input ends, and
prints how many handles are open then, more than before.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.egress.world import lists, world
from underspec.sandbox.egress.limits import Limits


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def main(folder: Path, upstream: int) -> None:
    before = handles()
    async with world(folder, lists(upstream), limits=Limits(connections=64, head=2.0, idle=2.0)) as there:
        print(there.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        assert there.proxy.failure is None
    print(handles() - before, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
