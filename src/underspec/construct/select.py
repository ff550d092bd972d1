"""select: fetch a repository, read what it is, and keep it only if all its own tests pass, twice (ICAE III-B)."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict
from underspec.construct.licence import Licence, find_licence
from underspec.construct.materials import SELECTION, Assessment, Selection, read_part, write_part
from underspec.construct.own_tests import TestPlan, TestRun, plan_of, run_tests
from underspec.construct.project import Project
from underspec.construct.source import Given, lay_source, obtain, understand
from underspec.construct.stage import Work
from underspec.errors import GoldenError, UsageError
from underspec.grade.structure.languages import LANGUAGES, Language, find_language
from underspec.grade.structure.measure import measure_tree
from underspec.grade.structure.walk import find_sources
from underspec.model.structured import Shape
from underspec.task.golden import fetch_golden
from underspec.task.model import GoldenToml

SOURCE, GOLDEN, GOLDEN_TOML = "source", "golden", "golden.toml"
# Least mean of the four marks that a repository is kept with, where somebody has given marks.
LEAST_MARK = 2.5
_TESTS_SHOWN, _TEXT_SHOWN = 40_000, 6_000
_SCORE = {"type": "integer", "minimum": 1, "maximum": 5}
SHAPE = Shape(
    "assessment",
    {
        "completeness": _SCORE,
        "effectiveness": _SCORE,
        "reliability": _SCORE,
        "readability": _SCORE,
        "rationale": {"type": "string"},
    },
)
# The two runs differ in what a sound test does not depend on.
RUNS = ({"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "4242"})


class Select:
    """See the module. Without a model nobody assesses the tests, which the gate says as a warning."""

    name = "select"
    needs: tuple[str, ...] = ()
    version = 2
    prompts: tuple[str, ...] = ("rules", "tests", "malformed")
    files: Mapping[str, str] = {
        SELECTION: "name, version, language, licence, sizes, how the tests are run, their assessment",
        GOLDEN_TOML: "which archive is the golden implementation, as a task has it",
        "source/": "the repository, with its tests",
        "golden/": "the library alone, as the archive's root has it",
    }
    calls = 3

    def reads(self, project: Project) -> dict[str, str]:
        """The source, and the stage's options."""
        from underspec.artifact.canonical import digest_of

        options = project.options_of(self.name)
        given = understand(project.source)
        found = {"source": given.key(options), "options": digest_of(options)}
        if options.get("tests_from"):
            found["tests_from"] = understand(str(options["tests_from"])).key({})
        return found

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Fetch, lay and read; then let the model assess the tests."""
        shutil.rmtree(work.out / SOURCE, ignore_errors=True)
        shutil.rmtree(work.out / GOLDEN, ignore_errors=True)
        options = work.options
        given = understand(work.project.source)
        try:
            golden = obtain(given, options)
            library = fetch_golden(golden)
        except GoldenError as error:
            raise NoProposalError(error.message, kind="cannot_be_fetched", mend=error.mend) from error
        shutil.copytree(library, work.out / GOLDEN)
        source = work.out / SOURCE
        left_out = _lay(given, golden, options, source)
        if left_out:
            work.log("left_out", paths=left_out[:50], number=len(left_out))
        (work.out / GOLDEN_TOML).write_text(tomli_w.dumps(golden.model_dump(mode="json", exclude_none=True)))
        selection, plan = _read(source, work.out / GOLDEN, golden, given, options)
        if plan.reports:
            listed = await run_tests(work, source, plan, RUNS[0])
            selection = selection.model_copy(update={"tests": tuple(sorted(listed.tests or ()))})
        if work.model is not None:
            assessment = await self._assess(work, source, selection, plan)
            selection = selection.model_copy(update={"assessment": assessment})
        write_part(work.out / SELECTION, selection)

    async def _assess(self, work: Work, source: Path, selection: Selection, plan: TestPlan) -> Assessment:
        texts = {"tests": _shown(source, plan.paths, _TESTS_SHOWN), "readme": _readme(source)}
        user = work.prompt("tests", language=selection.language, number=str(len(plan.paths)), data=as_data(**texts))
        return await work.ask(work.prompt("rules"), user, SHAPE, read_assessment, again=work.prompt("malformed"))

    async def gate(self, work: Work) -> Verdict:
        """Run the tests twice in fresh sandboxes, and look at licence, sizes and marks."""
        findings: list[GateFinding] = []
        selection = read_part(work.out, SELECTION, Selection, findings)
        golden = read_part(work.out, GOLDEN_TOML, GoldenToml, findings)
        source = work.out / SOURCE
        if selection is None or golden is None or not source.is_dir():
            if not source.is_dir():
                findings.append(GateFinding(kind="missing_file", message="there is no source", file="source/"))
            return Verdict(findings=tuple(findings))
        findings += selection_findings(selection, work.options)
        plan = plan_of(source, _language(selection.language), {**work.options, **_as_options(selection)})
        if plan is None or selection.test_command == NO_TESTS:
            message = "no test was found, or no command that runs them is known"
            mend = "give test_command and test_paths in the options of select"
            findings.append(GateFinding(kind="no_tests", message=message, mend=mend))
            return Verdict(findings=tuple(findings))
        runs = []
        for number, env in enumerate(RUNS, start=1):
            work.say(f"the repository's own tests, run {number} of {len(RUNS)}")
            runs.append(await run_tests(work, source, plan, env))
        findings += test_findings(runs)
        facts = {
            "runs": [{"tests": None if run.tests is None else len(run.tests), "ok": run.ok} for run in runs],
            "language": selection.language,
            "license": selection.license,
            "files": selection.files,
            "lines": selection.lines,
            "marks": selection.assessment.model_dump(exclude={"rationale"}) if selection.assessment else None,
        }
        (work.evidence / "runs.txt").write_text("\n\n".join(f"{run.ended}\n{run.output}" for run in runs))
        return Verdict(findings=tuple(findings), facts=facts)


NO_TESTS = ("none",)


def read_assessment(document: dict[str, Any]) -> Assessment | None:
    """A model's document as an assessment; None where it is none."""
    try:
        return Assessment.model_validate(document)
    except ValueError:
        return None


def test_findings(runs: Sequence[TestRun]) -> list[GateFinding]:
    """What two runs of the same tests say: failing in all is broken, failing in some is flaky, and both are refused."""
    findings: list[GateFinding] = []
    bad = [run.bad() for run in runs]
    everywhere = set(bad[0]).intersection(*bad[1:]) if bad else set()
    somewhere = set().union(*bad) - everywhere
    reported = [frozenset(run.tests or ()) for run in runs]
    for name in sorted(everywhere):
        findings.append(
            GateFinding(
                kind="test_fails", message="fails in every run", where=name, evidence=bad[0][name].message[:300]
            )
        )
    for name in sorted(somewhere):
        seen = next(of_run[name] for of_run in bad if name in of_run)
        findings.append(
            GateFinding(kind="flaky_test", message="fails in some runs only", where=name, evidence=seen.message[:300])
        )
    for name in sorted(frozenset().union(*reported) - reported[0].intersection(*reported[1:])):
        findings.append(GateFinding(kind="flaky_test", message="is there in some runs only", where=name))
    for number, run in enumerate(runs, start=1):
        if run.tests is not None and not run.tests:
            findings.append(
                GateFinding(kind="no_tests", message=f"run {number} reports no test", evidence=run.output[-300:])
            )
        elif run.tests is None and run.ok:
            message = f"run {number} leaves no report, so that only its exit code is known"
            findings.append(
                GateFinding(kind="no_report", message=message, severity="warning", mend="name {report} in test_command")
            )
        elif not run.ok and not run.bad():
            message = f"run {number} of the tests ends with {run.ended}"
            findings.append(GateFinding(kind="tests_broken", message=message, evidence=run.output[-600:]))
    return findings


test_findings.__test__ = False  # type: ignore[attr-defined]


def selection_findings(selection: Selection, options: Mapping[str, Any]) -> list[GateFinding]:
    """What its licence and its marks say against a repository."""
    findings = []
    if not Licence(selection.license, selection.license_file).permissive and not options.get("licence_ok"):
        message = f"its licence is {selection.license}, under which not everybody may build on it"
        mend = "choose another repository, or set licence_ok = true in the options of select when you may"
        findings.append(GateFinding(kind="licence", message=message, file=SELECTION, where="$.license", mend=mend))
    if selection.assessment is None:
        message = "nobody has assessed the tests"
        findings.append(GateFinding(kind="not_assessed", message=message, severity="warning", file=SELECTION))
    else:
        marks = selection.assessment.model_dump(exclude={"rationale"})
        if sum(marks.values()) / len(marks) < LEAST_MARK:
            message = (
                f"its tests are assessed as too weak: {', '.join(f'{name} {mark}' for name, mark in marks.items())}"
            )
            findings.append(
                GateFinding(kind="weak_tests", message=message, evidence=selection.assessment.rationale[:300])
            )
    return findings


def _as_options(selection: Selection) -> dict[str, Any]:
    """What a person may have changed in ``selection.json`` counts."""
    return {"test_command": list(selection.test_command), "test_paths": list(selection.test_paths)}


def _lay(given: Given, golden: GoldenToml, options: Mapping[str, Any], source: Path) -> list[str]:
    """The sources with their tests: another archive or folder where one is named, else what was given."""
    tests_from = options.get("tests_from")
    if tests_from:
        other = understand(str(tests_from))
        if other.path is None:
            golden = obtain(other, {})
            shutil.copytree(fetch_golden(golden), source)
            return []
        source.mkdir()
        return lay_source(other.path, source)
    if given.path is None:
        shutil.copytree(fetch_golden(golden.model_copy(update={"root": ""})), source)
        return []
    source.mkdir()
    return lay_source(given.path, source)


def _language(name: str) -> Language:
    found = find_language(name)
    if found is None:
        mend = f"choose one of {', '.join(one.name for one in LANGUAGES)}"
        raise UsageError(f"there is no language {name!r} here", where="$.select.language", mend=mend)
    return found


def _main_language(root: Path) -> Language:
    """The language with most source files."""
    return max(LANGUAGES, key=lambda language: len(find_sources(root, language).files))


def _read(
    source: Path, golden_root: Path, golden: GoldenToml, given: Given, options: Mapping[str, Any]
) -> tuple[Selection, TestPlan]:
    language = _language(str(options["language"])) if options.get("language") else _main_language(golden_root)
    size = measure_tree(golden_root, language, workers=1).size
    if not size.files:
        message = f"the golden archive holds no {language.name} source file that counts"
        raise NoProposalError(message, kind="no_source", mend="give root or language in the options of select")
    licence = find_licence(source)
    if licence.spdx is None:
        licence = find_licence(golden_root)
    plan = plan_of(source, language, options) or TestPlan(NO_TESTS, ())
    address = f"{given.registry}:{golden.name}" if given.registry else f"file:{golden.filename}"
    selection = Selection(
        name=golden.name,
        version=golden.version,
        url=str(options.get("url", address)),
        language=language.name,
        license=str(options.get("license") or licence.spdx or "unknown"),
        license_file=licence.file,
        files=size.files,
        lines=max(1, size.loc),
        stars=options.get("stars"),
        test_command=plan.command,
        test_paths=plan.paths,
        packages=tuple(one.filename for one in plan.wheels),
        identity=tuple(options.get("identity", (golden.name,))),
    )
    return selection, plan


def _shown(root: Path, paths: Sequence[str], most: int) -> str:
    """Files one after another, each under its path, cut to ``most`` characters."""
    parts, room = [], most
    for path in paths:
        text = (root / path).read_text(encoding="utf-8", errors="replace") if (root / path).is_file() else ""
        parts.append(f"--- {path}\n{text[:room]}")
        room -= len(text)
        if room <= 0:
            parts.append("--- (cut here)")
            break
    return "\n".join(parts)


def _readme(root: Path) -> str:
    for path in sorted(root.iterdir()):
        if path.is_file() and path.name.lower().startswith("readme"):
            return path.read_text(encoding="utf-8", errors="replace")[:_TEXT_SHOWN]
    return "(none)"


SELECT = Select()
