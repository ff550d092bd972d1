"""Work on items inside one Inspect evaluation, where agents and routers can talk to models (design section 3).

Inspect brings providers, retries, agent bridges and transcripts. It is not the workflow layer: each sample awaits the
same work on one item that the local executor does without it, and the run store says what is done. The evaluation's
log is evidence, kept beside the run's items.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from underspec.errors import HarnessError, UnderspecError
from underspec.model.engine import require_engine
from underspec.run.item import Item

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog
    from inspect_ai.solver import Generate, Solver, TaskState


async def evaluate(
    items: Sequence[Item], work: Callable[[Item], Awaitable[None]], *, concurrency: int, logs: Path
) -> None:
    """Await ``work`` for every item, each in a sample of its own, at most ``concurrency`` at once.

    Only one evaluation can run in a process at a time.

    Raises:
        EnvironmentLacksError: the engine is not installed.
        UnderspecError: what ``work`` raised first; what else was going on is cancelled.
        HarnessError: the evaluation itself failed.
    """
    require_engine()
    from inspect_ai import Task, eval_async
    from inspect_ai._display.core import active
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import solver
    from inspect_ai.util._display import init_display_type

    # Whatever was chosen before: our own screen, or one JSON document, has the terminal.
    init_display_type("none")
    # A screen that an earlier evaluation of this process has used goes on printing, whatever the type says.
    active._active_display = None

    if not items:
        return
    by_folder = {item.folder: item for item in items}
    failures: list[BaseException] = []

    @solver(name="underspec/item")
    def item_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            try:
                await work(by_folder[str(state.sample_id)])
            except UnderspecError as error:
                failures.append(error)
                raise
            return state

        return solve

    samples = [Sample(id=item.folder, input=item.task, metadata={"item": item.id}) for item in items]
    (log,) = await eval_async(
        Task(dataset=samples, solver=item_solver(), name="underspec"),
        model="none/none",
        max_samples=concurrency,
        fail_on_error=True,
        score=False,
        log_dir=str(logs),
        log_buffer=1,
        log_realtime=False,
        log_level="error",
        log_header_only=True,
        ctl_server=False,
    )
    if failures:
        raise failures[0]
    _check(log)


def _check(log: EvalLog) -> None:
    if log.status == "cancelled":
        raise KeyboardInterrupt
    if log.status != "success":
        said = log.error.message if log.error else f"it ended as {log.status!r}"
        raise HarnessError(f"the model engine failed: {said}", file=log.location)
