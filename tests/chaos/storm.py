"""One storm: rounds of a harness hurt at a random moment, until its run is finished; then another run."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.faults import Fault, Scene, fake_clock, possible_faults
from tests.chaos.processes import naming
from tests.run.toy_agents import attempts_that_published, published
from tests.task_factory import make_task

EPOCHS = 3
_DISK_MB = 64
_PATIENCE = 300


@dataclass
class Told:
    """What happened: rounds by fault, runs that came to their end, and attempts that failed on the way."""

    rounds: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    failed_attempts: int = 0


@contextlib.contextmanager
def own_disk(folder: Path) -> Iterator[bool]:
    """A small file system at ``folder``, where we may make one."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m,mode=755", "underspec-storm", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True).returncode:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Storm:
    """Runs in ``folder`` that are hurt by chance. Same seed, same faults; when they strike depends on the machine."""

    def __init__(self, folder: Path, *, seed: int, epochs: int = EPOCHS) -> None:
        self.folder = folder
        self.epochs = epochs
        self.chance = random.Random(seed)
        self.task = make_task(folder)
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.told = Told()
        self.seen: set[str] = set()
        started = time.monotonic()
        subprocess.run(self._command(folder / "calm"), check=True, timeout=_PATIENCE, env=self._environment(None))
        self.calm_seconds = time.monotonic() - started
        self.calm = published(folder / "calm")
        assert self.calm

    def rounds(self, count: int) -> Told:
        """Hurt ``count`` times, and check each time; then let the last run come to its end, and check that."""
        with own_disk(self.folder / "disk") as is_disk:
            faults = possible_faults(own_disk=is_disk)
            names = [
                name
                for _ in range(count // len(faults) + 1)
                for name in self.chance.sample(sorted(faults), len(faults))
            ]
            run = self._new_run()
            for name in names[:count]:
                self.told.rounds[name] += 1
                if self._hurt(run, faults[name], is_disk):
                    self._check_end(run)
                    run = self._new_run()
            subprocess.run(self._command(run), check=True, timeout=_PATIENCE, env=self._environment(None))
            self._check_end(run)
        return self.told

    def _command(self, run: Path) -> list[str]:
        return [sys.executable, "-m", "tests.run.victim", str(run), str(self.task), str(self.epochs)]

    def _environment(self, clock: Path | None) -> dict[str, str]:
        # Where this run's sandboxes keep their state: nobody else's are in it.
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        library = fake_clock()
        if clock is not None and library is not None:
            environment |= {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock)}
            environment |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1"}
        return environment

    def _new_run(self) -> Path:
        run = self.folder / "disk" / f"run-{self.told.runs}"
        self.finished: set[str] = set()
        return run

    def _hurt(self, run: Path, fault: Fault, is_disk: bool) -> bool:
        """One round; returns whether the run came to its end."""
        clock = self.folder / "clock"
        clock.write_text("+0")
        harness = subprocess.Popen(
            self._command(run), env=self._environment(clock), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        scene = Scene(harness, clock, self.folder / "disk" if is_disk else None, self.chance)
        try:
            harness.wait(timeout=self.chance.uniform(0.1, 0.7) * self.calm_seconds)
        except subprocess.TimeoutExpired:
            self.seen |= self._sandboxes()
            with contextlib.suppress(FileNotFoundError):  # it ended just now
                fault(scene)
        ended = harness.wait(_PATIENCE)
        now = set(published(run)) if (run / "items").exists() else set()
        assert self.finished <= now, "the finished set shrank"
        assert all(self.calm[name] == content for name, content in self._verdicts(run).items()), "a verdict differs"
        self.finished = now
        return ended == 0

    def _verdicts(self, run: Path) -> dict[str, bytes]:
        return published(run) if (run / "items").exists() else {}

    def _check_end(self, run: Path) -> None:
        assert published(run) == self.calm
        assert set(attempts_that_published(run).values()) == {1}, "something was done twice"
        deadline = time.monotonic() + 20
        while (left := self._leftovers(run)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert left == []
        self.told.runs += 1
        self.told.failed_attempts += len(list(run.rglob("error.json")))
        shutil.rmtree(run)

    def _sandboxes(self) -> set[str]:
        return {f"underspec-{path.name}" for path in self.temporary.glob("underspec-*/*")}

    def _leftovers(self, run: Path) -> list[str]:
        mounts = Path("/proc/self/mounts").read_text().splitlines()
        groups = Path("/sys/fs/cgroup").rglob("underspec-*")
        return [
            *naming(str(self.folder)),
            *[line for line in mounts if str(self.temporary) in line],
            *[str(path) for path in groups if path.name in self.seen],
            *[str(path) for path in self.temporary.rglob("*") if path.parent != self.temporary],
            *[str(path) for name in ("claim", "scratch", "*.tmp") for path in run.rglob(name)],
        ]
