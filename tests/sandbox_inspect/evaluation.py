"""One sample of Inspect's around some work, with a model that answers from a function. Nothing leaves the process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

Work = Callable[[TaskState], Awaitable[None]]


def answering(answer: Callable[[list[Any], list[Any]], ModelOutput]) -> Model:
    """A model of ``answer(messages, tools)``. Its usage is given, since none is counted without a tokenizer."""

    def outputs(messages: list[Any], tools: list[Any], tool_choice: Any, config: Any) -> ModelOutput:
        output = answer(messages, tools)
        output.usage = ModelUsage(input_tokens=11, output_tokens=7, total_tokens=18)
        return output

    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def saying(text: str) -> Model:
    return answering(lambda messages, tools: ModelOutput.from_content("mockllm/model", text))


async def evaluate(work: Work, logs: Path, *, model: Model | None = None, **sample: Any) -> EvalLog:
    """Do ``work`` inside a sample. Its failure is raised."""
    failures: list[BaseException] = []

    @solver
    def around() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            try:
                await work(state)
            except BaseException as error:
                failures.append(error)
                raise
            return state

        return solve

    task = Task(dataset=[Sample(input="work", **sample)], solver=around())
    log = (await eval_async(task, model=model or saying("done"), log_dir=str(logs)))[0]
    if failures:
        raise failures[0]
    assert log.status == "success", log.error
    return log
