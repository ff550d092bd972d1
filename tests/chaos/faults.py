"""What can happen to a run. Each fault hurts a harness that runs, and undoes what it did to the machine."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.processes import sandbox_keepers


@dataclass(frozen=True)
class Scene:
    """A harness at work. ``clock`` is the file by which libfaketime tells it the time, where it is installed; ``disk``
    the file system of the run's own, where there is one."""

    harness: subprocess.Popen[bytes]
    clock: Path | None
    disk: Path | None
    chance: random.Random


Fault = Callable[[Scene], None]


def kill_the_harness(scene: Scene) -> None:
    """``kill -9``: the machine lost power, as far as this process can tell."""
    scene.harness.kill()


def interrupt_the_harness(scene: Scene) -> None:
    """Ctrl-C, and a polite stop."""
    scene.harness.send_signal(scene.chance.choice((signal.SIGINT, signal.SIGTERM)))


def kill_a_sandbox(scene: Scene) -> None:
    """A sandbox dies under whatever is at work in it; the harness must notice and try again."""
    keepers = sandbox_keepers(scene.harness.pid)
    if keepers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(scene.chance.choice(keepers), signal.SIGKILL)


def stall_the_harness(scene: Scene) -> None:
    """The machine is suspended for a moment."""
    scene.harness.send_signal(signal.SIGSTOP)
    time.sleep(scene.chance.uniform(0.05, 1.0))
    scene.harness.send_signal(signal.SIGCONT)


def fill_the_disk(scene: Scene) -> None:
    """No byte can be written for a while. The harness may go on or stop, and must not take anything for a result."""
    assert scene.disk is not None
    ballast = scene.disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as stream:
        while stream.write(b"\0" * 2**20):
            pass
    time.sleep(scene.chance.uniform(0.1, 1.0))
    ballast.unlink()


def jump_the_clock(scene: Scene) -> None:
    """The clock of the wall is set, forwards or back, by up to a month. Nothing may be decided by it."""
    assert scene.clock is not None
    scene.clock.write_text(f"{scene.chance.choice('+-')}{scene.chance.randint(1, 30 * 24 * 3600)}")


def slow_the_disk(scene: Scene) -> None:
    """Each opening, renaming and syncing of a file takes 5 ms more, for a second."""
    calls = "openat,rename,renameat2,fsync,fdatasync,link,linkat,unlink"
    command = ["strace", "-o", "/dev/null", "-e", f"inject={calls}:delay_exit=5000"]
    for task in Path(f"/proc/{scene.harness.pid}/task").iterdir():
        command += ["-p", task.name]
    tracing = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        tracing.wait(1.0)
    except subprocess.TimeoutExpired:
        tracing.terminate()
        tracing.wait()


def fake_clock() -> Path | None:
    """libfaketime, where it is installed."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else None


def possible_faults(*, own_disk: bool) -> dict[str, Fault]:
    """The faults that this machine can make, by name."""
    faults: dict[str, Fault] = {
        "harness killed": kill_the_harness,
        "harness interrupted": interrupt_the_harness,
        "sandbox killed": kill_a_sandbox,
        "machine suspended": stall_the_harness,
    }
    if own_disk:
        faults["disk full"] = fill_the_disk
    if fake_clock() is not None:
        faults["clock set"] = jump_the_clock
    if shutil.which("strace"):
        faults["disk slow"] = slow_the_disk
    return faults
