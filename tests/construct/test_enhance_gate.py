"""enhance, for real: four dimensions, nothing twice, only what the golden library answers, and a log of the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.construct.planted import CONTRACT, TOTAL, Laid, found, kinds, project, refactored, run, runner, selected
from underspec.construct import enhance as enhancing
from underspec.construct.coverage import Covered, code_lines, lines_not_run
from underspec.construct.enhance import DIMENSIONS, ENHANCE, read_enhanced_document
from underspec.construct.findings import GateFinding
from underspec.construct.materials import Contract, case_bytes
from underspec.construct.runner import Runner
from underspec.construct.stage import Stage

pytestmark = pytest.mark.sandbox

STEPS = {"boundary": 1, "special_constraint": 2, "stress": 40, "logic": -3}


@pytest.fixture(autouse=True)
def no_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    """What measures lines comes from a registry; here nothing does."""
    monkeypatch.setattr(enhancing, "tool_of", lambda language: None)


def asked(action: str, step: int, dimension: str) -> dict[str, Any]:
    numbers = [step, step + 1, 7]
    return {"dimension": dimension, "input": {"action": action, "numbers": numbers}, "expected_output": None}


def good(action: str) -> list[dict[str, Any]]:
    return [asked(action, step, dimension) for dimension, step in STEPS.items()]


def enhanced(tmp_path: Path, answers: Mapping[str, Sequence[dict[str, Any]]], **fields: Any) -> Runner:
    """The stage with a model that answers by the words of its prompts."""
    path = tmp_path / "model.jsonl"
    turns = [
        {"when": {"anywhere": f"Stage: enhance, {said}"}, "text": json.dumps({"cases": cases}), "repeat": True}
        for said, cases in answers.items()
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    stages: list[Stage] = [
        selected(),
        Laid("refactor", refactored(), ("select",)),
        Laid("ground", {"ground.md": "# Tallies\n"}, ("select", "refactor")),
        ENHANCE,
    ]
    return runner(tmp_path, project(tmp_path, model=f"scripted/{path}", **fields), stages, sandboxes=True)


def test_cases_in_all_dimensions_are_taken_with_the_golden_outputs(tmp_path: Path) -> None:
    wrong = {**asked("total", 100, "logic"), "expected_output": "total=1\n"}
    chosen = enhanced(tmp_path, {"cases of total": [*good("total"), wrong], "cases of largest": good("largest")})
    assert run(chosen)
    out = chosen.folder("enhance").out
    assert {path.stem for path in (out / "enhanced").glob("*.json")} == {
        f"{feature}_{dimension}" for feature in ("total", "largest") for dimension in DIMENSIONS
    }
    logic = json.loads((out / "enhanced" / "total_logic.json").read_text())["cases"]
    assert [case["expected_output"] for case in logic] == ["total=2\n", "total=208\n"]
    outcomes = {row["outcome"] for row in json.loads((out / "log.json").read_text())}
    assert outcomes == {"kept", "kept, with its expectation corrected"}
    assert kinds(chosen, "enhance", "warning") == {"coverage_unknown"}
    verdict = chosen.folder("enhance").state().verdict
    assert verdict is not None
    assert verdict.facts["dimensions"] == {"boundary": 2, "special_constraint": 2, "stress": 2, "logic": 3}


def test_what_repeats_or_crashes_is_asked_for_once_more_and_then_dropped_and_logged(tmp_path: Path) -> None:
    twice = {"dimension": "logic", "input": TOTAL[0]["input"], "expected_output": None}
    crash = {"dimension": "logic", "input": {"action": "total", "numbers": "x"}, "expected_output": None}
    answers = {
        "cases of total": [*good("total"), twice, crash],
        "repair of total": [asked("total", 60, "logic"), {**crash, "input": {"action": "total", "numbers": [None]}}],
        "cases of largest": good("largest"),
    }
    chosen = enhanced(tmp_path, answers)
    assert run(chosen)
    out = chosen.folder("enhance").out
    log = json.loads((out / "log.json").read_text())
    outcomes = [row["outcome"] for row in log if row["feature"] == "total"]
    assert outcomes == ["repeats another", *["kept"] * 4, "failed", "kept", "dropped"]
    assert len(json.loads((out / "enhanced" / "total_logic.json").read_text())["cases"]) == 2


def test_a_missing_dimension_keeps_the_gate_shut(tmp_path: Path) -> None:
    chosen = enhanced(tmp_path, {"cases of total": good("total")[:3], "cases of largest": good("largest")})
    assert not run(chosen)
    (finding,) = found(chosen, "enhance", "dimension_missing")
    assert finding.file == "enhanced/total_logic.json"


@pytest.mark.proof
def test_repetition_other_outputs_and_strange_files_that_a_person_left_are_found(tmp_path: Path) -> None:
    chosen = enhanced(tmp_path, {"cases of total": good("total"), "cases of largest": good("largest")})
    assert run(chosen)
    folder = chosen.folder("enhance").out / "enhanced"
    (folder / "total_logic.json").write_bytes(case_bytes("d", TOTAL))
    (folder / "total_stress.json").write_bytes(
        case_bytes("d", [{"input": {"action": "total", "numbers": [8]}, "expected_output": "total=9\n"}])
    )
    (folder / "total_more.json").write_bytes(
        case_bytes("d", [{"input": {"action": "total", "numbers": [80]}, "expected_output": "total=80\n"}])
    )
    assert not run(chosen)
    assert kinds(chosen, "enhance") == {"duplicate_case", "case_fails", "unknown_dimension"}


def test_answers_of_another_form_are_refused_with_the_reason(tmp_path: Path) -> None:
    chosen = enhanced(tmp_path, {"cases of total": [{"dimension": "speed", "input": {}, "expected_output": None}]})
    assert not run(chosen)
    assert kinds(chosen, "enhance") == {"no_proposal"}
    none: tuple[dict[str, Any], ...] = (
        {},
        {"cases": []},
        {"cases": [1]},
        {"cases": [{"dimension": "logic", "input": "{"}]},
    )
    for bad in none:
        assert read_enhanced_document(bad) is None
    text = {"cases": [{"dimension": "logic", "input": '{"a": 1}', "expected_output": None}]}
    (case,) = read_enhanced_document(text) or []
    assert case.input == {"a": 1}


def test_what_a_later_gate_says_of_all_cases_is_asked_of_every_feature() -> None:
    contract = Contract.model_validate_json(json.dumps(CONTRACT))
    general = GateFinding(kind="mutants_survive", message="m", evidence="a.py:1")
    named = GateFinding(kind="random", message="m", file="enhanced/total_logic.json", where="$.cases[0]")
    found_by = enhancing._by_feature([general, named], contract)
    assert found_by == {"total": [general, named], "largest": [general]}


SCRIPT = """// sums
function add(a, b) {
  if (a) {
    return a + b;
  }
  return b;
}
function never() {
  return 1;
}
"""


def test_lines_that_v8_saw_not_running_are_counted_as_such() -> None:
    inner = SCRIPT.index("{\n    return a")
    end = SCRIPT.index("}\n  return b") + 1
    start = SCRIPT.index("function never")
    functions = [
        {"ranges": [{"startOffset": 0, "endOffset": len(SCRIPT), "count": 1}]},
        {"ranges": [{"startOffset": start, "endOffset": len(SCRIPT) - 1, "count": 0}]},
        {"ranges": [{"startOffset": inner, "endOffset": end, "count": 0}]},
    ]
    assert code_lines(SCRIPT) == {2, 3, 4, 6, 8, 9}
    assert code_lines(SCRIPT) & lines_not_run(SCRIPT, functions) == {4, 8, 9}


def test_suites_cover_together_what_either_covers() -> None:
    one = Covered({"a": frozenset({1, 2, 3, 4})}, {"a": frozenset({1})})
    other = Covered({"a": frozenset({1, 2, 3, 4})}, {"a": frozenset({2, 9})})
    assert (one.share, other.share, one.and_also(other).share) == (0.25, 0.25, 0.5)
    assert Covered({}, {}).share == 0.0
