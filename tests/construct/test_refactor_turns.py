"""refactor with a model: its plan, dispatcher and cases are tried, and what the gate finds goes back to be mended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.construct.planted import CONTRACT, DISPATCHER, IDS, LARGEST, TOTAL, kinds, project, run, runner, selected
from underspec.construct.mending import read_files, safe_path
from underspec.construct.refactor import REFACTOR
from underspec.construct.runner import Runner

pytestmark = pytest.mark.sandbox

PLAN = {
    **CONTRACT,
    "kept": [{"test": IDS[2], "feature": "total"}, {"test": IDS[0], "feature": "largest"}],
    "dropped": [{"test": IDS[1], "reason": "looks at an exception"}],
}
WITH_TIME = DISPATCHER.replace("import sys\n", "import sys\nimport time\n").replace(
    'return f"total={', 'return f"on={time.time_ns()}\\ntotal={'
)


def answer(said: str, document: Any, *, repeat: bool = False) -> dict[str, Any]:
    text = document if isinstance(document, str) else json.dumps(document)
    return {"when": {"anywhere": f"Stage: refactor, {said}"}, "text": text, "repeat": repeat}


def dispatcher(text: str) -> dict[str, Any]:
    return {"files": [{"path": "dispatcher.py", "text": text}], "remove": []}


def cases(test: str, of: list[dict[str, Any]], **changed: Any) -> dict[str, Any]:
    return {
        "cases": [{"test": test, "input": json.dumps(case["input"]), "expected_output": None, **changed} for case in of]
    }


def refactoring(tmp_path: Path, *turns: dict[str, Any], repairs: int = 1) -> Runner:
    path = tmp_path / "model.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    chosen = project(tmp_path, model=f"scripted/{path}", repairs=repairs)
    return runner(tmp_path, chosen, [selected(), REFACTOR], sandboxes=True)


def kinds_by_turn(chosen: Runner) -> list[tuple[str, ...]]:
    return [turn.kinds for turn in chosen.folder("refactor").state().turns]


def native(chosen: Runner, stem: str) -> list[str]:
    document = json.loads((chosen.folder("refactor").out / "native" / f"{stem}.json").read_text())
    return [case["expected_output"] for case in document["cases"]]


GOOD = (
    answer("plan", PLAN),
    answer("dispatcher", dispatcher(DISPATCHER)),
    answer("cases of total:", cases(IDS[2], TOTAL)),
    answer("cases of largest:", cases(IDS[0], LARGEST[:1])),
)


def test_what_nobody_expects_is_recorded_from_the_golden_implementation(tmp_path: Path) -> None:
    chosen = refactoring(tmp_path, *GOOD)
    assert run(chosen)
    assert (native(chosen, "total"), native(chosen, "largest")) == (["total=6\n"], ["largest=9\n"])
    kept = json.loads((chosen.folder("refactor").out / "tests.json").read_text())["kept"]
    assert {row["test"]: row["cases"] for row in kept}[IDS[2]] == [{"file": "total", "index": 0}]


def test_a_wrong_expectation_goes_back_and_is_mended(tmp_path: Path) -> None:
    right = {"description": "Totals", "cases": TOTAL}
    mended = {"files": [{"path": "native/total.json", "text": json.dumps(right)}], "remove": []}
    wrong = answer("cases of total:", cases(IDS[2], TOTAL, expected_output="total=7\n"))
    chosen = refactoring(tmp_path, *GOOD[:2], wrong, GOOD[3], answer("mend", mended))
    assert run(chosen)
    assert kinds_by_turn(chosen) == [("case_fails",), ()]
    assert native(chosen, "total") == ["total=6\n"]


def test_a_dispatcher_that_tells_the_time_is_found_out_and_every_output_recorded_anew(tmp_path: Path) -> None:
    mended = {"files": [{"path": "reference/dispatcher.py", "text": DISPATCHER}], "remove": []}
    chosen = refactoring(
        tmp_path, GOOD[0], answer("dispatcher", dispatcher(WITH_TIME)), *GOOD[2:], answer("mend", mended)
    )
    assert run(chosen)
    first, last = kinds_by_turn(chosen)
    assert "time_dependent" in first or "random" in first  # the latter where no clock can be stopped
    assert last == ()
    assert native(chosen, "total") == ["total=6\n"]


@pytest.mark.parametrize(
    ("mended", "kind"),
    [
        ({"files": [{"path": "../../escaped.txt", "text": "x"}], "remove": []}, "no_proposal"),
        ({"files": [{"path": "selection.json", "text": "{}"}], "remove": []}, "nothing_mended"),
        ("I mended everything.", "no_proposal"),
    ],
)
def test_a_repair_that_is_none_is_refused_and_writes_nothing(tmp_path: Path, mended: Any, kind: str) -> None:
    wrong = answer("cases of total:", cases(IDS[2], TOTAL, expected_output="total=7\n"))
    chosen = refactoring(tmp_path, *GOOD[:2], wrong, GOOD[3], answer("mend", mended, repeat=True))
    assert not run(chosen)
    assert kinds_by_turn(chosen) == [("case_fails",), (kind,)]
    assert "case_fails" in kinds(chosen, "refactor")
    assert native(chosen, "total") == ["total=7\n"]
    assert not list(tmp_path.rglob("escaped.txt"))


@pytest.mark.parametrize("bad", [answer("plan", {"features": []}, repeat=True), answer("plan", "ok", repeat=True)])
def test_a_plan_that_is_none_is_refused_with_the_reason(tmp_path: Path, bad: dict[str, Any]) -> None:
    chosen = refactoring(tmp_path, bad, repairs=0)
    assert not run(chosen)
    assert kinds(chosen, "refactor") == {"no_proposal"}


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/./b", "x\ny", "~/x", "-x", "a\\b", "."]
)
def test_paths_that_lead_elsewhere_are_none(path: str) -> None:
    assert not safe_path(path)
    assert read_files({"files": [{"path": path, "text": ""}], "remove": []}) is None
    assert read_files({"files": [], "remove": [path]}) is None
