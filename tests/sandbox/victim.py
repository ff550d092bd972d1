"""A harness for tests to kill: starts sandboxes with something alive in them, says their ids, and waits."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time

from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.protocol import Owner, SandboxSpec


async def main(count: int) -> None:
    """Start them and never end."""
    sandboxes = [BubblewrapSandbox(SandboxSpec(owner=Owner("victim", "to be killed"))) for _ in range(count)]
    await asyncio.gather(*(sandbox.start() for sandbox in sandboxes))
    for sandbox in sandboxes:
        await sandbox.exec(["bash", "-c", "setsid sleep 4321 >/dev/null 2>&1 & echo x > /tmp/file"])
        print(sandbox.id, sandbox._running().pid, flush=True)
    if os.fork() == 0:
        # A child with copies of all descriptors outlives its parent, and must not keep the sandboxes alive.
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        time.sleep(15)
        os._exit(0)
    running = [sandbox.exec(["bash", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done"]) for sandbox in sandboxes]
    print("ready", flush=True)
    await asyncio.gather(*running)


if __name__ == "__main__":
    # Whoever runs the tests in the background may have had it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asyncio.run(main(int(sys.argv[1])))
