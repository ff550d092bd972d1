"""Variants tell whether private tests are any good."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.acceptance.toy import OWNER
from tests.cli.command import underspec
from tests.commission_factory import SERVE, SUM, TALLY, canary, make_commission
from tests.sandbox.boxes import needs_bubblewrap
from tests.task_factory import make_task
from underspec.grade.acceptance.variants import VariantsCheck, check_variants
from underspec.sandbox.backends import load_backend
from underspec.task.load import load_task

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

HONEST = TALLY.format(canary=canary(99))
WRONG_SERVER = HONEST.replace("Handler.total += int(", "Handler.total = int(")


def check(folder: Path, only: str = "", files: Mapping[str, str] | None = None) -> VariantsCheck:
    task = load_task(make_commission(folder, files=files))
    backend = load_backend("bubblewrap")
    return asyncio.run(check_variants(task, backend, owner=OWNER, only=lambda name: not only or name == only))


def messages(checked: VariantsCheck) -> str:
    return "\n".join(f"{each.file}: {each.message}" for each in checked.findings)


def test_an_equivalent_that_is_rejected_is_a_finding_with_the_reason(tmp_path: Path) -> None:
    other = {"hidden/variants/equivalent/tally.py": HONEST.replace("exit(2)", "exit(9)")}
    said = messages(check(tmp_path, "equivalent", other))
    assert "hidden/variants/equivalent: the equivalent implementation passes 4 of 5 tests" in said
    assert "test_sum::test_what_is_no_number_is_an_error: failed" in said


def test_an_incorrect_variant_that_is_accepted_is_a_finding(tmp_path: Path) -> None:
    name = f"incorrect-{SUM}"
    checked = check(tmp_path, name, {f"hidden/variants/{name}/tally.py": WRONG_SERVER})
    assert f"the tests of {SUM} accept what is wrong about it" in messages(checked)
    assert checked.also(name) == (SERVE,)


def test_a_starter_that_passes_a_unit_is_a_finding(tmp_path: Path) -> None:
    checked = check(tmp_path, "starter", {"visible/workspace/tally.py": WRONG_SERVER})
    assert messages(checked) == f"visible/workspace: the starter files pass {SUM} before anything is built"


def test_the_command_line_tells_all_of_it(tmp_path: Path) -> None:
    path = make_commission(tmp_path)
    ran = underspec("tasks", "validate", "--variants", "--json", str(path))
    [task] = ran.json()["tasks"]
    variants = task["variants"]
    assert (ran.code, task["valid"], variants["ok"]) == (0, True, True)
    assert variants["reference"] == {
        "passed": True,
        "tests": {"passed": 5, "total": 5, "rate": 1.0},
        "units": {"passed": 2, "total": 2, "rate": 1.0},
    }
    assert set(variants) == {"ok", "starter", "reference", "equivalent", "incorrect"}
    assert variants["starter"]["units"]["passed"] == 0
    assert set(variants["incorrect"]) == {SUM, SERVE}
    assert variants["incorrect"][SERVE]["rejected"] is True
    assert variants["incorrect"][SERVE]["by"] == ["test_serve::test_it_remembers"]
    assert variants["incorrect"][SERVE]["also"] == []


@pytest.mark.proof
def test_a_finding_makes_the_task_invalid_on_the_command_line(tmp_path: Path) -> None:
    bad = {"hidden/variants/reference/tally.py": HONEST.replace("exit(2)", "exit(9)")}
    ran = underspec("tasks", "validate", "--variants", str(make_commission(tmp_path, files=bad)))
    assert ran.code == 1
    assert "NOT VALID" in ran.out
    assert "wrong about RU-sum: rejected by 2 of its tests" in ran.out


def test_a_task_without_units_has_no_variants_to_tell_of(tmp_path: Path) -> None:
    ran = underspec("tasks", "validate", "--variants", "--json", str(make_task(tmp_path)))
    assert ran.code == 0
    assert json.loads(ran.out)["tasks"][0]["variants"] is None
