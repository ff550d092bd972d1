"""Mutants: which there are, and that weak suites leave them alive while strong ones do not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.construct.planted import Laid, backend, project, refactored
from underspec.construct.golden_run import composed
from underspec.construct.mutants import MutationCheck, can_mutate, check_mutants, file_mutants
from underspec.construct.stage import Work
from underspec.task.model import CaseFile

PYTHON = b"""def f(a, b):
    if a < 3 and not b:
        return a + 10
    return True
"""
SCRIPT = b"""function f(a, b) {
  if (a === 1 || !b) { return a * 2; }
  return false;
}
"""


def exchanges(path: str, data: bytes, language: str) -> set[tuple[int, str, str]]:
    return {(mutant.line, mutant.old, mutant.new) for mutant in file_mutants(path, data, language)}


def test_single_tokens_are_exchanged_in_python_and_javascript() -> None:
    assert exchanges("a.py", PYTHON, "Python") == {
        *((2, "<", "<="), (2, "3", "4"), (2, "and", "or"), (2, "not", "")),
        *((3, "+", "-"), (3, "10", "11"), (4, "True", "False")),
    }
    assert exchanges("a.js", SCRIPT, "JavaScript") == {
        *((2, "===", "!=="), (2, "1", "2"), (2, "||", "&&"), (2, "!", ""), (2, "*", "+"), (2, "2", "3")),
        (3, "false", "true"),
    }


def test_a_mutant_changes_its_own_bytes_and_no_others() -> None:
    for mutant in file_mutants("a.py", PYTHON, "Python"):
        changed = mutant.applied(PYTHON)
        assert changed != PYTHON
        assert changed.startswith(PYTHON[: mutant.start])
        assert changed.endswith(PYTHON[mutant.end :])


def test_strings_and_comments_are_left_alone_and_other_languages_have_none() -> None:
    assert exchanges("a.py", b'x = "1 < 2 and True"  # 3 + 4\n', "Python") == set()
    assert not can_mutate("Ruby")
    assert exchanges("a.rb", b"1 + 1", "Ruby") == set()


def checked(tmp_path: Path, library: str, cases: list[dict[str, Any]]) -> MutationCheck:
    golden = tmp_path / "golden"
    golden.mkdir()
    (golden / "tallybox.py").write_text(library)
    out = tmp_path / "out"
    laid = Laid("refactor", refactored())
    work = Work(
        stage="verify",
        project=project(tmp_path),
        out=out,
        evidence=tmp_path,
        needs={},
        backend=backend(),
        say=lambda words: None,
        log=lambda *words, **more: None,
    )

    async def run() -> MutationCheck:
        await laid.propose(work, ())
        suites = {"total": CaseFile.model_validate_json(_file(cases))}
        with composed(out / "reference", golden) as tree:
            return await check_mutants(work, tree, golden, suites, "Python", None, number=20, image="host")

    return asyncio.run(run())


def _file(cases: list[dict[str, Any]]) -> str:
    import json

    return json.dumps({"description": "d", "cases": cases})


BRANCHING = """def add_everything_up_exactly_once(numbers):
    if len(numbers) > 2:
        return sum(numbers) + 0
    return 0


def number_that_is_the_largest_of_all(numbers):
    return max(numbers)
"""


def total(expected: int, *numbers: int) -> dict[str, Any]:
    return {"input": {"action": "total", "numbers": list(numbers)}, "expected_output": f"total={expected}\n"}


@pytest.mark.sandbox
def test_a_strong_suite_kills_what_a_weak_one_lets_live(tmp_path: Path) -> None:
    (tmp_path / "weak").mkdir()
    (tmp_path / "strong").mkdir()
    weak = checked(tmp_path / "weak", BRANCHING, [total(0)])
    strong = checked(tmp_path / "strong", BRANCHING, [total(6, 1, 2, 3), total(0, 5), total(0, 4, 5), total(0)])
    assert (weak.tried, strong.tried) == (5, 5)
    assert [mutant.old for mutant in strong.survived] == ["+"]  # adding nothing and taking nothing away are one
    assert weak.killed < strong.killed == 4
    assert strong.share == 0.8


@pytest.mark.sandbox
def test_a_suite_that_fails_without_a_mutant_says_nothing_of_mutants(tmp_path: Path) -> None:
    verdict = checked(tmp_path, BRANCHING, [total(9, 1, 2, 3)])
    assert not verdict.sound
    assert verdict.tried == 0


@pytest.mark.sandbox
@pytest.mark.proof
def test_a_mutant_that_never_ends_is_noticed(tmp_path: Path) -> None:
    endless = """def add_everything_up_exactly_once(numbers):
    count = 0
    while count < 3:
        count += 1
    return count


def number_that_is_the_largest_of_all(numbers):
    return 0
"""
    verdict = checked(tmp_path, endless, [total(3, 1)])
    assert "+=" not in {mutant.old for mutant in verdict.survived}
    assert verdict.tried == 6
