"""enhance: cases in four dimensions, accepted only when the golden library runs them (ICAE III-B, Appendix B)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from underspec.artifact.files import write_atomic
from underspec.construct.cases_proposed import ProposedCase, cases_shape, read_cases_document, unique
from underspec.construct.coverage import Covered, measure, tool_of
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.golden_run import composed, inputs_of, run_golden
from underspec.construct.materials import (
    CONTRACT,
    ENHANCED,
    NATIVE,
    SELECTION,
    Contract,
    Dimension,
    Feature,
    Selection,
    case_bytes,
    read_cases,
    read_part,
)
from underspec.construct.neutrality import error_findings
from underspec.construct.project import Project
from underspec.construct.sources_shown import library_text
from underspec.construct.stage import Work
from underspec.construct.steadiness import check_cases
from underspec.grade.text import printable
from underspec.task.cases import value_key
from underspec.task.model import CaseFile

DIMENSIONS: tuple[str, ...] = get_args(Dimension)
LOG = "log.json"
_NATIVE_SHOWN = 24_000
_PLACE = {"dimension": {"type": "string", "enum": list(DIMENSIONS)}}


class Enhance:
    """See the module."""

    name = "enhance"
    needs: tuple[str, ...] = ("select", "refactor", "ground")
    version = 1
    prompts: tuple[str, ...] = ("rules", "cases", "repair", "malformed")
    files: Mapping[str, str] = {
        "enhanced/": "one case file for each feature and dimension, <feature>_<dimension>.json",
        LOG: "what became of each case that was proposed",
    }
    calls = 40

    def reads(self, project: Project) -> dict[str, str]:
        """The stage's options."""
        from underspec.artifact.canonical import digest_of

        return {"options": digest_of(project.options_of(self.name))}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Cases feature by feature; what fails is asked for once more, and then dropped. All of it is logged."""
        material = _Material.of(work)
        found: list[GateFinding] = []
        kept = read_cases(work.out, ENHANCED, found) if findings else {}
        book = _Book(work, material, kept)
        blamed = _by_feature(findings, material.contract)
        for number, feature in enumerate(material.contract.features, start=1):
            if findings and kept and feature.id not in blamed:
                continue
            work.say(f"cases of {feature.id}, {number} of {len(material.contract.features)}")
            if findings and kept:
                book.drop_blamed(feature, blamed[feature.id])
                proposed = await self._ask(work, material, feature, blamed[feature.id])
            else:
                proposed = await self._ask(work, material, feature, ())
            failed = await book.take(feature, proposed)
            if failed:
                again = await self._ask(work, material, feature, failed)
                await book.take(feature, again, last=True)
        book.write()

    async def _ask(
        self, work: Work, material: _Material, feature: Feature, failed: Sequence[GateFinding]
    ) -> list[ProposedCase]:
        texts = material.texts(feature)
        title = f"{feature.id}: {feature.title}. {feature.summary}"
        if failed:
            said = as_data(findings=feedback(failed))
            user = work.prompt("repair", feature=title, findings=said, data=as_data(**texts))
        else:
            user = work.prompt("cases", feature=title, data=as_data(**texts))
        return await work.ask(
            work.prompt("rules"),
            user,
            cases_shape("cases", _PLACE),
            read_enhanced_document,
            again=work.prompt("malformed"),
        )

    async def gate(self, work: Work) -> Verdict:
        """Format, dimensions, no repetition, three runs on the golden implementation, and coverage by suite."""
        findings: list[GateFinding] = []
        material = _Material.of(work)
        files = read_cases(work.out, ENHANCED, findings)
        if not (work.out / LOG).is_file():
            findings.append(
                GateFinding(kind="missing_file", message="the log is missing", file=LOG, severity="warning")
            )
        if not files:
            return Verdict(findings=tuple(findings))
        findings += dimension_findings(files, material.contract)
        findings += disjoint_findings(files, material.native)
        findings += error_findings(files, material.contract, material.golden, material.selection, ENHANCED)
        image = str(work.options.get("image", "host"))
        with composed(material.reference, material.golden) as tree:
            steady = await check_cases(work, tree, files, ENHANCED, image=image)
            findings += steady.findings
            coverage = await self._coverage(work, tree, material, files, image, findings)
        total = sum(len(file.cases) for file in files.values())
        by_dimension = Counter(dict.fromkeys(DIMENSIONS, 0))
        for stem, file in files.items():
            by_dimension[dimension_of(stem) or "other"] += len(file.cases)
        facts = {"cases": total, "dimensions": dict(by_dimension), "coverage": coverage}
        return Verdict(findings=tuple(findings), facts=facts)

    async def _coverage(
        self,
        work: Work,
        tree: Path,
        material: _Material,
        files: Mapping[str, CaseFile],
        image: str,
        findings: list[GateFinding],
    ) -> dict[str, Any] | None:
        """Shares of the golden code's lines by suite; None, with a warning, where nothing measures the language."""
        language = material.selection.language
        suites = {NATIVE: material.native, ENHANCED: files}
        measured: dict[str, Covered] = {}
        for name, suite in suites.items() if tool_of(language) else ():
            work.say(f"which golden lines the {name} suite runs")
            covered = await measure(work, tree, material.golden, inputs_of(suite), language, image=image)
            if covered is not None:
                measured[name] = covered
        if len(measured) < len(suites):
            message = f"line coverage is not known: nothing here measures {language}"
            if tool_of(language):
                message = f"line coverage is not known: {tool_of(language)} left no report"
            findings.append(GateFinding(kind="coverage_unknown", message=message, severity="warning"))
            return None
        measured["both"] = measured[NATIVE].and_also(measured[ENHANCED])
        document = {"tool": tool_of(language), **{name: one.document() for name, one in measured.items()}}
        write_atomic(work.evidence / "coverage.json", (json.dumps(document, indent=2) + "\n").encode())
        return {"tool": tool_of(language), **{name: round(one.share, 4) for name, one in measured.items()}}


class _Material:
    """What is read of the stages before."""

    def __init__(self, selection: Selection, contract: Contract, native: dict[str, CaseFile], work: Work):
        self.selection, self.contract, self.native = selection, contract, native
        self.golden, self.reference = work.of("select") / "golden", work.of("refactor") / "reference"
        ground = work.of("ground") / "ground.md"
        self.ground = ground.read_text(encoding="utf-8", errors="replace") if ground.is_file() else ""

    @classmethod
    def of(cls, work: Work) -> _Material:
        findings: list[GateFinding] = []
        selection = read_part(work.of("select"), SELECTION, Selection, findings)
        contract = read_part(work.of("refactor"), CONTRACT, Contract, findings)
        native = read_cases(work.of("refactor"), NATIVE, findings)
        if selection is None or contract is None:
            raise NoProposalError(f"a stage before is damaged: {findings[0].message}", kind="damaged_before")
        return cls(selection, contract, native, work)

    def texts(self, feature: Feature) -> dict[str, str]:
        """What a model is shown for one feature."""
        own = self.native.get(feature.id)
        return {
            "requirement": self.ground,
            "contract": self.contract.model_dump_json(indent=1),
            "cases_there_are": own.model_dump_json(exclude_none=True)[:_NATIVE_SHOWN] if own else "(none)",
            "library": library_text(self.golden, self.selection.language),
        }


class _Book:
    """Cases that are taken, and the log of what became of each."""

    def __init__(self, work: Work, material: _Material, kept: Mapping[str, CaseFile]):
        self._work, self._material = work, material
        self._known = {value_key(case.input) for file in material.native.values() for case in file.cases}
        self._cases: dict[str, list[dict[str, Any]]] = {
            stem: [case.model_dump() for case in file.cases] for stem, file in kept.items()
        }
        self._known |= {value_key(case["input"]) for cases in self._cases.values() for case in cases}
        self._log: list[dict[str, Any]] = _read_log(work.out / LOG) if kept else []

    def drop_blamed(self, feature: Feature, findings: Sequence[GateFinding]) -> None:
        """Take out what the gate named."""
        blamed = {(finding.file, finding.where) for finding in findings}
        for dimension in DIMENSIONS:
            stem = f"{feature.id}_{dimension}"
            cases = self._cases.get(stem, [])
            self._cases[stem] = [
                case
                for index, case in enumerate(cases)
                if (f"{ENHANCED}/{stem}.json", f"$.cases[{index}]") not in blamed
                or self._say(feature, dimension, "dropped", case["input"], "the gate refused it")
            ]

    async def take(
        self, feature: Feature, proposed: Sequence[ProposedCase], *, last: bool = False
    ) -> list[GateFinding]:
        """Run what is new, keep what the golden library answers, and say of the rest why not."""
        failed: list[GateFinding] = []
        new = unique(proposed, self._known)
        for one in proposed:
            if one not in new:
                self._say(feature, str(one.about.get("dimension")), "repeats another", one.input, "its input is there")
                failed.append(_failure("duplicate_case", "its input is there already", one))
        inputs = {feature.id: [one.input for one in new]}
        with composed(self._material.reference, self._material.golden) as tree:
            run = await run_golden(self._work, tree, inputs, image=str(self._work.options.get("image", "host")))
        for index, one in enumerate(new):
            dimension = str(one.about["dimension"])
            output = run.outputs.get((feature.id, index))
            try:
                text = None if output is None else output.decode("utf-8")
            except UnicodeDecodeError:
                text = None
            if text is None:
                reason = f"the golden implementation gives no text: {run.stderr[-200:]}"
                self._say(feature, dimension, "dropped" if last else "failed", one.input, reason)
                failed.append(_failure("missing_output", reason, one))
                continue
            outcome = "kept" if one.expected in (None, text) else "kept, with its expectation corrected"
            self._say(feature, dimension, outcome, one.input, "")
            case = {"input": one.input, "expected_output": text}
            self._cases.setdefault(f"{feature.id}_{dimension}", []).append(case)
        return failed

    def write(self) -> None:
        """All case files, and the log."""
        titles = {feature.id: feature.title for feature in self._material.contract.features}
        for path in (self._work.out / ENHANCED).glob("*.json"):
            path.unlink()
        for stem, cases in sorted(self._cases.items()):
            if cases:
                dimension = dimension_of(stem) or ""
                title = titles.get(stem.removesuffix(f"_{dimension}"), stem)
                words = f"{title}: {dimension.replace('_', ' ')} cases."
                write_atomic(self._work.out / ENHANCED / f"{stem}.json", case_bytes(words, cases))
        write_atomic(self._work.out / LOG, (json.dumps(self._log, indent=1, ensure_ascii=False) + "\n").encode())

    def _say(self, feature: Feature, dimension: str, outcome: str, value: Any, reason: str) -> bool:
        row = {"feature": feature.id, "dimension": dimension, "outcome": outcome, "input": value, "reason": reason}
        self._log.append(row)
        return False


def _failure(kind: str, reason: str, one: ProposedCase) -> GateFinding:
    return GateFinding(
        kind=kind, message=reason[:400], where=str(one.about.get("dimension")), evidence=printable(repr(one.input))
    )


def _read_log(path: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []


def _by_feature(findings: Sequence[GateFinding], contract: Contract) -> dict[str, list[GateFinding]]:
    """Findings by the feature whose file they name; those that name none belong to every feature."""
    owners = {
        f"{ENHANCED}/{feature.id}_{dimension}.json": feature.id
        for feature in contract.features
        for dimension in DIMENSIONS
    }
    found: dict[str, list[GateFinding]] = {}
    for finding in findings:
        owner = owners.get(finding.file or "")
        for name in [owner] if owner else [feature.id for feature in contract.features]:
            found.setdefault(name, []).append(finding)
    return found


def read_enhanced_document(document: dict[str, Any]) -> list[ProposedCase] | None:
    """Cases that each name one of the four dimensions."""
    found = read_cases_document(document)
    if found is None or any(one.about.get("dimension") not in DIMENSIONS for one in found):
        return None
    return found


def dimension_of(stem: str) -> str | None:
    """The dimension that a file's name ends with."""
    return next((one for one in DIMENSIONS if stem.endswith(f"_{one}")), None)


def dimension_findings(files: Mapping[str, CaseFile], contract: Contract) -> list[GateFinding]:
    """Every file is one of a feature and a dimension; every feature has all four."""
    findings = []
    names = {f"{feature.id}_{dimension}" for feature in contract.features for dimension in DIMENSIONS}
    for stem in sorted(files.keys() - names):
        message = "is called like no feature with one of the four dimensions"
        findings.append(GateFinding(kind="unknown_dimension", message=message, file=f"{ENHANCED}/{stem}.json"))
    for stem in sorted(names - files.keys()):
        message = "this feature has no case in this dimension"
        findings.append(
            GateFinding(kind="dimension_missing", message=message, file=f"{ENHANCED}/{stem}.json", mend="add one")
        )
    return findings


def disjoint_findings(files: Mapping[str, CaseFile], native: Mapping[str, CaseFile]) -> list[GateFinding]:
    """No enhanced case has the input of a native one, or of another."""
    seen = {value_key(case.input): f"{NATIVE}/{stem}.json" for stem, file in native.items() for case in file.cases}
    findings = []
    for stem, file in files.items():
        for index, case in enumerate(file.cases):
            name = f"{ENHANCED}/{stem}.json"
            key = value_key(case.input)
            if key in seen:
                message = f"has the input of a case in {seen[key]}"
                evidence = printable(repr(case.input))
                findings.append(
                    GateFinding(
                        kind="duplicate_case",
                        message=message,
                        file=name,
                        where=f"$.cases[{index}]",
                        evidence=evidence,
                        mend="drop it, or vary it",
                    )
                )
            else:
                seen[key] = name
    return findings


ENHANCE = Enhance()
