"""Validation: the honest toy task has no finding; each thing that can be wrong has one, with the right severity."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.commission_factory import make_commission
from tests.task_factory import CASES, MEAN, SIGNATURE, SUM, canary, make_task, task_files
from underspec.task.catalog import bundled_tasks
from underspec.task.embedded import ShownCases, Sought, embedded_json
from underspec.task.finding import Finding
from underspec.task.identity import identity_terms, term_pattern
from underspec.task.model import Case, TaskToml
from underspec.task.validate import validate_task

RECORDS = "hidden/records.json"
NATIVE_SUM, NATIVE_MEAN = f"hidden/cases/native/{SUM}.json", f"hidden/cases/native/{MEAN}.json"
PUBLIC_SUM, PUBLIC_MEAN = f"hidden/cases/public/{SUM}.json", f"hidden/cases/public/{MEAN}.json"
ENHANCED_SUM = f"hidden/cases/enhanced/{SUM}.json"
L1, L3, GROUND = "hidden/requests/L1.md", "hidden/requests/L3.md", "hidden/requests/ground.md"
REFERENCE = "hidden/variants/reference/dispatch.py"
TOML = task_files()["task.toml"]


def findings(tmp_path: Path, files: dict[str, Any] | None = None, **fields: Any) -> list[Finding]:
    return validate_task(make_task(tmp_path, files=files, toml=fields))


def test_the_honest_task_has_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


@pytest.mark.parametrize("task", bundled_tasks(), ids=lambda task: task.name)
def test_the_bundled_tasks_are_valid(task: Path) -> None:
    assert [finding for finding in validate_task(task) if finding.severity == "error"] == []


def changed(path: str, change: Callable[[Any], object]) -> dict[str, Any]:
    content = json.loads(json.dumps(task_files()[path]))
    change(content)
    return {path: content}


def levels(change: Callable[[Any], object]) -> dict[str, Any]:
    return changed(RECORDS, lambda document: change(document["levels"]))


def added(path: str, *cases: Any) -> dict[str, Any]:
    return changed(path, lambda file: file["cases"].extend(cases))


def text(path: str, more: str) -> dict[str, Any]:
    return {path: task_files()[path] + more}


def case(value: Any, expected: str) -> dict[str, Any]:
    return {"input": value, "expected_output": expected}


class Fault(NamedTuple):
    """Files that make one fault, and the finding that must come of it."""

    files: dict[str, Any]
    severity: str
    file: str
    where: str | None
    says: str


PUBLIC = CASES["public"][SUM][0]
NATIVE = CASES["native"][SUM][1]
SHOWN = json.dumps(PUBLIC)

FAULTS = {
    # shape
    "another folder name": Fault(
        {"task.toml": {**TOML, "id": "other"}}, "warning", "task.toml", "$.id", "folder's name"
    ),
    "no L2": Fault({"hidden/requests/L2.md": None}, "error", "hidden/requests/L2.md", None, "is missing"),
    "no ground": Fault({GROUND: None}, "error", GROUND, None, "is missing"),
    "a commission's request": Fault(
        {"hidden/requests/initial.md": "<!-- canary abcdefghijklmnopq -->\nx"},
        "warning",
        "hidden/requests/initial.md",
        None,
        "no request of a repository",
    ),
    "no records": Fault({RECORDS: None}, "error", RECORDS, None, "is missing"),
    "a level without records": Fault(
        levels(lambda all_: all_.pop("L3")), "error", RECORDS, "$.levels.L3", "no records"
    ),
    "no enhanced cases": Fault(
        {ENHANCED_SUM: None, f"hidden/cases/enhanced/{MEAN}.json": None},
        "warning",
        "hidden/cases/enhanced",
        None,
        "no case file",
    ),
    "no golden": Fault({"hidden/golden.toml": None}, "warning", "hidden/golden.toml", None, "no golden implementation"),
    "no reference": Fault(
        {"hidden/variants/reference/rcb_tests/test.sh": None},
        "error",
        "hidden/variants/reference/rcb_tests/test.sh",
        None,
        "is missing",
    ),
    "vendored golden code": Fault(
        {"hidden/variants/reference/vendor/golden/x.py": "# canary abcdefghijklmnopq"},
        "error",
        "hidden/variants/reference/vendor/golden",
        None,
        "code is in the task",
    ),
    "history in the workspace": Fault(
        {"visible/workspace/.git/HEAD": "ref"}, "error", "visible/workspace/.git/HEAD", None, "version control"
    ),
    "an unknown visible file": Fault(
        {"visible/notes.md": "x"}, "warning", "visible/notes.md", None, "no part of a task"
    ),
    # suites
    "a public case that is not native": Fault(
        added(PUBLIC_SUM, case({"action": "sum", "numbers": [99]}, "99\n")),
        "error",
        PUBLIC_SUM,
        "$.cases[1]",
        "no native",
    ),
    "a public case with another native output": Fault(
        changed(PUBLIC_SUM, lambda file: file["cases"][0].update(expected_output="7\n")),
        "error",
        PUBLIC_SUM,
        "$.cases[0]",
        "no native",
    ),
    "an enhanced case that is native": Fault(
        added(ENHANCED_SUM, NATIVE), "error", ENHANCED_SUM, "$.cases[2]", f"is the native case {NATIVE_SUM} $.cases[1]"
    ),
    "the same case with members in another order": Fault(
        added(ENHANCED_SUM, case({"numbers": [10, -4], "action": "sum"}, "6\n")),
        "error",
        ENHANCED_SUM,
        "$.cases[2]",
        "is the native case",
    ),
    "a case twice in a file": Fault(
        added(NATIVE_SUM, NATIVE), "error", NATIVE_SUM, "$.cases[2]", "is the same case as"
    ),
    "a case twice in a suite": Fault(
        added(NATIVE_MEAN, NATIVE), "error", NATIVE_MEAN, "$.cases[2]", f"same case as {NATIVE_SUM} $.cases[1]"
    ),
    "one input, two outputs, across suites": Fault(
        added(ENHANCED_SUM, case(NATIVE["input"], "7\n")),
        "error",
        ENHANCED_SUM,
        "$.cases[2]",
        f"has the input of {NATIVE_SUM} $.cases[1]",
    ),
    "one input, two outputs, in a file": Fault(
        added(ENHANCED_SUM, case([1], "a"), case([1], "b")),
        "error",
        ENHANCED_SUM,
        "$.cases[3]",
        "another expected output",
    ),
    # records
    "few triggers": Fault(
        levels(lambda all_: all_["L1"]["records"][0]["triggers"].pop()),
        "warning",
        RECORDS,
        "$.levels.L1.records[0].triggers",
        "C001 has 4 different trigger phrases",
    ),
    "triggers that differ in signs only": Fault(
        levels(lambda all_: all_["L1"]["records"][0].update(triggers=["a b", "A b", "a-b", "a b?", "a_b"])),
        "warning",
        RECORDS,
        "$.levels.L1.records[0].triggers",
        "C001 has 1 different",
    ),
    "a trigger without a word": Fault(
        levels(lambda all_: all_["L2"]["records"][1]["triggers"].append("?!")),
        "error",
        RECORDS,
        "$.levels.L2.records[1].triggers[5]",
        "holds no word",
    ),
    "a blank answer": Fault(
        levels(lambda all_: all_["L3"]["records"][0].update(response=" \n")),
        "error",
        RECORDS,
        "$.levels.L3.records[0].response",
        "answers nothing",
    ),
    "one trigger, two records": Fault(
        levels(lambda all_: all_["L1"]["records"][0]["triggers"].append("Rounding?")),
        "warning",
        RECORDS,
        "$.levels.L1.records",
        "'rounding' leads to C001, C002",
    ),
    "one answer, two records": Fault(
        levels(lambda all_: all_["L1"]["records"][0].update(response=all_["L1"]["records"][1]["response"])),
        "warning",
        RECORDS,
        "$.levels.L1.records",
        "C001, C002 give the same answer",
    ),
    "a pointer to nothing": Fault(
        levels(lambda all_: all_["L1"]["pointers"][0].update(reference="the unusual way")),
        "warning",
        RECORDS,
        "$.levels.L1.pointers[0].reference",
        "does not stand in the request",
    ),
    "a public file that no record gives": Fault(
        levels(lambda all_: all_["L1"]["records"].pop()), "error", PUBLIC_MEAN, None, "no record gives this file at L1"
    ),
    "a public file that two records give": Fault(
        levels(lambda all_: all_["L2"]["records"].append({**all_["L2"]["records"][-1], "id": "TC_again"})),
        "error",
        PUBLIC_MEAN,
        None,
        f"TC_{MEAN}, TC_again give this file at L2",
    ),
    "a case file record with another output": Fault(
        levels(
            lambda all_: all_["L2"]["records"][-1].update(
                response=all_["L2"]["records"][-1]["response"].replace("1.5", "1.50")
            )
        ),
        "error",
        RECORDS,
        "$.levels.L2.records[5].response",
        "does not give the cases",
    ),
    "a case file record in prose": Fault(
        levels(lambda all_: all_["L2"]["records"][-1].update(response="Mean of [1, 2] is 1.5 {roughly}.")),
        "error",
        RECORDS,
        "$.levels.L2.records[5].response",
        "does not give the cases",
    ),
    "a case file record of another name": Fault(
        levels(lambda all_: all_["L2"]["records"][-1].update(id="CASES_mean")),
        "warning",
        RECORDS,
        "$.levels.L2.records[5].id",
        "does not begin with TC_",
    ),
    # exposure
    "a public case in L1": Fault(text(L1, f"\nFor example {SHOWN}.\n"), "error", L1, None, "shows 1 public cases"),
    "a public case in L1, laid out otherwise": Fault(
        text(L1, '\n```\n{ "numbers": [1,\n 2, 3], "action": "sum" }\n```\nprints\n```\n6\n```\n'),
        "error",
        L1,
        None,
        "shows 1 public cases",
    ),
    "a public case in L1, in broken JSON": Fault(
        text(L1, '\nSend "input": {"action": "sum", "numbers": [1, 2, 3]}, get 6.\n'),
        "error",
        L1,
        None,
        "shows 1 public",
    ),
    "no public case in L3": Fault({L3: task_files()[L1]}, "error", L3, None, "shows 0 of 2 public cases"),
    "one public case only in ground": Fault(
        {GROUND: f"<!-- canary {canary(4)} -->\n{SHOWN}\n{SIGNATURE}"},
        "warning",
        GROUND,
        None,
        "shows 1 of 2 public cases",
    ),
    "a hidden case in ground": Fault(text(GROUND, json.dumps(NATIVE)), "warning", GROUND, None, "shows 1 hidden cases"),
    "a hidden case in an answer": Fault(
        levels(lambda all_: all_["L1"]["records"][0].update(response=f"Like {json.dumps(NATIVE)}.")),
        "warning",
        RECORDS,
        "$.levels.L1",
        "shows 1 hidden cases",
    ),
    "a hidden case in the workspace": Fault(
        {"visible/workspace/spec.json": [NATIVE]},
        "warning",
        "visible/workspace/spec.json",
        None,
        "shows 1 hidden cases",
    ),
    # identity
    "the package's name in a request": Fault(text(L1, "Like Figurecrate.\n"), "error", L1, "line 6", "'Figurecrate'"),
    "the owner's name in a request": Fault(text(L1, "By AbacusWorks\n"), "error", L1, "line 6", "'AbacusWorks'"),
    "the package's name in a trigger": Fault(
        levels(lambda all_: all_["L2"]["records"][0]["triggers"].append("as in figurecrate")),
        "error",
        RECORDS,
        "$.levels.L2.records[0].triggers[5]",
        "names the golden library",
    ),
    "the package's name in the fallback": Fault(
        levels(lambda all_: all_["L3"].update(fallback="Ask figurecrate.")),
        "error",
        RECORDS,
        "$.levels.L3.fallback",
        "names the golden library",
    ),
    "the package's name in an error class": Fault(
        text(GROUND, "Raise FigurecrateError.\n"),
        "error",
        GROUND,
        f"line {task_files()[GROUND].count(chr(10)) + 1}",
        "'Figurecrate'",
    ),
    "the package's name on a new line of an input": Fault(
        {
            path: {**task_files()[path], "cases": [*task_files()[path]["cases"], case(["a\nfigurecrate"], "")]}
            for path in (PUBLIC_SUM, NATIVE_SUM)
        },
        "error",
        PUBLIC_SUM,
        "$.cases[1].input",
        "names the golden library",
    ),
    "the package's name in a stem": Fault(
        {"hidden/cases/public/figurecrate_sum.json": task_files()[PUBLIC_SUM], PUBLIC_SUM: None},
        "error",
        "hidden/cases/public/figurecrate_sum.json",
        "its name",
        "names the golden library",
    ),
    "the package's name in the workspace": Fault(
        {"visible/workspace/setup.cfg": "a\nb\nrequires = figurecrate\n"},
        "error",
        "visible/workspace/setup.cfg",
        "line 3",
        "names the golden library",
    ),
    "the package's name as a workspace file": Fault(
        {"visible/workspace/test_figurecrate.py": ""},
        "error",
        "visible/workspace/test_figurecrate.py",
        "its name",
        "names the golden library",
    ),
    "the package's name as id": Fault(
        {"task.toml": {**TOML, "id": "figurecrate"}}, "error", "task.toml", "$.id", "names"
    ),
    "the version": Fault(text(L1, "As in 3.1.4.\n"), "warning", L1, "line 6", "version number 3.1.4"),
    # canaries
    "a canary in the workspace": Fault(
        {"visible/workspace/a.txt": f"\n{canary(20)}"}, "error", "visible/workspace/a.txt", "line 2", "carries a canary"
    ),
    "a canary in an answer": Fault(
        levels(lambda all_: all_["L1"]["records"][0].update(response=canary(2))),
        "error",
        RECORDS,
        "$.levels.L1.records[0].response",
        "carries a canary",
    ),
    "no canary in a request": Fault({L1: task_files()[L1].split("\n", 1)[1]}, "warning", L1, None, "carries no canary"),
    "no canary in a case file": Fault(
        changed(NATIVE_SUM, lambda file: file.pop("canary")), "warning", NATIVE_SUM, None, "carries no canary"
    ),
    "no canary in a program": Fault({REFERENCE: "print(1)"}, "warning", REFERENCE, None, "carries no canary"),
    "a short canary": Fault(
        changed(NATIVE_SUM, lambda file: file.update(canary="abc")), "warning", NATIVE_SUM, None, "too short"
    ),
    "a canary twice": Fault(
        changed(NATIVE_SUM, lambda file: file.update(canary=canary(1))), "warning", L1, None, "shares its canary"
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_finding(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    found = findings(tmp_path, fault.files)
    same = [
        finding
        for finding in found
        if (finding.severity, finding.file, finding.where) == (fault.severity, fault.file, fault.where)
        and fault.says in finding.message
    ]
    assert same, found
    assert all(finding.mend for finding in found)
    if fault.severity == "warning":
        assert not [finding for finding in found if finding.severity == "error"]


HONEST: dict[str, dict[str, Any]] = {
    "a word that holds the name": text(L1, "Orfigurecrate, figurecrates and figurecrate2.\n"),
    "a part of the version": text(L1, "Section 3.1 and 13.1.41.\n"),
    "one and one point zero": added(ENHANCED_SUM, case([1], "1\n"), case([1.0], "1.0\n")),
    "numbers beyond all doubles": added(ENHANCED_SUM, case([10**30], "a"), case([10**30 + 1], "b")),
    "the same output for other inputs": added(ENHANCED_SUM, case([8], "8\n"), case([9], "8\n")),
    "files without room for a canary": {
        "hidden/variants/reference/package.json": {"name": "x"},
        "hidden/variants/reference/table.csv": "a,b",
        "hidden/acceptance/data.bin": b"\0",
    },
    "an image recipe": {"image/base.toml": "x = 1"},
    "a licence": {"LICENSE": "MIT", "README.md": "About."},
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_things_have_no_finding(tmp_path: Path, name: str) -> None:
    assert findings(tmp_path, HONEST[name]) == []


def test_an_input_without_its_output_is_no_shown_case() -> None:
    sought = Sought(Case(input={"action": "sum", "numbers": [1, 2, 3]}, expected_output="sum=6\n"))
    assert not ShownCases('Send {"action": "sum", "numbers": [1, 2, 3]}.').shows(sought)
    assert not ShownCases("The answer is sum=6.").shows(sought)
    assert ShownCases('Send {"numbers": [1,2,3], "action": "sum"} and get sum = 6.').shows(sought)


def test_a_commission_needs_no_records_and_no_cases(tmp_path: Path) -> None:
    assert validate_task(make_commission(tmp_path)) == []


def test_errors_come_first_and_each_finding_once(tmp_path: Path) -> None:
    found = findings(tmp_path, {**text(L1, f"figurecrate 3.1.4 {SHOWN}"), "hidden/x": "", "visible/x": ""})
    severities = [finding.severity for finding in found]
    assert severities == sorted(severities)
    assert len(found) == len(set(found)) >= 5


def test_validating_changes_nothing(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in task.rglob("*")}
    validate_task(task)
    assert {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in task.rglob("*")} == before


def test_a_hundred_case_files_are_validated_in_half_a_second(tmp_path: Path) -> None:
    files = {
        f"hidden/cases/{suite}/feature{number}.json": {
            "canary": f"underspec-canary-{suite}-{number:04}",
            "description": "x",
            "cases": [
                case({"action": suite, "numbers": [number, index]}, f"{number}.{index}\n") for index in range(10)
            ],
        }
        for suite in ("native", "enhanced")
        for number in range(50)
    }
    task = make_task(tmp_path, files=files)
    seconds = []
    for _ in range(3):
        started = time.process_time()
        found = validate_task(task)
        seconds.append(time.process_time() - started)
    assert found == []
    assert min(seconds) < 0.5


# --- parts ---


def test_json_is_found_in_prose_and_hostile_brackets_end_soon() -> None:
    assert list(embedded_json('a {"b": [1]} c [2] {d} {"e": ')) == [{"b": [1]}, [2]]
    started = time.process_time()
    assert list(embedded_json("[" * 200_000)) == []
    assert list(embedded_json("[1," * 100_000)) == []
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    ("url", "found", "not_found"),
    [
        ("https://github.com/numworks/figbox.git", ["numworks", "figbox", "numworks__figbox"], ["github", "https"]),
        ("https://github.com/python/figbox", ["figbox", "python/figbox"], ["python", "com"]),
        ("https://figbox.readthedocs.io/en/latest/", ["figbox"], ["readthedocs", "latest", "io"]),
        ("git+ssh://user@git.numworks.org:22/tools/figbox?x=1#frag", ["numworks", "figbox"], ["git", "user", "frag"]),
        ("not an address [", [], []),
        ("///", [], []),
    ],
)
def test_pieces_of_an_address_that_identify_and_those_that_do_not(
    url: str, found: list[str], not_found: list[str]
) -> None:
    toml = TaskToml.model_validate_json(json.dumps({**TOML, "identity": [], "source": {**TOML["source"], "url": url}}))
    pattern = term_pattern(identity_terms(toml, None).names)
    for piece in found:
        assert pattern
        assert pattern.search(f"see {piece}, please")
    for piece in not_found:
        assert pattern
        assert not pattern.search(f"see {piece}, please")


@pytest.mark.parametrize(
    "spelling", ["my-lib", "my_lib", "My Lib", "MY.LIB", "mylib", "from my__lib import", "toMyLib"]
)
def test_spellings_of_one_name_are_one(spelling: str) -> None:
    pattern = term_pattern(["my-lib"])
    assert pattern
    assert pattern.search(spelling)
    assert not pattern.search("mylibrary")
