"""Runs trials, a few at once, each in a folder of its own."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from underspec.errors import UnderspecError
from underspec.sandbox.conformance.expect import NotApplicableError
from underspec.sandbox.protocol import SandboxBackend
from underspec.selftest import acceptance, cases, next_item, sandboxes, steering
from underspec.selftest.trial import Group, Result, Trial


def all_trials(groups: Iterable[Group] | None = None, word: str = "") -> list[Trial]:
    """Every trial of some groups (all when None) whose name holds ``word``."""
    wanted = None if groups is None else set(groups)
    made = [
        *cases.trials(),
        *acceptance.trials(),
        *sandboxes.trials(),
        *next_item.trials(),
        *steering.trials(),
    ]
    return [each for each in made if (wanted is None or each.group in wanted) and word.lower() in each.name.lower()]


async def run_trials(
    trials: Sequence[Trial],
    backend: SandboxBackend,
    *,
    concurrency: int = 2,
    progress: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """The results, in the order of the trials.

    Raises:
        EnvironmentLacksError, HostExhaustedError: this machine lacks what all of them need.
    """
    gate = asyncio.Semaphore(concurrency)

    async def one(trial: Trial) -> Result:
        async with gate:
            with tempfile.TemporaryDirectory(prefix="underspec-selftest-") as folder:
                result = await _tried(trial, backend, Path(folder))
            progress(result)
            return result

    return list(await asyncio.gather(*map(one, trials)))


async def _tried(trial: Trial, backend: SandboxBackend, folder: Path) -> Result:
    started = time.monotonic()
    skipped = None
    try:
        wrong = await trial.run(backend, folder)
    except NotApplicableError as reason:
        wrong, skipped = None, str(reason)
    except UnderspecError as error:
        if error.exit_code == 3:
            raise
        wrong = f"could not be judged: {error}"
    return Result(trial, wrong, time.monotonic() - started, skipped)
