"""drafts: private tests, and implementations whose worth is known, tried on each other for real (SWE-Clar A)."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from underspec.construct.commission.assembling import assemble_commission
from underspec.construct.commission.extract import GROUND
from underspec.construct.commission.interface import INTERFACE
from underspec.construct.commission.units import UNITS, PlannedUnits
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.materials import of_task, read_part, write_part
from underspec.construct.mending import SHAPE, mend, read_files, write_text
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.errors import TaskError
from underspec.grade.acceptance.variants import check_variants
from underspec.sandbox.protocol import Owner
from underspec.task.load import load_task
from underspec.task.model import NonEmpty, Part
from underspec.task.validate import validate_task

ACCEPTANCE, VARIANTS, TESTS = "acceptance", "variants", "tests.json"
_PATH = re.compile(
    r"acceptance/[A-Za-z0-9_]+\.py|variants/(?:reference|equivalent(?:-[a-z0-9]+)?|incorrect-RU-\d{3})/[\w./-]+"
)


class UnitTests(Part):
    """``tests.json``: the tests of each unit, as ``<file>::<function>``."""

    tests: dict[str, tuple[NonEmpty, ...]] = Field(min_length=1)


class Drafts:
    """Asks for tests and variants, and lets the gate's findings come back."""

    name = "drafts"
    needs: tuple[str, ...] = ("extract", "units", "interface")
    version = 1
    prompts: tuple[str, ...] = ("rules", "material", "mend", "malformed")
    files: Mapping[str, str] = {
        f"{ACCEPTANCE}/test_<unit>.py": "private tests; docs/own-commission.md says what they are given",
        f"{VARIANTS}/<name>/": "reference, equivalent, and incorrect-<unit> for each unit",
        TESTS: "which tests are whose; written from the names test_ru_<number>… where it is missing",
    }
    calls = 2

    def reads(self, project: Project) -> dict[str, str]:
        """The stage's options, which go into ``task.toml``."""
        from underspec.artifact.canonical import digest_of

        return {"options": digest_of(project.options_of(self.name))}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Ask for all files; with findings, for those that change."""
        problems: list[GateFinding] = []
        units = read_part(work.of("units"), UNITS, PlannedUnits, problems)
        if units is None:
            raise NoProposalError(f"the units are not whole: {feedback(problems)}", kind="bad_needs")
        texts = {
            "complete": _text(work.of("extract") / GROUND),
            "interface": _text(work.of("interface") / INTERFACE),
            "units": units.model_dump_json(indent=1),
        }
        if findings:
            shown = sorted(path.relative_to(work.out).as_posix() for path in work.out.rglob("*") if path.is_file())
            await mend(work, findings, shown, lambda path: bool(_PATH.fullmatch(path)), **texts)
        else:
            user = work.prompt("material", material=as_data(**texts))
            files, _gone = await work.ask(work.prompt("rules"), user, SHAPE, read_files, again=work.prompt("malformed"))
            kept = {path: text for path, text in files.items() if _PATH.fullmatch(path)}
            if not kept:
                raise NoProposalError("the model gave no test and no variant", kind="nothing_drafted")
            for path, text in kept.items():
                write_text(work.out, path, text)
        write_part(work.out / TESTS, UnitTests(tests=tests_by_unit(work.out, units) or {"none": ("none",)}))

    async def gate(self, work: Work) -> Verdict:
        """Put the task together, validate it, and accept or reject every variant in real sandboxes."""
        findings: list[GateFinding] = []
        units = read_part(work.of("units"), UNITS, PlannedUnits, findings)
        tests = read_part(work.out, TESTS, UnitTests, findings)
        if units is None or tests is None:
            return Verdict(findings=tuple(findings))
        for unit in units.units:
            if not tests.tests.get(unit.id):
                message, mend_ = f"no test shows {unit.id}", f"name one test_{unit.id.lower().replace('-', '_')}_…"
                findings.append(GateFinding(kind="unit_without_test", message=message, file=TESTS, mend=mend_))
        if findings:
            return Verdict(findings=tuple(findings))
        folder = work.evidence / work.project.task
        assemble_commission(work.project, work.options, work.of, work.out, folder)
        findings += [_moved(of_task(finding)) for finding in validate_task(folder)]
        facts: dict[str, Any] = {}
        if not Verdict(findings=tuple(findings)).ok:
            return Verdict(findings=tuple(findings))
        try:
            task = load_task(folder)
            owner = Owner(run="construct", purpose=task.id)
            checked = await check_variants(task, work.backend, owner=owner, on_progress=work.say)
        except TaskError as error:
            findings.append(GateFinding(kind="bad_task", message=error.message, file=error.file, mend=error.mend))
            return Verdict(findings=tuple(findings))
        for one in checked.findings:
            findings.append(_moved(GateFinding(kind="variant", message=one.message, file=one.file)))
        facts["variants"] = {
            name: f"{each.test_rate.passed} of {each.test_rate.total} tests" for name, each in checked.accepted.items()
        }
        facts["also"] = {name: list(checked.also(name)) for name in checked.accepted if name.startswith("incorrect-")}
        return Verdict(findings=tuple(findings), facts=facts)


def tests_by_unit(out: Path, units: PlannedUnits) -> dict[str, tuple[str, ...]]:
    """Tests by the unit that their names tell: ``test_ru_001_…`` shows RU-001."""
    found: dict[str, list[str]] = {unit.id: [] for unit in units.units}
    for path in sorted((out / ACCEPTANCE).glob("test_*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        except (SyntaxError, ValueError):
            continue  # validation says so
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and (match := re.match(r"test_ru_(\d{3})_", node.name)):
                found.setdefault(f"RU-{match[1]}", []).append(f"{path.stem}::{node.name}")
    return {unit: tuple(tests) for unit, tests in found.items() if tests}


def _moved(finding: GateFinding) -> GateFinding:
    """A finding about the task as one about this stage's files, or another stage's."""
    file = (finding.file or "").removeprefix("hidden/")
    stages = {"units.json": "units", "interface.md": "interface", "requests/initial.md": "units"}
    stages["requests/ground.md"] = "extract"
    return finding.model_copy(update={"file": file or None, "stage": stages.get(file)})


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


DRAFTS = Drafts()
