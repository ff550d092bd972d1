"""Work in a thread ends before its caller does, and never holds the loop up."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from underspec.artifact.threads import in_thread


def test_the_loop_goes_on_and_the_result_comes_back() -> None:
    go_on = threading.Event()

    async def both() -> int:
        working = asyncio.create_task(in_thread(lambda: 7 if go_on.wait(10) else 0))
        await asyncio.sleep(0.01)
        go_on.set()
        return await working

    assert asyncio.run(both()) == 7


def test_an_error_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(lambda: 1 // 0))


@pytest.mark.parametrize("fails", [False, True])
def test_who_is_cancelled_waits_for_the_thread_and_is_cancelled_then(fails: bool) -> None:
    ended: list[float] = []

    def work() -> None:
        time.sleep(0.1)
        ended.append(time.monotonic())
        if fails:
            raise OSError("too late to matter")

    async def run() -> float:
        working = asyncio.create_task(in_thread(work))
        await asyncio.sleep(0.01)
        for _ in range(3):
            working.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await working
        return time.monotonic()

    left = asyncio.run(run())
    assert len(ended) == 1
    assert ended[0] <= left
