"""Work inside an evaluation: one sample an item, no screen of the engine's, and failures as they are."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from underspec.artifact.condition import Condition
from underspec.errors import HarnessError, SandboxError
from underspec.run.engine import evaluate
from underspec.run.item import Item

pytest.importorskip("inspect_ai")


def items(number: int) -> list[Item]:
    return [Item(task="toy", condition=Condition(agent="nop"), epoch=epoch) for epoch in range(1, number + 1)]


def test_every_item_is_worked_on_once_and_no_more_than_so_many_at_a_time(tmp_path: Path) -> None:
    seen: list[str] = []
    busy: list[int] = [0, 0]

    async def work(item: Item) -> None:
        busy[0] += 1
        busy[1] = max(busy)
        await asyncio.sleep(0.05)
        busy[0] -= 1
        seen.append(item.folder)

    asyncio.run(evaluate(items(5), work, concurrency=2, logs=tmp_path))
    assert sorted(seen) == sorted(item.folder for item in items(5))
    assert busy == [0, 2]
    assert len(list(tmp_path.glob("*.eval"))) == 1


@pytest.mark.parametrize("display", ["plain", "rich", "full"])
def test_nothing_is_printed_whatever_screen_was_chosen_before(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], display: str
) -> None:
    from inspect_ai._display.core import active
    from inspect_ai._display.plain.display import PlainDisplay
    from inspect_ai.util._display import init_display_type

    async def work(item: Item) -> None:
        return None

    init_display_type(display)
    active._active_display = PlainDisplay()  # as after an evaluation of somebody else's in this process
    asyncio.run(evaluate(items(1), work, concurrency=1, logs=tmp_path))
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("error", [SandboxError("gone"), HarnessError("ours")])
def test_what_the_work_raises_comes_out_as_it_is(tmp_path: Path, error: Exception) -> None:
    async def work(item: Item) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        asyncio.run(evaluate(items(2), work, concurrency=1, logs=tmp_path))
    assert caught.value is error


def test_no_items_start_no_evaluation(tmp_path: Path) -> None:
    async def work(item: Item) -> None:
        raise AssertionError

    asyncio.run(evaluate([], work, concurrency=1, logs=tmp_path / "logs"))
    assert not (tmp_path / "logs").exists()
