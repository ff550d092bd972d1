"""Iterative reconstruction: an agent builds from the GroundPRD, and what fails shows where the contract is unclear.

The build and the grade are those of any run. Failing cases go to a model, which says for each whether the case, the
contract or the builder is at fault (ICAE III-C); its suggestions are shown, and given to the stage that they concern.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from underspec.agent.registry import load_agent
from underspec.artifact.condition import Condition
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError
from underspec.construct.numbers import whole_of
from underspec.construct.stage import Work
from underspec.grade.golden import difference
from underspec.grade.grader import Grade, grade_in_full
from underspec.grade.suite import Failure
from underspec.grade.text import printable
from underspec.model.cost_counter import CostCounter
from underspec.model.structured import Shape
from underspec.phase.build import DELIVERABLE_TAR, BuildInputs, build
from underspec.phase.work import Work as PhaseWork
from underspec.sandbox.deliverable import extract_deliverable
from underspec.sandbox.protocol import Owner
from underspec.stakeholder.opened import opened_router
from underspec.task.layout import case_path
from underspec.task.model import Task

SHOWN = 12
_STAGES = {"public": "refactor", "native": "refactor", "enhanced": "enhance"}
_VERDICT = {
    "type": "object",
    "properties": {
        "case": {"type": "integer"},
        "fault": {"type": "string", "enum": ["case", "contract", "builder"]},
        "suggestion": {"type": "string"},
    },
    "required": ["case", "fault", "suggestion"],
    "additionalProperties": False,
}
SHAPE = Shape("faults", {"verdicts": {"type": "array", "items": _VERDICT}})
Fault = tuple[int, str, str]


async def reconstruct(work: Work, task: Task, agent: str, round_number: int) -> Grade:
    """Let an agent build the task from its GroundPRD, without anybody to ask, and grade what it hands over.

    Raises:
        UsageError: there is no such agent, or it needs a model and has none.
        SandboxError, ModelServiceError: the work failed, and nothing is known of the contract.
    """
    spec = work.model.spec if work.model is not None else None
    condition = Condition(
        agent=agent,
        command=work.options.get("command"),
        model=spec.name if spec else None,
        exposure="ground",
        build_seconds=whole_of(work.options, work.stage, "build_seconds", 3600),
        max_turns=work.options.get("max_turns"),
    )
    image = task.toml.image.base
    inputs = BuildInputs(
        task=task,
        condition=condition,
        agent=load_agent(agent),
        router=opened_router("embedded"),
        image=image,
        image_digest=work.backend.image_digest(image),
        model=spec,
        prompts=Path(work.project.prompts) if work.project.prompts else None,
    )
    owner = Owner(run="construct", purpose=f"reconstruct {task.id}")
    with tempfile.TemporaryDirectory(prefix="underspec-reconstruct-") as folder:
        artifact, scratch = Path(folder) / "artifact", Path(folder) / "scratch"
        artifact.mkdir()
        scratch.mkdir()
        attempt = work.evidence / f"reconstruction-{round_number}"
        attempt.mkdir()
        phase_work = PhaseWork(
            backend=work.backend,
            owner=owner,
            attempt=attempt,
            artifact=artifact,
            scratch=scratch,
            log=work.log,
            progress=work.say,
            run_cost=work.model.cost if work.model is not None else CostCounter(),
        )
        await build(inputs, phase_work)
        delivered = Path(folder) / "delivered"
        extract_deliverable(artifact / DELIVERABLE_TAR, delivered)
        return await grade_in_full(task, delivered, work.backend, image=image, owner=owner, show=SHOWN)


async def judge_failures(work: Work, task: Task, failures: Sequence[Failure]) -> list[GateFinding]:
    """What is at fault for each failing case, as far as a model can say; a warning each."""
    verdicts: dict[int, Fault] = {}
    if work.model is not None and failures:
        cases = "\n\n".join(_said(number, failure, task) for number, failure in enumerate(failures))
        user = work.prompt("failures", data=as_data(requirement=task.requests.get("ground", ""), failing_cases=cases))
        try:
            found = await work.ask(work.prompt("rules"), user, SHAPE, read_faults, again=work.prompt("malformed"))
            verdicts = {one[0]: one for one in found}
        except NoProposalError as error:
            work.log("no_suggestions", message=error.message)
    findings = []
    for number, failure in enumerate(failures):
        _, fault, suggestion = verdicts.get(
            number, (number, "unknown", "look whether the case or the contract is at fault")
        )
        stage = {"case": _STAGES[failure.suite], "contract": "ground"}.get(fault)
        findings.append(
            GateFinding(
                kind="not_reconstructed",
                message=f"an agent that builds from the GroundPRD fails this case; at fault: {fault}",
                severity="warning",
                file=case_path(failure.suite, failure.file),
                where=f"$.cases[{failure.index}]",
                evidence=difference(failure.expected, failure.actual),
                mend=printable(suggestion, most=600),
                stage=stage,
            )
        )
    return findings


def read_faults(document: dict[str, Any]) -> list[Fault] | None:
    """A model's verdicts; None where the document is none."""
    verdicts = document.get("verdicts")
    if not isinstance(verdicts, list):
        return None
    found = []
    for one in verdicts:
        if not isinstance(one, dict) or one.get("fault") not in ("case", "contract", "builder"):
            return None
        if not isinstance(one.get("case"), int) or not isinstance(one.get("suggestion"), str):
            return None
        found.append((one["case"], one["fault"], one["suggestion"]))
    return found


def _said(number: int, failure: Failure, task: Task) -> str:
    case = task.suites[failure.suite].files[failure.file].cases[failure.index]
    actual = "nothing" if failure.actual is None else printable(failure.actual, most=800)
    return (
        f"case {number} ({failure.suite}/{failure.file} {failure.index})\n"
        f"input: {printable(repr(case.input), most=1500)}\n"
        f"expected: {printable(failure.expected, most=800)}\ncame: {actual}"
    )
