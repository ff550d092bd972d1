"""refactor: original tests become black-box JSON cases, with a dispatcher over the golden library (ICAE III-B, A)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from underspec.construct.cases_proposed import cases_shape, read_cases_document, record_outputs, write_suite
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, Verdict
from underspec.construct.golden_run import composed
from underspec.construct.harnesses import HARNESSES, harness_files
from underspec.construct.materials import (
    CONTRACT,
    NATIVE,
    SELECTION,
    TESTS,
    CasePlace,
    Contract,
    DroppedTest,
    Feature,
    KeptTest,
    Selection,
    TestMap,
    read_cases,
    read_part,
    write_part,
)
from underspec.construct.mending import SHAPE as FILES_SHAPE
from underspec.construct.mending import mend, read_files, write_text
from underspec.construct.neutrality import error_findings, reference_findings
from underspec.construct.project import Project
from underspec.construct.sources_shown import files_text, library_text
from underspec.construct.stage import Work
from underspec.construct.steadiness import check_cases
from underspec.grade.structure.languages import find_language
from underspec.model.structured import Shape
from underspec.task.finding import stop_at_errors
from underspec.task.layout import stem_problem
from underspec.task.model import CaseFile

REFERENCE = "reference"
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
PLAN = Shape(
    "plan",
    {
        "features": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": _TEXT, "title": _TEXT, "summary": _TEXT},
                "required": ["id", "title", "summary"],
            },
        },
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"category": _TEXT, "meaning": _TEXT, "raised": _TEXTS},
                "required": ["category", "meaning", "raised"],
            },
        },
        "actions": _TEXTS,
        "words": _TEXTS,
        "kept": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"test": _TEXT, "feature": _TEXT},
                "required": ["test", "feature"],
            },
        },
        "dropped": {
            "type": "array",
            "items": {"type": "object", "properties": {"test": _TEXT, "reason": _TEXT}, "required": ["test", "reason"]},
        },
    },
)
Plan = tuple[Contract, dict[str, str], list[DroppedTest]]


class Refactor:
    """See the module."""

    name = "refactor"
    needs: tuple[str, ...] = ("select",)
    version = 1
    prompts: tuple[str, ...] = ("rules", "plan", "dispatcher", "cases", "mend", "malformed")
    files: Mapping[str, str] = {
        CONTRACT: "leaf features, error categories and every word that belongs to the contract",
        "native/": "one case file a leaf feature",
        f"{REFERENCE}/": "the dispatcher over the golden library, and rcb_tests/test.sh",
        TESTS: "what became of each original test",
    }
    calls = 30

    def reads(self, project: Project) -> dict[str, str]:
        """The stage's options."""
        from underspec.artifact.canonical import digest_of

        return {"options": digest_of(project.options_of(self.name))}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """A plan, a dispatcher, and cases feature by feature; or, when the gate has spoken, mended files."""
        selection = _selection(work)
        source, golden = work.of("select") / "source", work.of("select") / "golden"
        tests = files_text(source, list(selection.test_paths), 90_000)
        library = library_text(golden, selection.language)
        if findings and (work.out / CONTRACT).is_file():
            shown = (CONTRACT, *_reference_files(work.out))
            changed = await mend(work, findings, shown, _may_write, library=library)
            await self._record(work, only_empty=not any(path.startswith(f"{REFERENCE}/") for path in changed))
            return
        contract, kept, dropped = await self._plan(work, selection, tests, library)
        write_part(work.out / CONTRACT, contract)
        language = find_language(selection.language)
        for path, content in harness_files(language.key if language else "").items():
            write_text(work.out, f"{REFERENCE}/{path}", content.decode())
        await self._dispatcher(work, selection, contract, tests, library)
        mapped: dict[str, list[CasePlace]] = {}
        for number, feature in enumerate(contract.features, start=1):
            work.say(f"cases of {feature.id}, {number} of {len(contract.features)}")
            await self._cases(work, contract, feature, tests, kept, mapped)
        rows = tuple(KeptTest(test=test, cases=tuple(places)) for test, places in sorted(mapped.items()))
        write_part(work.out / TESTS, TestMap(kept=rows, dropped=tuple(dropped)))
        await self._record(work, only_empty=True)

    async def _plan(self, work: Work, selection: Selection, tests: str, library: str) -> Plan:
        names = "\n".join(selection.tests)
        user = work.prompt(
            "plan",
            language=selection.language,
            data=as_data(names_of_tests=names, tests=tests, library=library),
        )
        return await work.ask(work.prompt("rules"), user, PLAN, read_plan, again=work.prompt("malformed"))

    async def _dispatcher(self, work: Work, selection: Selection, contract: Contract, tests: str, library: str) -> None:
        language = find_language(selection.language)
        harness = HARNESSES.get(language.key if language else "")
        user = work.prompt(
            "dispatcher",
            sections={"harness": harness is not None, "no-harness": harness is None},
            language=selection.language,
            file=harness.dispatcher if harness else "rcb_tests/test.sh and what it needs",
            contract=contract.model_dump_json(indent=1),
            data=as_data(library=library, tests=tests),
        )
        files, _ = await work.ask(work.prompt("rules"), user, FILES_SHAPE, read_files, again=work.prompt("malformed"))
        for path, text in files.items():
            write_text(work.out, f"{REFERENCE}/{path.removeprefix(REFERENCE + '/')}", text)

    async def _cases(
        self,
        work: Work,
        contract: Contract,
        feature: Feature,
        tests: str,
        kept: Mapping[str, str],
        mapped: dict[str, list[CasePlace]],
    ) -> None:
        own = "\n".join(test for test, of in kept.items() if of == feature.id) or "(none named; see the tests)"
        reference = "\n".join(
            f"--- {path}\n{(work.out / path).read_text(encoding='utf-8', errors='replace')}"
            for path in _reference_files(work.out)
        )
        user = work.prompt(
            "cases",
            feature=f"{feature.id}: {feature.title}. {feature.summary}",
            contract=contract.model_dump_json(indent=1),
            data=as_data(own_tests=own, tests=tests, dispatcher=reference),
        )
        shape = cases_shape("cases", {"test": {"type": "string"}})
        proposed = await work.ask(
            work.prompt("rules"), user, shape, read_cases_document, again=work.prompt("malformed")
        )
        write_suite(work.out / NATIVE, feature.id, feature.title, proposed)
        for index, one in enumerate(proposed):
            if isinstance(test := one.about.get("test"), str) and test:
                mapped.setdefault(test, []).append(CasePlace(file=feature.id, index=index))

    async def _record(self, work: Work, *, only_empty: bool) -> None:
        """Fill in what the golden implementation answers, where nobody has said what is expected."""
        findings: list[GateFinding] = []
        files = read_cases(work.out, NATIVE, findings)
        if files and (work.out / REFERENCE / "rcb_tests" / "test.sh").is_file():
            await record_outputs(work, NATIVE, files, REFERENCE, only_empty=only_empty)

    async def gate(self, work: Work) -> Verdict:
        """Every case on the golden implementation, three times; and the contract, the map and the words."""
        findings: list[GateFinding] = []
        contract = read_part(work.out, CONTRACT, Contract, findings)
        tests = read_part(work.out, TESTS, TestMap, findings)
        files = read_cases(work.out, NATIVE, findings)
        selection = _selection(work)
        golden = work.of("select") / "golden"
        reference = work.out / REFERENCE
        if not (reference / "rcb_tests" / "test.sh").is_file():
            message = "there is no rcb_tests/test.sh"
            findings.append(GateFinding(kind="no_harness", message=message, file=f"{REFERENCE}/rcb_tests/test.sh"))
            return Verdict(findings=tuple(findings))
        findings += reference_findings(reference, golden, selection)
        if contract is not None:
            findings += contract_findings(contract, files)
            findings += error_findings(files, contract, golden, selection, NATIVE)
        if tests is not None:
            findings += map_findings(tests, selection, files)
        if not files or any(finding.kind == "bad_file" for finding in findings):
            return Verdict(findings=tuple(findings))  # what is damaged is mended before anything runs
        with composed(reference, golden) as tree:
            steady = await check_cases(work, tree, files, NATIVE, image=str(work.options.get("image", "host")))
        findings += steady.findings
        total = sum(len(file.cases) for file in files.values())
        facts = {
            "cases": total,
            "files": len(files),
            "kept": len(tests.kept) if tests else None,
            "dropped": len(tests.dropped) if tests else None,
            "clock_varied": steady.clock_varied,
            "seconds": round(steady.plain.seconds, 1),
        }
        return Verdict(findings=tuple(findings), facts=facts)


def read_plan(document: dict[str, Any]) -> Plan | None:
    """A model's plan: the contract, which feature each kept test belongs to, and what is dropped."""
    try:
        contract = Contract.model_validate_json(
            _json({name: document.get(name, []) for name in ("features", "errors", "actions", "words")})
        )
        kept = {str(one["test"]): str(one["feature"]) for one in document.get("kept", ())}
        dropped = [DroppedTest(test=str(one["test"]), reason=str(one["reason"])) for one in document.get("dropped", ())]
    except (ValueError, TypeError, KeyError):
        return None
    if any(stem_problem(feature.id) for feature in contract.features):
        return None
    return contract, kept, dropped


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


def contract_findings(contract: Contract, files: Mapping[str, CaseFile]) -> list[GateFinding]:
    """Every leaf feature has a case file of its name, and every case file is one of a feature."""
    findings = []
    ids = [feature.id for feature in contract.features]
    for one in sorted({one for one in ids if ids.count(one) > 1}):
        findings.append(GateFinding(kind="feature_twice", message=f"the feature {one!a} is there twice", file=CONTRACT))
    for one in ids:
        if one not in files:
            message = f"the feature {one!a} has no case"
            findings.append(
                GateFinding(kind="no_cases", message=message, file=f"{NATIVE}/{one}.json", mend="write some")
            )
    for stem in files:
        if stem not in ids:
            message = "is the case file of no feature"
            findings.append(GateFinding(kind="unknown_feature", message=message, file=f"{NATIVE}/{stem}.json"))
        if problem := stem_problem(stem):
            findings.append(GateFinding(kind="unsafe_name", message=problem, file=f"{NATIVE}/{stem}.json"))
    return findings


def map_findings(tests: TestMap, selection: Selection, files: Mapping[str, CaseFile]) -> list[GateFinding]:
    """Each original test is kept or dropped, and what is kept names cases that there are."""
    findings = []
    known, kept = set(selection.tests), {one.test for one in tests.kept}
    dropped = {one.test for one in tests.dropped}
    for one in sorted(known - kept - dropped):
        message = "this test became no case, and is not listed as dropped"
        findings.append(GateFinding(kind="test_unmapped", message=message, file=TESTS, where=one))
    for one in sorted(kept & dropped):
        findings.append(GateFinding(kind="test_twice", message="is kept and dropped", file=TESTS, where=one))
    for one in sorted((kept | dropped) - known) if known else ():
        findings.append(
            GateFinding(
                kind="test_unknown", message="is no test of the repository", file=TESTS, where=one, severity="warning"
            )
        )
    for row in tests.kept:
        for place in row.cases:
            if place.file not in files or place.index >= len(files[place.file].cases):
                message = f"names the case {place.file} {place.index}, which is not there"
                findings.append(GateFinding(kind="case_unknown", message=message, file=TESTS, where=row.test))
    if known and not kept:
        findings.append(GateFinding(kind="no_test_kept", message="no original test became a case", file=TESTS))
    return findings


def _selection(work: Work) -> Selection:
    from underspec.task.strict import read_model

    path = work.of("select") / SELECTION
    found = read_model(Selection, path.read_bytes(), SELECTION, stop_at_errors)
    assert found is not None  # the report raises at errors
    return found


def _reference_files(out: Path) -> list[str]:
    """The reference's own files, without the harness that comes with this package."""
    known = {f"{REFERENCE}/{path}" for key in HARNESSES for path in harness_files(key)}
    found = [path.relative_to(out).as_posix() for path in sorted((out / REFERENCE).rglob("*")) if path.is_file()]
    return [path for path in found if path not in known]


def _may_write(path: str) -> bool:
    return path in (CONTRACT, TESTS) or path.startswith((f"{REFERENCE}/", f"{NATIVE}/"))


REFACTOR = Refactor()
