"""Messages are read from the engine's own logs: the builder's, of the attempt that counts, and nothing else."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, ModelUsage, get_model

from tests.report.export.sample import built
from tests.report.human.study_sample import begin_run
from underspec.artifact.condition import Condition
from underspec.errors import EnvironmentLacksError
from underspec.model.ledger import Ledger
from underspec.model.models import adopt_model
from underspec.model.roles import Role
from underspec.report.export import evidence as evidence_module
from underspec.report.export.evidence import LEFT_OUT, NO_CALL, NO_EVIDENCE, NOT_MADE, Evidence
from underspec.report.export.rewards import DEFAULT_WEIGHTS
from underspec.report.export.write import Wanted, export
from underspec.run.engine import evaluate
from underspec.run.item import Item
from underspec.run.store import RunStore

SECRET = "what the judge alone is told"


def items_of(number: int) -> list[Item]:
    return [
        Item(task=f"task-{place:02}", condition=Condition(agent="react", model="mockllm/model"), epoch=1)
        for place in range(number)
    ]


async def talk(item: Item, text: str, ledger: Ledger, role: Role = Role.BUILDER, turns: int = 2) -> None:
    """``turns`` calls of one growing conversation."""
    outputs = [
        ModelOutput.for_tool_call(
            "mockllm/model", "shell", {"command": f"{text} {turn} " + "x" * 200}, tool_call_id=f"{text}{turn}"
        )
        for turn in range(turns)
    ]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    opened = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    model = adopt_model(opened, role=role, phase="build", ledger=ledger)
    messages: list[ChatMessage] = [ChatMessageUser(content=f"{text} of {item.task}")]
    for _ in range(turns):
        messages.append((await model.generate(list(messages))).message)


def published(store: RunStore, item: Item, begin: float, number: int = 1) -> None:
    """The attempt that counts: its log says when it was at work."""
    log = store.phase(item, "build").path / "attempts" / str(number) / "log.jsonl"
    events = [
        {"time": begin, "event": "started"},
        {"time": time.time(), "event": "published", "key": "b" * 64},
    ]
    log.write_text("".join(json.dumps(event) + "\n" for event in events))


def worked(store: RunStore, *, earlier: bool = False, judge: bool = False) -> Callable[[Item], Any]:
    """What stands in for an item's phases: calls on the ledger of an attempt, then a published artifact."""

    async def work(item: Item) -> None:
        if earlier:
            await talk(item, "a failed attempt", Ledger.in_memory())
        begin = time.time()
        folder = store.phase(item, "build").path / "attempts" / "1"
        with Ledger.open(folder / "ledger.jsonl") as ledger:
            await talk(item, "the build", ledger)
        if judge:
            await talk(item, SECRET, Ledger.in_memory(), Role.JUDGE)
        kept = (folder / "ledger.jsonl").read_bytes()
        (folder / "ledger.jsonl").unlink()
        folder.rmdir()
        built(store, item, passed=2, cases=4, questions=1, calls=0)
        (folder / "ledger.jsonl").write_bytes(kept)
        published(store, item, begin)

    return work


def run_of(folder: Path, items: list[Item], work: Callable[[RunStore], Callable[[Item], Any]]) -> RunStore:
    store = begin_run(folder, items)
    asyncio.run(evaluate(items, work(store), concurrency=2, logs=folder / "evidence"))
    return store


def texts(messages: list[dict[str, Any]]) -> str:
    return json.dumps(messages)


def test_the_builders_calls_of_the_published_attempt_are_the_conversation(tmp_path: Path) -> None:
    items = items_of(3)
    store = run_of(tmp_path / "run", items, lambda store: worked(store, earlier=True, judge=True))
    evidence = Evidence(store, items)
    for item in items:
        (phase,) = evidence.phases(item)
        assert (phase.calls, phase.complete, phase.why) == (2, True, None)
        (found,) = phase.conversations
        assert [message["role"] for message in found.messages] == ["user", "assistant", "assistant"]
        assert found.messages[0]["content"] == f"the build of {item.task}"
        assert "x" * 200 in found.messages[1]["tool_calls"][0]["function"]["arguments"]
        assert SECRET not in texts(found.messages)
        assert "a failed attempt" not in texts(found.messages)
    assert evidence.unreadable == {}


def test_calls_that_the_log_lacks_are_noticed(tmp_path: Path) -> None:
    (item,) = items = items_of(1)
    store = run_of(tmp_path / "run", items, worked)
    path = store.phase(item, "build").path / "attempts" / "1" / "ledger.jsonl"
    line = json.loads(path.read_text().splitlines()[-1])
    with path.open("a") as stream:
        stream.write(json.dumps({**line, "number": 3}) + "\n")
    (phase,) = Evidence(store, items).phases(item)
    assert (phase.calls, phase.complete) == (2, False)


def test_a_run_that_was_resumed_has_its_items_in_several_logs(tmp_path: Path) -> None:
    items = items_of(2)
    store = begin_run(tmp_path / "run", items)
    for item in items:
        asyncio.run(evaluate([item], worked(store), concurrency=1, logs=store.path / "evidence"))
    evidence = Evidence(store, items)
    assert len(evidence.logs) == 2
    assert [phase.why for item in items for phase in evidence.phases(item)] == [None, None]


def test_a_damaged_log_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    items = items_of(1)
    store = run_of(tmp_path / "run", items, worked)
    (store.path / "evidence" / "0000_damaged.eval").write_bytes(b"PK\x03\x04 no archive")
    (store.path / "evidence" / "zzzz_damaged.eval").write_bytes(b"")
    evidence = Evidence(store, items)
    assert [phase.why for phase in evidence.phases(items[0])] == [None]
    assert set(evidence.unreadable) == {"0000_damaged.eval", "zzzz_damaged.eval"}
    notes = export([store.path], tmp_path / "out", Wanted(("csv",), DEFAULT_WEIGHTS), find_toml=no_task)["notes"]
    assert [note.split(" cannot be read")[0] for note in notes[:2]] == [
        "run: 0000_damaged.eval",
        "run: zzzz_damaged.eval",
    ]


def test_what_is_not_there_is_said_for_each_phase(tmp_path: Path) -> None:
    items = items_of(3)
    store = begin_run(tmp_path / "run", items)
    built(store, items[0], passed=1, cases=4, questions=0, calls=0)
    built(store, items[1], passed=1, cases=4, questions=0, calls=2)
    assert [Evidence(store, items).phases(item)[0].why for item in items] == [NO_CALL, NO_EVIDENCE, NOT_MADE]
    assert Evidence(store, items, messages=False).phases(items[1])[0].why == LEFT_OUT


def test_without_the_engine_the_reader_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = items_of(1)
    store = begin_run(tmp_path / "run", items)
    built(store, items[0], passed=1, cases=4, questions=0, calls=2)
    (store.path / "evidence").mkdir()
    (store.path / "evidence" / "one.eval").write_bytes(b"")

    def lacking() -> None:
        raise EnvironmentLacksError("models need the package inspect_ai", mend="install underspec[models]")

    monkeypatch.setattr(evidence_module, "require_engine", lacking)
    with pytest.raises(EnvironmentLacksError, match="--no-messages"):
        Evidence(store, items).phases(items[0])
    assert Evidence(store, items, messages=False).phases(items[0])[0].why == LEFT_OUT


def test_logs_are_pointed_to_and_copied_where_that_is_wanted(tmp_path: Path) -> None:
    items = items_of(1)
    store = run_of(tmp_path / "run", items, worked)
    (log,) = (store.path / "evidence").glob("*.eval")
    for copied in (False, True):
        out = tmp_path / f"out-{copied}"
        wanted = Wanted(("csv",), DEFAULT_WEIGHTS, copy_evidence=copied)
        (told,) = export([store.path], out, wanted, find_toml=no_task)["evidence"]
        assert (told["run"], told["file"], told["bytes"]) == ("run", f"evidence/{log.name}", log.stat().st_size)
        assert (told["copied"] is not None) == copied
        if copied:
            assert (out / told["copied"]).read_bytes() == log.read_bytes()
    line = json.loads((out / "trajectories.jsonl").read_text())
    assert len(line["phases"][0]["messages"]) == 3


def test_a_critic_s_log_of_the_same_name_is_copied_beside_the_items_own(tmp_path: Path) -> None:
    items = items_of(1)
    store = run_of(tmp_path / "run", items, worked)
    (log,) = (store.path / "evidence").glob("*.eval")
    (store.path / "evidence" / "reviews").mkdir()
    (store.path / "evidence" / "reviews" / log.name).write_bytes(b"another log")
    out = tmp_path / "out"
    wanted = Wanted(("csv",), DEFAULT_WEIGHTS, messages=False, copy_evidence=True)
    told = export([store.path], out, wanted, find_toml=no_task)["evidence"]
    copies = {each["file"]: (out / each["copied"]).read_bytes() for each in told}
    assert copies == {f"evidence/{log.name}": log.read_bytes(), f"evidence/reviews/{log.name}": b"another log"}


def no_task(task: str) -> Any:
    raise EnvironmentLacksError("no tasks here")
