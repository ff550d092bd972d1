"""What the engine is asked to make: one locked-down container whose process 1 sleeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from underspec.sandbox.docker.skeleton import Root
from underspec.sandbox.keeper.kernel import INSIDE_CAPABILITY_NAMES
from underspec.sandbox.keeper.stage import WRITABLE
from underspec.sandbox.protocol import WORKSPACE, Limits, Mount

# Deaf to every signal that can be ignored (by bash, that is: other shells will not ignore SIGCHLD). With that ignored,
# the kernel clears away orphans by itself, so that process 1 need not be a program that does. Nothing inside ends it.
_SLEEP = "trap '' 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 17 18 20 21 22 23 24 25 26 27 28 29 30 31; exec sleep infinity"
# One more than commands have, of no use without a network: so none of them may trace process 1 or look into it.
_SHIELD = "CAP_AUDIT_WRITE"
# What tells of the host's kernel and hardware, what only its root may read, and what its root could change.
_MASKED = (
    "/proc/acpi",
    "/proc/allocinfo",
    "/proc/asound",
    "/proc/bus",
    "/proc/config.gz",
    "/proc/driver",
    "/proc/fs",
    "/proc/interrupts",
    "/proc/iomem",
    "/proc/ioports",
    "/proc/irq",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/key-users",
    "/proc/keys",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/modules",
    "/proc/mtrr",
    "/proc/pagetypeinfo",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/slabinfo",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/vmallocinfo",
    "/sys",
)
_READ_ONLY = ("/proc/sys",)


def create_body(
    root: Root,
    limits: Limits,
    *,
    marker: str,
    labels: Mapping[str, str],
    empty: Path,
    outer_mounts: Sequence[Mount],
) -> bytes:
    """The body of the engine's ``create``.

    Args:
        marker: an entry of process 1's environment, ``NAME=value``, by which the keeper knows it.
        empty: an empty host folder, bound where a mount point is needed until the keeper puts the real thing there.
        outer_mounts: mounts that lie in the image's root and not in a writable place.
    """
    mounts = [_bind(source, target) for source, target in root.binds]
    mounts += [_bind(str(empty), target) for target in (*WRITABLE, WORKSPACE) if target != "/dev/shm"]
    mounts += [_bind(str(empty) if each.source.is_dir() else "/dev/null", each.target) for each in outer_mounts]
    host: dict[str, Any] = {
        "CapAdd": [*INSIDE_CAPABILITY_NAMES, _SHIELD],
        "CapDrop": ["ALL"],
        "CgroupnsMode": "private",
        "IpcMode": "private",
        "LogConfig": {"Type": "none"},
        "MaskedPaths": list(_MASKED),
        # The disk is memory too; the keeper holds processes to `memory` itself.
        "Memory": limits.memory + limits.disk,
        "MemorySwap": limits.memory + limits.disk,
        "Mounts": mounts,
        "NanoCpus": max(10_000_000, int(limits.cpus * 1e9)),
        "NetworkMode": "none",
        "PidsLimit": limits.processes + 1,  # process 1 is none of the sandbox's
        "ReadonlyPaths": list(_READ_ONLY),
        "ReadonlyRootfs": True,
        "RestartPolicy": {"Name": "no"},
        "SecurityOpt": ["no-new-privileges"],
    }
    return json.dumps(
        {
            "Cmd": [],
            "Entrypoint": ["bash", "-c", _SLEEP],
            "Env": [marker],
            "Healthcheck": {"Test": ["NONE"]},
            "HostConfig": host,
            "Hostname": "sandbox",
            "Image": root.image,
            "Labels": dict(labels),
            "StopSignal": "SIGKILL",
            "User": "0:0",
            "WorkingDir": "/",
        }
    ).encode()


def _bind(source: str, target: str) -> dict[str, Any]:
    return {
        "Type": "bind",
        "Source": source,
        "Target": target,
        "ReadOnly": True,
        "BindOptions": {"Propagation": "rprivate"},
    }
