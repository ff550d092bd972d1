"""A harness to be killed: starts sandboxes with something alive in them, says their ids, and waits.

Started as ``python -m underspec.sandbox.conformance.victim BACKEND COUNT MARK``.
"""

from __future__ import annotations

import asyncio
import sys

from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner, SandboxSpec


async def main(backend_name: str, count: int, mark: str) -> None:
    """Start them and never end."""
    backend = load_backend(backend_name)
    sandboxes = [backend.create(SandboxSpec(owner=Owner("victim", "to be killed"))) for _ in range(count)]
    await asyncio.gather(*(sandbox.start() for sandbox in sandboxes))
    for sandbox in sandboxes:
        await sandbox.exec(["bash", "-c", f"setsid sleep {mark} >/dev/null 2>&1 & echo x > /tmp/file"])
        print(sandbox.id, flush=True)
    running = [sandbox.exec(["bash", "-c", f"trap '' TERM HUP INT; sleep {mark}"]) for sandbox in sandboxes]
    print("ready", flush=True)
    await asyncio.gather(*running)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
