"""The JSON document of ``underspec grade --json``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.grade.fakes import Script
from tests.grade.test_grader import all_right, grade, right
from underspec.artifact.outcomes import Unscored
from underspec.errors import Boundary
from underspec.grade.view import grade_document, unscored_document
from underspec.sandbox.protocol import ExecResult
from underspec.selftest.deliverables.toy import toy_task

SUITES = ["public", "native", "enhanced", "hidden"]


def test_the_document_has_the_promised_shape_and_is_json(tmp_path: Path) -> None:
    scripts = all_right()
    scripts[2] = Script(end=ExecResult(3, None, b"", b"", 0.1), outputs={**right("enhanced"), "add@000.txt": b""})
    document = grade_document(grade(tmp_path, *scripts))
    assert json.loads(json.dumps(document)) == document
    assert list(document["suites"]) == SUITES
    assert document["suites"]["enhanced"] == {
        "passed": 4,
        "total": 5,
        "rate": 0.8,
        "outcomes": {"pass": 4, "mismatch": 1, "missing": 0, "oversize": 0},
        "states": ["mismatch", "exec:run"],
    }
    assert document["suites"]["hidden"]["total"] == 9
    assert document["suites"]["hidden"]["passed"] == 8
    assert document["suites"]["hidden"]["states"] == ["mismatch", "exec:run"]
    assert document["overall"] == {"passed": 10, "total": 11, "rate": 10 / 11}
    assert document["clean"] is False
    assert document["unscored"] is None
    assert document["cases"][-5] == {"suite": "enhanced", "file": "add", "index": 0, "outcome": "mismatch"}
    assert len(document["cases"]) == 13


def test_a_suite_without_cases_has_no_rate(tmp_path: Path) -> None:
    task = toy_task({"native": {"add": [{"op": "add", "a": 1, "b": 2}]}})
    document = grade_document(grade(tmp_path, Script(outputs={"add@0.txt": b"3\n"}), task=task))
    assert document["suites"]["public"] == {
        "passed": 0,
        "total": 0,
        "rate": None,
        "outcomes": {"pass": 0, "mismatch": 0, "missing": 0, "oversize": 0},
        "states": [],
    }
    assert document["clean"] is True


def test_unscored_keeps_the_shape_and_claims_no_number() -> None:
    document = unscored_document(toy_task(), Unscored(boundary=Boundary.SANDBOX, reason="no space left"))
    assert json.loads(json.dumps(document)) == document
    assert document["unscored"] == {"boundary": "sandbox", "reason": "no space left"}
    assert document["overall"] == {"passed": None, "total": 11, "rate": None}
    assert {name: suite["total"] for name, suite in document["suites"].items()} == dict(
        zip(SUITES, (2, 6, 5, 9), strict=True)
    )
    assert document["suites"]["native"]["outcomes"] == {
        "pass": None,
        "mismatch": None,
        "missing": None,
        "oversize": None,
    }
    assert document["clean"] is False
