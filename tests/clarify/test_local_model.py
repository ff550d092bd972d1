"""A real model, however small, survives every role: what it says is used, or is a failure of a known kind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clarify.judge_corpus import CORPUS
from tests.clarify.runs import clarified, run, toy_context
from tests.clarify.test_judge import inputs_of
from tests.model.local import KEY_VARIABLE, NAME, serving, skip_unless_installed
from underspec.artifact.clarification import Verdict
from underspec.artifact.judgements import Label
from underspec.errors import JudgeError, StakeholderError
from underspec.model.models import open_model
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec, make_spec
from underspec.model.structured import ask_structured, told
from underspec.phase.judge import review_unit
from underspec.phase.labels import CORRECT_SHAPE, DISCLOSURE_SHAPE, read_assessment, read_disclosure
from underspec.prompts.annotator import annotator_prompts
from underspec.prompts.assessor import assessor_prompts
from underspec.prompts.client import client_prompts
from underspec.prompts.supervisor import supervisor_prompts
from underspec.stakeholder.client import Client, Knowledge
from underspec.stakeholder.supervisor import Supervisor
from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.load import load_task

pytest.importorskip("inspect_ai")
pytestmark = [pytest.mark.proof, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelSpec]:
    skip_unless_installed()
    with pytest.MonkeyPatch.context() as patch, serving(tmp_path_factory.mktemp("model")) as address:
        patch.setenv(KEY_VARIABLE, "none")
        patch.setenv("LOCAL_BASE_URL", address)
        options = {"max_tokens": 120, "temperature": 0.0, "seed": 1}
        yield make_spec(NAME, endpoints=[{"base_url": address, "key_env": KEY_VARIABLE}], options=options, retries=1)


def test_client_supervisor_assessor_annotator_and_judge(tmp_path: Path, local: ModelSpec) -> None:
    lending = load_task(find_task("tool-lending"))
    knowledge = Knowledge(release.complete_requirement(lending))
    question = "When is a loan due that would be due on a Sunday?"

    def opened(role: Role) -> Any:
        return open_model(local, role=role, phase="test")

    async def everybody() -> dict[str, object]:
        said: dict[str, object] = {}
        try:
            said["client"] = await Client(opened(Role.CLIENT), client_prompts(), knowledge).draft(question, ())
        except StakeholderError as error:
            said["client"] = error
        reply = "It is due on the Monday after."
        try:
            reviewing = Supervisor(opened(Role.SUPERVISOR), supervisor_prompts(), knowledge)
            said["supervisor"] = await reviewing.review(question, reply, ())
        except StakeholderError as error:
            said["supervisor"] = error
        told_of = told(assessor_prompts().system(knowledge.requirement), assessor_prompts().ask(question, reply))
        said["assessor"] = await ask_structured(
            opened(Role.ASSESSOR), told_of, CORRECT_SHAPE, read_assessment, again=assessor_prompts().again()
        )
        unit = release.reference_units(lending)[2]
        asked = annotator_prompts().ask(unit.requirement, question, reply)
        said["annotator"] = await ask_structured(
            opened(Role.ANNOTATOR),
            told(annotator_prompts().system(), asked),
            DISCLOSURE_SHAPE,
            read_disclosure,
            again=annotator_prompts().again(),
        )
        judged = [CORPUS[0], CORPUS[40], CORPUS[50], CORPUS[52]]
        for number, each in enumerate(judged):
            try:
                inputs = inputs_of(lending, tmp_path / str(number), each)
                said[f"judge {number}"] = (await review_unit(inputs, 2, unit, opened(Role.JUDGE))).label
            except JudgeError as error:
                said[f"judge {number}"] = error
        return said

    said = asyncio.run(everybody())
    print(said)
    assert isinstance(said["client"], str | StakeholderError)
    assert isinstance(said["supervisor"], Verdict | StakeholderError)
    assert said["assessor"] is None or isinstance(said["assessor"], tuple)
    assert said["annotator"] in (None, "complete", "partial", "uncertain", "none")
    assert all(isinstance(said[f"judge {number}"], Label | JudgeError) for number in range(4))


@pytest.mark.sandbox
def test_a_builder_clarifies_builds_and_answers_however_little_comes_of_it(tmp_path: Path, local: ModelSpec) -> None:
    context, items = toy_context(tmp_path, {"x": {}})
    fields = items["x"].condition.model_dump() | {"model": local.name, "max_turns": 6}
    context.models[local.name] = local
    items["x"] = items["x"].model_copy(update={"condition": items["x"].condition.model_validate(fields)})
    context.store.add_items(list(items.values()))
    found = run(context, items)["x"]
    print(found.boundary, clarified(found))
    assert found.scored
    whole = clarified(found)
    assert whole.transcript is not None
    assert whole.answers is not None
    assert whole.acceptance is not None
