"""Which processes belong to a run, read from /proc."""

from __future__ import annotations

import contextlib
from pathlib import Path


def children(pid: int) -> list[int]:
    """Processes that it started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(word) for word in (task / "children").read_text().split()]
    return found


def sandbox_keepers(harness: int) -> list[int]:
    """What holds the harness's sandboxes: the processes beside them, and the first process of each."""
    keepers = children(harness)
    below = [child for keeper in keepers for child in children(keeper)]
    return keepers + [pid for pid in below if _is_first_of_its_namespace(pid)]


def _is_first_of_its_namespace(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return line.split()[-1] == "1"
    return False


def naming(marker: str) -> list[str]:
    """Processes whose command line or environment has ``marker`` in it."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if any(marker.encode() in (folder / part).read_bytes() for part in ("cmdline", "environ")):
                    found.append(f"process {folder.name}")
    return found
