"""The stage: four calls, of which only those are made anew that the findings are about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.fuzz import building, drafts
from underspec.construct.fuzz.files import (
    OMISSIONS,
    RECORDS,
    Levels,
    Material,
    read_levels,
    read_material,
    write_levels,
)
from underspec.construct.fuzz.gate import judge_fuzz
from underspec.construct.fuzz.redoing import Step, concerned, steps_of
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.construct.text_gates.omissions import Constraint, LevelOne, LevelThree, LevelTwo
from underspec.model.structured import Shape
from underspec.task.model import LevelRecords

First = tuple[LevelRecords, LevelOne]
Second = tuple[str, LevelRecords, LevelTwo]
Third = tuple[str, LevelRecords, LevelThree]


class FuzzStage:
    """Writes ``L1.md``, ``L2.md``, ``L3.md``, ``records.json`` and ``omissions.json``."""

    name = "fuzz"
    needs: tuple[str, ...] = ("select", "refactor", "ground", "enhance")
    version = 1
    prompts: tuple[str, ...] = ("rules", "constraints", "l1", "l2", "l3", "malformed")
    files: Mapping[str, str] = {
        "L1.md": "the request that shows least",
        "L2.md": "the same with some points restored",
        "L3.md": "the requirement with at most three literals hidden",
        RECORDS: "records of each level, as in a task",
        OMISSIONS: "what each record stands for, what it hides, and questions that must reach it",
    }
    calls = 4

    def reads(self, project: Project) -> dict[str, str]:
        """Nothing else."""
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Ask for the constraints, L1, L2 and L3, each where there is none yet or something is wrong with it."""
        problems: list[GateFinding] = []
        material = read_material(work, problems)
        if material is None:
            raise NoProposalError(f"stages before have left too little: {feedback(problems)}", kind="bad_needs")
        last = read_levels(work.out, []) if findings else None
        steps = steps_of(findings) if last is not None else frozenset(Step)
        proposal = _Proposal(work, material, findings, last, steps)
        constraints = await proposal.constraints()
        request, first = await proposal.first(constraints)
        second = await proposal.second(request, first)
        third = await proposal.third(constraints, first[0])
        write_levels(work.out, building.together(constraints, request, first, second, third))

    async def gate(self, work: Work) -> Verdict:
        """See :func:`underspec.construct.fuzz.gate.judge_fuzz`."""
        return await judge_fuzz(work)


@dataclass(frozen=True)
class _Proposal:
    """One proposal: what is kept of the last one, and what is asked for."""

    work: Work
    material: Material
    findings: Sequence[GateFinding]
    last: Levels | None
    steps: frozenset[Step]

    async def constraints(self) -> tuple[Constraint, ...]:
        if self.last is not None and Step.CONSTRAINTS not in self.steps:
            return self.last.omissions.constraints
        user = self._user(Step.CONSTRAINTS, ground=as_data(ground=self.material.ground))
        return building.numbered(await self._ask(user, drafts.CONSTRAINTS_SHAPE, drafts.DraftConstraints))

    async def first(self, constraints: tuple[Constraint, ...]) -> tuple[str, First]:
        if self.last is not None and Step.L1 not in self.steps:
            return self.last.requests["L1"], (self.last.records["L1"], self.last.omissions.L1)
        material = as_data(ground=self.material.ground, constraints=_lines(constraints))
        draft = await self._ask(self._user(Step.L1, material=material), drafts.L1_SHAPE, drafts.DraftL1)
        return draft.request, building.first_level(draft, self.material)

    async def second(self, request: str, first: First) -> Second:
        if self.last is not None and Step.L2 not in self.steps:
            return self.last.requests["L2"], self.last.records["L2"], self.last.omissions.L2
        hidden = {point.record: point.hidden for point in first[1].points}
        records = "\n".join(
            json.dumps({"id": each.id, "kind": each.kind, "hidden": hidden.get(each.id), "response": each.response})
            for each in first[0].records
        )
        user = self._user(Step.L2, material=as_data(L1=request, records=records))
        return building.second_level(await self._ask(user, drafts.L2_SHAPE, drafts.DraftL2), request, first[0])

    async def third(self, constraints: tuple[Constraint, ...], known: LevelRecords) -> Third:
        if self.last is not None and Step.L3 not in self.steps:
            return self.last.requests["L3"], self.last.records["L3"], self.last.omissions.L3
        user = self._user(Step.L3, material=as_data(ground=self.material.ground, constraints=_lines(constraints)))
        draft = await self._ask(user, drafts.L3_SHAPE, drafts.DraftL3)
        return building.third_level(draft, self.material.ground, known)

    async def _ask(self, user: str, shape: Shape, draft: type[drafts.D]) -> drafts.D:
        rules, again = self.work.prompt("rules"), self.work.prompt("malformed")
        return await self.work.ask(rules, user, shape, drafts.reader(draft), again=again)

    def _user(self, step: Step, **values: str) -> str:
        """The user's message of one call: its task, what was wrong with the last answer, and the material."""
        told = concerned(self.findings, step)
        if step is not Step.CONSTRAINTS:
            values["last"] = as_data(last=_last_of(self.last, step) if told else "(nothing)")
        found = as_data(findings=feedback(told))
        return self.work.prompt(step.lower(), sections={"findings": bool(told)}, findings=found, **values)


def _last_of(last: Levels | None, step: Step) -> str:
    """What a call gave last time, as the files that came of it."""
    if last is None:
        return "(nothing)"
    plan = last.omissions
    if step is Step.L1:
        parts: tuple[str, ...] = (last.requests["L1"], plan.L1.model_dump_json(), last.records["L1"].model_dump_json())
    elif step is Step.L2:
        parts = (last.requests["L2"], plan.L2.model_dump_json())
    else:
        parts = (plan.L3.model_dump_json(), last.records["L3"].model_dump_json())
    return "\n\n".join(parts)


def _lines(constraints: tuple[Constraint, ...]) -> str:
    return "\n".join(constraint.model_dump_json() for constraint in constraints)
