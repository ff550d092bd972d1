"""A sandbox that runs already becomes the current sample's, for the time of a block, and stays its owner's."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest
from inspect_ai.event import SandboxEvent
from inspect_ai.solver import TaskState
from inspect_ai.util import ExecRemoteAwaitableOptions, ExecRemoteStreamingOptions, SandboxEnvironment, sandbox
from inspect_ai.util._sandbox import context

from tests.sandbox.boxes import needs_bubblewrap, processes, started
from tests.sandbox_inspect.evaluation import evaluate
from underspec.errors import HarnessError, SandboxGoneError
from underspec.sandbox.inspect_adapter.attach import attached
from underspec.sandbox.inspect_adapter.environment import METADATA_KEY, UnderspecSandbox
from underspec.sandbox.inspect_adapter.offers import offer

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]


def test_within_the_block_it_is_the_samples_sandbox_and_after_it_there_is_none(tmp_path: Path) -> None:
    async def run() -> None:
        async with started() as box:

            async def work(state: TaskState) -> None:
                async with attached(box) as environment:
                    assert sandbox() is environment
                    assert sandbox("default").as_type(UnderspecSandbox).sandbox is box
                    await asyncio.create_task(sandbox().write_file("made", "by a task of the sample"))
                    assert (await sandbox().exec(["cat", "made"])).stdout == "by a task of the sample"
                with pytest.raises(ProcessLookupError):
                    sandbox()

            log = await evaluate(work, tmp_path)
            assert await box.get("/workspace/made", max_bytes=100) == b"by a task of the sample"
            assert log.samples is not None
            recorded = [event for event in log.samples[0].events if isinstance(event, SandboxEvent)]
            assert {event.action for event in recorded} >= {"exec", "write_file"}

    asyncio.run(run())


def test_blocks_side_by_side_and_nested_keep_their_own_sandboxes(tmp_path: Path) -> None:
    async def run() -> None:
        async with started() as one, started() as two:

            async def inside(box: object, words: str) -> None:
                async with attached(box) as environment:  # type: ignore[arg-type]
                    await environment.write_file("words", words)
                    await asyncio.sleep(0.05)
                    assert await sandbox().read_file("words") == words

            async def work(state: TaskState) -> None:
                await asyncio.gather(inside(one, "one"), inside(two, "two"))
                async with attached(one):
                    async with attached(two):
                        assert await sandbox().read_file("words") == "two"
                    assert await sandbox().read_file("words") == "one"

            await evaluate(work, tmp_path)

    asyncio.run(run())


def test_an_offered_sandbox_can_be_the_samples_own_and_lives_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with started() as box:

            async def work(state: TaskState) -> None:
                assert sandbox().as_type(UnderspecSandbox).sandbox is box
                assert (await sandbox().exec(["cat", "given"])).stdout == "file of the sample"

            with offer(box) as name:
                files = {"given": "file of the sample"}
                await evaluate(work, tmp_path, sandbox=("underspec", name), files=files)
                await evaluate(work, tmp_path, sandbox="underspec", metadata={METADATA_KEY: name})
            assert (await box.exec(["true"])).ok
            with pytest.raises(HarnessError, match=name):
                await UnderspecSandbox.sample_init("task", name, {})
            with pytest.raises(HarnessError, match="names it"):
                await UnderspecSandbox.sample_init("task", None, {})

    asyncio.run(run())


def test_tools_are_injected_and_processes_outlive_the_command_that_started_them(tmp_path: Path) -> None:
    async def run() -> None:
        async with started() as box:

            async def work(state: TaskState) -> None:
                async with attached(box):
                    options = ExecRemoteStreamingOptions(cwd="/tmp", env={"WORD": "here"}, concurrency=False)
                    server = await sandbox().exec_remote(["sh", "-c", "echo $WORD >said; exec sleep 600"], options)
                    await sandbox().exec(["sh", "-c", "sleep 601 >/dev/null 2>&1 &"])
                    await sandbox().exec(["true"])
                    running = await processes(box)
                    assert "sleep 600" in running
                    assert "sleep 601" in running
                    assert await sandbox().read_file("/tmp/said") == "here\n"
                    await server.kill()
                    assert "sleep 600" not in await processes(box)
                    awaitable = ExecRemoteAwaitableOptions(concurrency=False)
                    ended = await sandbox().exec_remote(["sh", "-c", "pwd; exit 3"], awaitable, stream=False)
                    assert (ended.returncode, ended.stdout) == (3, "/workspace\n")

            await evaluate(work, tmp_path)

    asyncio.run(run())


def test_a_sandbox_that_died_is_no_tools_error(tmp_path: Path) -> None:
    async def run() -> None:
        async with started() as box:

            async def work(state: TaskState) -> None:
                async with attached(box):
                    await box.kill_all()
                    await sandbox().exec(["true"])

            with pytest.raises(SandboxGoneError):
                await evaluate(work, tmp_path)

    asyncio.run(run())


def test_what_is_private_to_inspect_and_used_here_is_still_there() -> None:
    for name in ("sandbox_environments", "sandbox_with_environments", "sandbox_default"):
        assert getattr(context, f"{name}_context_var").name == name
    # What Inspect itself sets when it starts a sample; a fourth variable would be one that we leave out.
    source = inspect.getsource(context.init_sandbox_environments_sample)
    assert source.count("_context_var.set(") == 3
    assert "resolve_root_access" in source
    assert list(inspect.signature(SandboxEnvironment.exec).parameters)[1:] == [
        *("cmd", "input", "cwd", "env", "user", "timeout", "timeout_retry", "concurrency")
    ]
