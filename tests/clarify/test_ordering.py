"""Who asks more, and who is told more, scores more: on the bundled commissions, in real sandboxes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.run.toy_agents import make_context
from underspec.agent.registry import load_agent
from underspec.artifact.condition import Condition, Information
from underspec.model.spec import make_spec
from underspec.report.collect import collect
from underspec.report.document import report_document
from underspec.run.executor import execute
from underspec.run.item import Item
from underspec.run.store import RunStore
from underspec.task.catalog import bundled_tasks

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

INFORMATION: tuple[Information, ...] = ("none", "standard", "complete")
FIGURES = ("task_pass", "unit_pass", "clarification")
COMMISSIONS = [folder.name for folder in bundled_tasks("commission")]


def scores(
    folder: Path, task: str, qualities: tuple[str, ...], informations: tuple[Information, ...]
) -> dict[tuple[str, str], tuple[float, ...]]:
    """``task_pass``, ``unit_pass`` and ``clarification`` by quality and information."""
    from tests.clarify.actors import name_of, task_of

    context, _ = make_context(folder / task, task_of(task).path, {"react": load_agent("react")}, epochs=0)
    items = {}
    for quality in qualities:
        model = name_of(quality, task)
        context.models[model] = make_spec(model)
        for information in informations:
            fields = {"protocol": "clarify-first", "agent": "react", "model": model, "judge_model": model}
            if information == "standard":
                fields["stakeholder_model"] = model
            condition = Condition.model_validate({**fields, "information": information})
            items[quality, information] = Item(task=task, condition=condition, epoch=1)
    context.store.add_items(list(items.values()))
    asyncio.run(execute(context, list(items.values()), concurrency=2))
    document = report_document(task, collect(RunStore(context.store.path)), comparable=False)
    assert document["scored"] == document["planned"] == len(items), document["unscored"]
    rows = {row["condition"]["id"]: row for row in document["rows"]}
    return {who: tuple(rows[item.condition.id][name] for name in FIGURES) for who, item in items.items()}


def in_order(found: dict[tuple[str, str], tuple[float, ...]], task: str) -> None:
    for who, values in found.items():
        assert all(0 <= value <= 1 for value in values), (task, who)
    thorough, average, hasty = (found[quality, "standard"] for quality in ("thorough", "average", "hasty"))
    assert thorough == (1.0, 1.0, 1.0), task
    assert hasty == (0.0, 0.0, 0.0), task
    # All but one requirement: the task fails, most units pass, and most is understood.
    assert average[0] == 0.0, task
    assert 0 < average[1] < 1, task
    assert 0 < average[2] < 1, task
    for quality in ("thorough", "average", "hasty"):
        none, standard, complete = (found[quality, information] for information in INFORMATION)
        assert all(low <= middle <= high for low, middle, high in zip(none, standard, complete, strict=True)), task
        assert none == (0.0, 0.0, 0.0), task
        assert complete == (1.0, 1.0, 1.0), task


def test_two_qualities_of_one_commission_order_as_they_should(tmp_path: Path) -> None:
    found = scores(tmp_path, "tool-lending", ("thorough", "average"), ("standard",))
    thorough, average = found["thorough", "standard"], found["average", "standard"]
    assert thorough == (1.0, 1.0, 1.0)
    assert average[0] == 0.0
    assert all(0 < value < 1 for value in average[1:])


@pytest.mark.proof
@pytest.mark.parametrize("task", COMMISSIONS)
def test_three_qualities_order_as_they_should_whatever_is_told(tmp_path: Path, task: str) -> None:
    from tests.clarify.actors import QUALITIES

    in_order(scores(tmp_path, task, QUALITIES, INFORMATION), task)


@pytest.mark.proof
def test_there_are_four_commissions() -> None:
    assert len(COMMISSIONS) >= 4
