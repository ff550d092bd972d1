"""verify: the whole task, put together and tried (ICAE III-C, Appendix D).

The golden implementation must pass every case and an empty deliverable none; the suites must notice mutants of the
golden code; each request with its records must say what the GroundPRD says; and an agent that builds from the GroundPRD
shows where the contract is unclear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from underspec.construct.assemble import Made, assemble
from underspec.construct.coverage import Lines, measure, tool_of
from underspec.construct.equivalence import check_equivalence, judge_equivalence, prompt_hashes
from underspec.construct.findings import GateFinding, NoProposalError, Verdict
from underspec.construct.golden_run import composed, inputs_of
from underspec.construct.materials import SELECTION, Selection, of_task, read_part
from underspec.construct.mutants import NUMBER, can_mutate, check_mutants
from underspec.construct.numbers import number_of, whole_of
from underspec.construct.project import Project
from underspec.construct.reconstruct import judge_failures, reconstruct
from underspec.construct.stage import Work
from underspec.errors import GoldenError, TaskError
from underspec.grade.golden import check_golden
from underspec.sandbox.protocol import Owner
from underspec.task import release
from underspec.task.load import load_task
from underspec.task.model import CaseFile, Level, Task
from underspec.task.validate import validate_task

LEAST_KILLED = 0.6
LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")


class Verify:
    """See the module. What needs a model is left out without one, which is said."""

    name = "verify"
    needs: tuple[str, ...] = ("select", "refactor", "ground", "enhance", "fuzz", "image")
    version = 1
    prompts: tuple[str, ...] = ("rules", "failures", "malformed")
    files: Mapping[str, str] = {"<task>/": "the finished task; mend the stage that a file comes from, and not it here"}
    calls = 60

    def reads(self, project: Project) -> dict[str, str]:
        """The stage's options, and the judge's prompts."""
        from underspec.artifact.canonical import digest_of

        override = Path(project.prompts) if project.prompts else None
        return {"options": digest_of(project.options_of(self.name)), **prompt_hashes(override)}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Put the task together."""
        problems: list[GateFinding] = []
        selection = read_part(work.of("select"), SELECTION, Selection, problems)
        if selection is None:
            raise NoProposalError(f"{SELECTION}: {problems[0].message}", kind="damaged_before")
        assemble(Made(work.of), selection, work.project, work.options, work.out / work.project.task)

    async def gate(self, work: Work) -> Verdict:
        """Validate, grade golden and empty, mutate, judge and reconstruct; each only when the one before is fine."""
        folder = work.out / work.project.task
        findings = [of_task(finding) for finding in validate_task(folder)]
        facts: dict[str, Any] = {}
        if any(finding.severity == "error" for finding in findings):
            return Verdict(findings=tuple(findings), facts=facts)
        task = load_task(folder)
        await _golden(work, task, findings, facts)
        if Verdict(findings=tuple(findings)).ok:
            await _mutants(work, task, findings, facts)
            await _equivalence(work, task, findings, facts)
            await _reconstruction(work, task, findings, facts)
        return Verdict(findings=tuple(findings), facts=facts)


async def _golden(work: Work, task: Task, findings: list[GateFinding], facts: dict[str, Any]) -> None:
    work.say("grading the golden implementation and an empty deliverable")
    try:
        checked = await check_golden(
            task, work.backend, owner=Owner(run="construct", purpose=task.id), on_progress=work.say
        )
    except GoldenError as error:
        findings.append(GateFinding(kind="no_golden", message=error.message, file=error.file, mend=error.mend))
        return
    facts["golden"] = checked.golden_rate.model_dump(mode="json")
    facts["empty"] = checked.empty_rate.model_dump(mode="json")
    findings += [
        GateFinding(kind="golden_fails", message=one.message, file=one.file, where=one.where)
        for one in checked.findings
    ]


async def _mutants(work: Work, task: Task, findings: list[GateFinding], facts: dict[str, Any]) -> None:
    language = task.toml.language
    number = whole_of(work.options, work.stage, "mutants", NUMBER)
    if not number:
        return
    if not can_mutate(language):
        message = f"whether the suites notice mutants is not known: none can be made of {language} here"
        findings.append(GateFinding(kind="mutants_unknown", message=message, severity="warning"))
        return
    image = task.toml.image.base
    golden = work.of("select") / "golden"
    suites: dict[str, CaseFile] = {
        f"{name}-{stem}": file for name in ("native", "enhanced") for stem, file in task.suites[name].files.items()
    }
    with composed(work.of("refactor") / "reference", golden) as tree:
        lines: Lines | None = None
        if tool_of(language):
            covered = await measure(work, tree, golden, inputs_of(suites), language, image=image)
            lines = covered.ran if covered else None
        checked = await check_mutants(work, tree, golden, suites, language, lines, number=number, image=image)
    facts["mutants"] = {"possible": checked.possible, "tried": checked.tried, "killed": checked.killed}
    rows = [f"{one.path}:{one.line}: {one.old!r} to {one.new!r}" for one in checked.survived]
    (work.evidence / "survived.txt").write_text("".join(f"{row}\n" for row in rows))
    least = number_of(work.options, work.stage, "least_killed", LEAST_KILLED)
    if not checked.sound:
        message = "the suites do not give what they expect even without a mutant"
        findings.append(GateFinding(kind="mutants_unknown", message=message))
    elif not checked.tried:
        message = "no mutant could be made on lines that the suites run"
        findings.append(GateFinding(kind="mutants_unknown", message=message, severity="warning"))
    elif checked.share < least:
        findings.append(
            GateFinding(
                kind="mutants_survive",
                message=f"the suites notice {checked.killed} of {checked.tried} mutants, less than {least:.0%}",
                evidence="; ".join(rows[:8]),
                mend="add cases where mutants survive; all of them are in evidence/survived.txt",
                stage="enhance",
            )
        )


async def _equivalence(work: Work, task: Task, findings: list[GateFinding], facts: dict[str, Any]) -> None:
    if work.model is None or not work.options.get("judge", True):
        message = "nobody has judged whether the requests with their records say what the GroundPRD says"
        findings.append(GateFinding(kind="not_judged", message=message, severity="warning"))
        return
    judged: dict[str, Any] = {}
    ground = release.request_text(task, "ground")
    for level in LEVELS:
        if task.records is None or level not in task.records.levels:
            continue
        work.say(f"judging whether {level} with its records is equivalent to the GroundPRD")
        known = release.session_records(task, level)
        request = release.request_text(task, level)
        try:
            verdict = await judge_equivalence(work, level, request, known, ground)
        except NoProposalError as error:
            findings.append(
                GateFinding(kind="no_judgement", message=f"{level}: {error.message}", mend="use another model")
            )
            continue
        judged[level] = verdict.model_dump(mode="json") | {"equivalent": verdict.equivalent}
        findings += [one.model_copy(update={"stage": "fuzz"}) for one in check_equivalence(level, verdict)]
    facts["equivalence"] = {
        level: {"similarity": one["similarity"], "equivalent": one["equivalent"]} for level, one in judged.items()
    }
    (work.evidence / "equivalence.json").write_text(json.dumps(judged, indent=2) + "\n")


async def _reconstruction(work: Work, task: Task, findings: list[GateFinding], facts: dict[str, Any]) -> None:
    agent = work.options.get("agent", "react" if work.model is not None else "")
    if not agent:
        message = "nobody has tried to build the task from its GroundPRD"
        findings.append(GateFinding(kind="not_tried", message=message, severity="warning"))
        return
    rates = []
    best: float = 0.0
    for number in range(1, 1 + whole_of(work.options, work.stage, "rounds", 1)):
        work.say(f"{agent} builds the task from its GroundPRD, round {number}")
        try:
            grade = await reconstruct(work, task, str(agent), number)
        except TaskError as error:
            findings.append(GateFinding(kind="not_tried", message=error.message, mend=error.mend))
            return
        overall = grade.outcomes.overall
        rates.append(overall.model_dump(mode="json"))
        best = max(best, overall.passed / overall.total if overall.total else 0.0)
        findings += await judge_failures(work, task, grade.failures)
    facts["reconstruction"] = rates
    least = number_of(work.options, work.stage, "least_reconstructed", 0.0)
    if best < least:
        message = f"the best build from the GroundPRD passes {best:.0%} of the cases, less than {least:.0%}"
        findings.append(GateFinding(kind="contract_unclear", message=message, stage="ground"))


VERIFY = Verify()
