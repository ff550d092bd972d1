"""verify, for real: a whole little task passes, and what is wrong with one is found by the part that should find it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.construct.planted import (
    LARGEST,
    LIBRARY,
    TOTAL,
    Laid,
    found,
    kinds,
    project,
    refactored,
    run,
    runner,
    selected,
)
from underspec.construct import verify as verifying
from underspec.construct.assemble import with_canary
from underspec.construct.materials import case_bytes
from underspec.construct.reconstruct import read_faults
from underspec.construct.runner import Runner
from underspec.construct.source import _pack
from underspec.construct.verify import VERIFY
from underspec.task.canary import text_canaries
from underspec.task.fetch import file_sha256
from underspec.task.golden import archive_place
from underspec.task.model import GoldenToml

pytestmark = pytest.mark.sandbox

REQUEST = "# Tallies\n\nPlease build a small tool that adds numbers up and finds the largest. Ask me anything.\n"
RECORD = {
    "id": "C001",
    "kind": "constraint",
    "category": "requests",
    "triggers": ["what does a request look like", "which fields are there", "field names", "input format", "JSON keys"],
    "response": "A request has action (total or largest) and numbers.",
}


def ground() -> str:
    parts = ["# Tallies\n\nAdds numbers up, and finds the largest. `nothing_given` is said where there is none.\n"]
    for stem, title, cases in (("total", "Totals", TOTAL), ("largest", "Largest", LARGEST[:1])):
        shown = case_bytes(title, cases).decode()
        parts.append(f"## {title}\n\nPublic cases: `rcb_tests/public_test_cases/{stem}.json`\n\n```json\n{shown}```\n")
    return "\n".join(parts)


def records() -> dict[str, Any]:
    def case_record(stem: str, title: str, cases: list[dict[str, Any]]) -> dict[str, Any]:
        shown = json.dumps({"description": title, "cases": cases})
        triggers = [f"{words} {stem}" for words in ("cases of", "tests for", "examples of", "samples of", "show me")]
        response = f"Here are the public test cases for {stem}:\n{shown}"
        return {**RECORD, "id": f"TC_{stem}", "kind": "case_file", "triggers": triggers, "response": response}

    cases = [case_record("total", "Totals", TOTAL), case_record("largest", "Largest", LARGEST[:1])]
    full = {"records": [RECORD, *cases], "fallback": "I do not mind."}
    little = {"records": [RECORD], "fallback": "I do not mind."}
    return {"levels": {"L1": full, "L2": full, "L3": little}}


def enhanced() -> dict[str, bytes]:
    files = {}
    for number, dimension in enumerate(("boundary", "special_constraint", "stress", "logic"), 1):
        numbers = [number, 10, -number]
        total = {"input": {"action": "total", "numbers": numbers}, "expected_output": "total=10\n"}
        largest = {"input": {"action": "largest", "numbers": numbers}, "expected_output": "largest=10\n"}
        files[f"enhanced/total_{dimension}.json"] = case_bytes("t", [total])
        files[f"enhanced/largest_{dimension}.json"] = case_bytes("l", [largest])
    return files


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The golden archive of the little library, where golden archives are kept; its ``golden.toml``."""
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(verifying, "tool_of", lambda language: None)
    folder, archive = tmp_path / "library", tmp_path / "tallybox-1.tar.gz"
    folder.mkdir()
    (folder / "tallybox.py").write_text(LIBRARY)
    _pack(folder, archive)
    named = GoldenToml(
        registry="pypi", name="tallybox", version="1", filename=archive.name, sha256=file_sha256(archive)
    )
    place = archive_place(named)
    place.parent.mkdir(parents=True)
    place.write_bytes(archive.read_bytes())
    lines = (f'{key} = "{value}"\n' for key, value in named.model_dump(exclude_none=True, exclude={"canary"}).items())
    return "".join(lines)


Made = Callable[..., Runner]


@pytest.fixture
def made(tmp_path: Path, golden: str) -> Made:
    """A project whose stages before verify have left a sound task; files may be others."""

    def make(options: dict[str, Any] | None = None, model: str | None = None, **files: str | bytes) -> Runner:
        before = ("select", "refactor", "ground", "enhance", "fuzz", "image")
        laid: dict[str, dict[str, str | bytes]] = {
            "select": selected().content | {"golden.toml": golden},
            "refactor": refactored(),
            "ground": {
                "ground.md": ground(),
                "public/total.json": case_bytes("Totals", TOTAL),
                "public/largest.json": case_bytes("Largest", LARGEST[:1]),
            },
            "enhance": dict(enhanced()),
            "fuzz": {"L1.md": REQUEST, "L2.md": REQUEST, "L3.md": ground(), "records.json": json.dumps(records())},
            "image": {"base.toml": "x = 1\n"},
        }
        for name, content in files.items():
            stage, _, path = name.partition("/")
            laid[stage] = {**laid[stage], path: content}
        stages = [Laid(name, laid[name]) for name in before]
        chosen = project(
            tmp_path,
            model=model,
            options={"verify": {"mutants": 4, "least_killed": 0.5, "agent": "", **(options or {})}},
        )
        return runner(tmp_path, chosen, [*stages, VERIFY], sandboxes=True)

    return make


def test_a_sound_task_is_put_together_and_passes_with_canaries_of_its_own(made: Made) -> None:
    chosen = made()
    assert run(chosen), chosen.folder("verify").state().verdict
    verdict = chosen.folder("verify").state().verdict
    assert verdict is not None
    assert verdict.facts["golden"]["passed"] == verdict.facts["golden"]["total"] == 11
    assert verdict.facts["empty"]["passed"] == 0
    assert verdict.facts["mutants"]["tried"] == 4
    assert kinds(chosen, "verify", "warning") == {"not_judged", "not_tried"}
    task = chosen.folder("verify").out / "tally"
    canaries = [
        canary
        for path in sorted((task / "hidden").rglob("*"))
        if path.is_file()
        for canary in text_canaries(path.name, path.read_text())
    ]
    assert len(canaries) == len(set(canaries)) == len([path for path in (task / "hidden").rglob("*") if path.is_file()])


def test_a_case_that_fails_on_golden_keeps_the_gate_shut(made: Made) -> None:
    wrong = [{"input": {"action": "total", "numbers": [3, 10, -3]}, "expected_output": "total=11\n"}]
    chosen = made(**{"enhance/enhanced/total_stress.json": case_bytes("t", wrong)})
    assert not run(chosen)
    assert kinds(chosen, "verify") == {"golden_fails"}
    assert any("total_stress" in (finding.file or "") for finding in found(chosen, "verify", "golden_fails"))


def test_cases_that_an_empty_deliverable_would_pass_are_no_cases(made: Made) -> None:
    chosen = made(**{"refactor/reference/rcb_tests/test.sh": "#!/usr/bin/env bash\nexit 0\n"})
    assert not run(chosen)
    assert kinds(chosen, "verify") == {"golden_fails"}


def test_what_validation_finds_keeps_the_gate_shut_before_anything_runs(made: Made) -> None:
    chosen = made(**{"fuzz/L1.md": REQUEST + "It is like tallybox.\n"})
    assert not run(chosen)
    assert kinds(chosen, "verify") == {"bad_file"}
    (finding,) = [one for one in found(chosen, "verify", "bad_file") if one.severity == "error"]
    assert finding.file == "hidden/requests/L1.md"


def test_a_golden_archive_that_is_another_is_refused(made: Made, golden: str) -> None:
    chosen = made(**{"select/golden.toml": golden.replace("tallybox-1.tar.gz", "other-1.tar.gz")})
    assert not run(chosen)
    assert kinds(chosen, "verify") == {"no_golden"}


@pytest.mark.proof
def test_suites_that_let_mutants_live_keep_the_gate_shut_and_blame_enhance(made: Made) -> None:
    idle = LIBRARY.replace("total_of_all_numbers = 0", "total_of_all_numbers = 0\n    unused = 3 + 4 * 5 - 6")
    chosen = made({"mutants": 20, "least_killed": 0.9}, **{"select/golden/tallybox.py": idle})
    assert not run(chosen)
    (finding,) = found(chosen, "verify", "mutants_survive")
    assert finding.stage == "enhance"
    assert "unused" not in (finding.evidence or "")
    assert (chosen.folder("verify").evidence / "survived.txt").read_text().count("\n") >= 4


def judged(**changed: Any) -> str:
    verdict = {
        "missing": [],
        "contradictions": [],
        "reason": "as it should be",
        "similarity": 0.95,
        "execution_contract_risk": "low",
        "likely_to_fail_same_tests": False,
    }
    return json.dumps({**verdict, **changed})


def model(tmp_path: Path, *turns: dict[str, Any]) -> str:
    path = tmp_path / "model.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return f"scripted/{path}"


def saying(said: str, text: str) -> dict[str, Any]:
    return {"when": {"anywhere": said}, "text": text, "repeat": True}


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        (judged(similarity=0.89), "not_equivalent"),
        (judged(contradictions=[{"statement": "it says less", "material": True}]), "contradicts_ground"),
        ("They are certainly equivalent: 1.0!", "no_judgement"),
    ],
)
def test_a_request_that_does_not_say_the_same_keeps_the_gate_shut(
    made: Made, tmp_path: Path, verdict: str, kind: str
) -> None:
    judge = model(tmp_path, saying("equivalence of the request L1", verdict), saying("equivalence", judged()))
    chosen = made({"mutants": 0}, judge)
    assert not run(chosen)
    assert kinds(chosen, "verify") == {kind}


BUILT = """mkdir -p rcb_tests && cat > rcb_tests/run.py <<'END'
import json, pathlib, sys
here = pathlib.Path(__file__).resolve().parent
target = here / "stdout" / sys.argv[1]
target.mkdir(parents=True, exist_ok=True)
for path in (here / sys.argv[1]).glob("*.json"):
    for index, case in enumerate(json.loads(path.read_text())["cases"]):
        numbers = case["input"]["numbers"]
        is_total = case["input"]["action"] == "total"
        text = f"total={sum(numbers)}\\n" if is_total else f"largest={max(numbers, default=0)}\\n"
        (target / f"{path.stem}@{index:03}.txt").write_text(text)
END
cat > rcb_tests/test.sh <<'END'
cd "$(dirname "$0")/.."
python3 rcb_tests/run.py "${2:-test_cases}"
END
"""


@pytest.mark.proof
def test_an_agent_builds_from_ground_and_what_fails_is_told_with_a_suggestion(made: Made, tmp_path: Path) -> None:
    verdicts = {"verdicts": [{"case": 0, "fault": "contract", "suggestion": "say what is printed for no numbers"}]}
    player = model(
        tmp_path,
        saying("equivalence", judged()),
        saying("failing cases", json.dumps(verdicts)),
        {
            "when": {"tool": "shell", "results": 0},
            "text": "I build.",
            "calls": [{"name": "shell", "arguments": {"command": BUILT}}],
        },
        {"when": {"results": 1}, "text": "Done."},
    )
    chosen = made({"mutants": 0, "agent": "react"}, player)
    assert run(chosen)
    (finding,) = found(chosen, "verify", "not_reconstructed")
    assert (finding.file, finding.where) == ("hidden/cases/native/largest.json", "$.cases[1]")
    assert (finding.stage, finding.mend) == ("ground", "say what is printed for no numbers")
    verdict = chosen.folder("verify").state().verdict
    assert verdict is not None
    assert verdict.facts["reconstruction"][0]["passed"] == 10
    strict = made({"mutants": 0, "agent": "react", "least_reconstructed": 1.0}, player)
    assert not run(strict)
    assert kinds(strict, "verify") == {"contract_unclear"}


def test_a_canary_is_the_same_for_the_same_file_and_never_put_twice() -> None:
    once = with_canary("t", "hidden/requests/L1.md", b"# A\n")
    assert with_canary("t", "hidden/requests/L1.md", b"# A\n") == once
    assert with_canary("t", "hidden/requests/L2.md", b"# A\n") != once
    assert with_canary("t", "hidden/requests/L1.md", once) == once
    script = with_canary("t", "hidden/variants/reference/rcb_tests/test.sh", b"#!/bin/sh\ntrue\n")
    assert script.startswith(b"#!/bin/sh\n# canary ")
    assert with_canary("t", "hidden/x.bin", b"\xff\x00") == b"\xff\x00"


def test_faults_of_another_form_are_none() -> None:
    assert read_faults({"verdicts": [{"case": "0", "fault": "case", "suggestion": "s"}]}) is None
    assert read_faults({"verdicts": [{"case": 0, "fault": "nobody", "suggestion": "s"}]}) is None
    assert read_faults({"verdicts": [{"case": 0, "fault": "case", "suggestion": "s"}]}) == [(0, "case", "s")]
