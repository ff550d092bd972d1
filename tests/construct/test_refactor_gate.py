"""refactor, for real: cases that depend on their surroundings are found and named, and so is all else that is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.construct.planted import (
    CONTRACT,
    DISPATCHER,
    LARGEST,
    LIBRARY,
    MAP,
    TOTAL,
    found,
    kinds,
    project,
    refactored,
    run,
    runner,
    selected,
)
from underspec.construct.materials import case_bytes
from underspec.construct.refactor import REFACTOR, read_plan
from underspec.construct.runner import Runner
from underspec.construct.tools import clock_mounted

pytestmark = pytest.mark.sandbox

SHAKY = """import json
import os
import random
import time

BEFORE = []


def respond(text):
    action = json.loads(text)["action"]
    BEFORE.append(action)
    if action == "day":
        return time.strftime("%Y-%m-%d", time.gmtime()) + "\\n"
    if action == "zone":
        return time.strftime("%H", time.localtime(1_700_000_000)) + "\\n"
    if action == "chance":
        return f"{random.random()}\\n"
    if action == "hashing":
        return ",".join({"alpha", "beta", "gamma", "delta", "epsilon"}) + "\\n"
    if action == "tongue":
        return os.environ.get("LANGUAGE", "none") + "\\n"
    if action == "place":
        return os.getcwd() + "\\n"
    if action == "before":
        return f"{len(BEFORE)}\\n"
    return "steady\\n"
"""
NAMED = {
    "day": "time_dependent",
    "zone": "timezone_dependent",
    "chance": "random",
    "hashing": "hash_order_dependent",
    "tongue": "locale_dependent",
    "place": "path_dependent",
    "before": "order_dependent",
}


def gated(tmp_path: Path, **changed: str | bytes) -> Runner:
    """Files as a person would have left them, judged by the gate."""
    chosen = runner(tmp_path, project(tmp_path), [selected(), REFACTOR], sandboxes=True)
    run(chosen, until="select")
    files = {path.replace("__", "/"): content for path, content in changed.items()}
    for path, content in {**refactored(), **files}.items():
        target = chosen.folder("refactor").out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    run(chosen)
    return chosen


def one(feature: str, cases: Sequence[Mapping[str, Any]]) -> bytes:
    return case_bytes(feature, [dict(case) for case in cases])


def test_sound_cases_pass_and_say_how_many_there_are(tmp_path: Path) -> None:
    chosen = gated(tmp_path)
    verdict = chosen.folder("refactor").state().verdict
    assert verdict is not None
    assert verdict.ok, verdict.findings
    assert (verdict.facts["cases"], verdict.facts["kept"], verdict.facts["dropped"]) == (3, 3, 0)


def test_what_an_output_depends_on_is_found_and_named(tmp_path: Path) -> None:
    if clock_mounted() is None:
        pytest.skip("no library that shifts the clock can be had here")
    suites: dict[str, str | bytes] = {
        f"native__{name}.json": one(name, [{"input": {"action": name}, "expected_output": "?"}]) for name in NAMED
    }
    suites["native__before.json"] = one(
        "before",
        [
            {"input": {"action": "steady"}, "expected_output": "steady\n"},
            {"input": {"action": "before"}, "expected_output": "?"},
        ],
    )
    chosen = gated(tmp_path, **{**suites, "reference__dispatcher.py": SHAKY})
    verdict = chosen.folder("refactor").state().verdict
    assert verdict is not None
    unsteady = set(NAMED.values())
    named = {(finding.file, finding.kind) for finding in verdict.findings if finding.kind in unsteady}
    assert named == {(f"native/{name}.json", kind) for name, kind in NAMED.items()}
    assert all(finding.evidence for finding in verdict.findings if finding.kind in unsteady)


def test_a_case_that_the_golden_implementation_fails_is_shown_with_both_outputs(tmp_path: Path) -> None:
    wrong = [{**TOTAL[0], "expected_output": "total=7\n"}]
    chosen = gated(tmp_path, **{"native__total.json": one("t", wrong)})
    assert kinds(chosen, "refactor") >= {"case_fails"}
    (finding,) = found(chosen, "refactor", "case_fails")
    assert (finding.file, finding.where) == ("native/total.json", "$.cases[0]")
    assert "7" in (finding.evidence or "")
    assert "6" in (finding.evidence or "")


def test_a_case_without_an_output_is_shown_with_what_the_dispatcher_said(tmp_path: Path) -> None:
    crash = DISPATCHER.replace(
        "def respond(text):\n", "def respond(text):\n    if '9' in text:\n        raise RuntimeError('no nines')\n"
    )
    chosen = gated(tmp_path, **{"reference__dispatcher.py": crash})
    (finding,) = found(chosen, "refactor", "missing_output")
    assert finding.where == "$.cases[0]"
    assert "no nines" in (finding.evidence or "")


def test_exceptions_unknown_categories_and_names_of_the_source_are_not_neutral(tmp_path: Path) -> None:
    cases = [
        {**LARGEST[0], "expected_output": "ValueError: empty\n"},
        {**LARGEST[1], "expected_output": "error=value_error\n"},
        {"input": {"action": "largest", "numbers": [1], "note": "tallybox"}, "expected_output": "largest=1\n"},
    ]
    chosen = gated(tmp_path, **{"native__largest.json": one("l", cases)})
    assert kinds(chosen, "refactor") >= {"not_neutral", "unknown_category", "identity"}


def test_golden_code_in_the_reference_is_refused(tmp_path: Path) -> None:
    chosen = gated(tmp_path, **{"reference__helper.py": LIBRARY.replace("tally", "count")})
    (finding,) = found(chosen, "refactor", "golden_copied")
    assert finding.file == "reference/helper.py"


def test_every_original_test_is_kept_or_dropped_and_every_feature_has_cases(tmp_path: Path) -> None:
    contract = {**CONTRACT, "features": [*CONTRACT["features"], {"id": "smallest", "title": "s", "summary": "s"}]}  # type: ignore[misc]
    tests = {"kept": [*MAP["kept"][:1], {"test": "nobody.knows::it", "cases": [{"file": "total", "index": 5}]}]}
    chosen = gated(tmp_path, **{"contract.json": json.dumps(contract), "tests.json": json.dumps(tests)})
    assert kinds(chosen, "refactor") == {"no_cases", "test_unmapped", "case_unknown"}
    assert len(found(chosen, "refactor", "test_unmapped")) == 2
    assert kinds(chosen, "refactor", "warning") >= {"test_unknown"}


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("native__total.json", "[]", "bad_file"),
        ("native__total.json", "\ufeff{}", "bad_file"),
        ("contract.json", "{}", "bad_file"),
        ("tests.json", "{", "bad_file"),
        (
            "native__more.json",
            '{"description": "d", "cases": [{"input": 1, "expected_output": ""}]}',
            "unknown_feature",
        ),
    ],
)
def test_damaged_files_are_findings_and_never_exceptions(tmp_path: Path, path: str, content: str, kind: str) -> None:
    chosen = gated(tmp_path, **{path: content})
    assert kind in kinds(chosen, "refactor")


def test_without_a_harness_nothing_runs(tmp_path: Path) -> None:
    chosen = gated(tmp_path)
    (chosen.folder("refactor").out / "reference" / "rcb_tests" / "test.sh").unlink()
    run(chosen)
    assert kinds(chosen, "refactor") == {"no_harness"}


def test_a_plan_that_is_none_is_refused() -> None:
    assert read_plan({}) is None
    assert read_plan({"features": [{"id": "../x", "title": "t", "summary": "s"}]}) is None
    assert read_plan({"features": [{"id": "a", "title": "t", "summary": "s"}], "kept": ["x"]}) is None
    assert read_plan({"features": [{"id": "a", "title": "t", "summary": "s"}]}) is not None
