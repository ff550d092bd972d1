"""Commissions: what is wrong with one is said with file, place and mend, and what leaves is what the table says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commission_factory import (
    ALL_TESTS,
    SERVE,
    SERVE_TESTS,
    SUM,
    SUM_TESTS,
    TALLY,
    TESTS_SUM,
    canary,
    commission_files,
    make_commission,
)
from underspec.errors import TaskError
from underspec.task import release
from underspec.task.canary import blank_canaries, text_canaries
from underspec.task.finding import Finding
from underspec.task.load import load_task
from underspec.task.model import Task
from underspec.task.validate import validate_task

UNITS, INTERFACE = "hidden/units.json", "hidden/interface.md"
TEST_SUM = "hidden/acceptance/test_sum.py"
README = "visible/workspace/README.md"


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load_task(make_commission(tmp_path))


def findings(tmp_path: Path, **files: Any) -> list[Finding]:
    return validate_task(make_commission(tmp_path, files=files))


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document = json.loads(json.dumps(commission_files()[UNITS]))
    change(document)
    return {UNITS: document}


def one(found: list[Finding]) -> Finding:
    assert len(found) == 1, found
    assert found[0].mend
    return found[0]


# --- loading ---


def test_a_commission_is_loaded_whole(task: Task) -> None:
    assert task.units is not None
    assert task.interface is not None
    assert [unit.id for unit in task.units.units] == [SUM, SERVE]
    assert task.units.tests == ALL_TESTS
    assert task.toml.acceptance.command is None


@pytest.mark.parametrize(
    ("change", "where", "message"),
    [
        (lambda d: d["units"][0].pop("answer"), "$.units[0].answer", "missing"),
        (lambda d: d["units"][1].update(tests=[]), "$.units[1].tests", "empty"),
        (lambda d: d["units"][1].update(initially_hidden="yes"), "$.units[1].initially_hidden", "boolean"),
        (lambda d: d["units"][0].update(id="7 up"), "$.units[0].id", "pattern"),
        (lambda d: d["units"][1].update(id=SUM), "$.units[1].id", "stands twice"),
        (lambda d: d["units"][0]["tests"].append(SUM_TESTS[0]), "$.units[0].tests[3]", "twice"),
        (lambda d: d.update(units=[]), "$.units", "empty"),
        (lambda d: d.update(question="What?"), "$.question", "{topic}"),
        (lambda d: d.update(questions="What about {topic}?"), "$.questions", "no field"),
    ],
)
def test_damaged_units_are_refused_with_their_place(
    change: Callable[[dict[str, Any]], object], where: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(TaskError) as caught:
        load_task(make_commission(tmp_path, files=changed(change)))
    assert (caught.value.file, caught.value.where) == (UNITS, where)
    assert message in caught.value.message
    assert caught.value.mend


def test_an_interface_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="is empty") as caught:
        load_task(make_commission(tmp_path, files={INTERFACE: f"<!-- canary {canary(3)} -->\n"}))
    assert caught.value.file == INTERFACE


# --- validation ---


def test_a_commission_as_it_should_be_has_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path) == []


@pytest.mark.parametrize(
    ("gone", "file"),
    [
        ([UNITS], UNITS),
        ([INTERFACE], INTERFACE),
        (["hidden/variants/reference/tally.py"], "hidden/variants/reference"),
        (["hidden/variants/equivalent/tally.py"], "hidden/variants/equivalent"),
        ([TEST_SUM, "hidden/acceptance/test_serve.py"], "hidden/acceptance"),
        (["hidden/requests/initial.md"], "hidden/requests/initial.md"),
    ],
)
def test_what_is_missing_is_said(gone: list[str], file: str, tmp_path: Path) -> None:
    found = one([each for each in findings(tmp_path, **dict.fromkeys(gone)) if each.severity == "error"])
    assert found.file == file


def test_a_unit_without_an_incorrect_variant_is_doubtful(tmp_path: Path) -> None:
    found = one(findings(tmp_path, **{f"hidden/variants/incorrect-{SUM}/tally.py": None}))
    assert (found.severity, found.file) == ("warning", f"hidden/variants/incorrect-{SUM}")


def test_a_variant_that_is_wrong_about_no_unit_is_an_error(tmp_path: Path) -> None:
    text = TALLY.format(canary=canary(50)) + "\n"
    found = one(findings(tmp_path, **{"hidden/variants/incorrect-RU-9/tally.py": text}))
    assert (found.severity, found.file) == ("error", "hidden/variants/incorrect-RU-9")


def test_a_variant_that_is_the_reference_is_an_error(tmp_path: Path) -> None:
    same = TALLY.format(canary=canary(7))
    found = [
        each
        for each in findings(tmp_path, **{"hidden/variants/equivalent/tally.py": same})
        if "file for file" in each.message
    ]
    assert one(found).severity == "error"


def test_a_test_that_is_not_there_is_named_with_its_place(tmp_path: Path) -> None:
    found = one(findings(tmp_path, **changed(lambda d: d["units"][0]["tests"].append("test_sum::test_z"))))
    assert (found.severity, found.file, found.where) == ("error", UNITS, "$.units[0].tests[3]")


def test_a_test_of_no_unit_is_named_with_its_line(tmp_path: Path) -> None:
    text = TESTS_SUM.format(canary=canary(5)) + "\n\ndef test_more(delivery):\n    pass\n"
    found = one(findings(tmp_path, **{TEST_SUM: text}))
    assert (found.file, found.where) == (TEST_SUM, f"line {text.count(chr(10)) - 1}")


def test_two_tests_of_one_name_and_tests_that_are_no_python(tmp_path: Path) -> None:
    text = TESTS_SUM.format(canary=canary(5)) + "\n\ndef test_numbers_are_added():\n    pass\n"
    assert "two functions" in one(findings(tmp_path / "a", **{TEST_SUM: text})).message
    broken = findings(tmp_path / "b", **{TEST_SUM: f"# canary {canary(5)}\ndef test_(:\n"})
    assert [(each.file, each.where) for each in broken if "not Python" in each.message] == [(TEST_SUM, "line 2")]


def test_another_command_may_name_its_tests_as_it_likes(tmp_path: Path) -> None:
    files = changed(lambda d: d["units"][0].update(tests=["suite::case [7]"]))
    assert validate_task(make_commission(tmp_path, toml={"acceptance": {"command": ["make"]}}, files=files)) == []


@pytest.mark.parametrize(
    ("change", "severity", "where"),
    [
        (lambda d: d["units"][1].update(topic="adding up a FILE"), "error", "$.units[1].topic"),
        (lambda d: d["units"][1].update(topic="the total of 42"), "warning", "$.units[1].topic"),
        (lambda d: d["units"][1].update(question="What is 40 + 2?"), "warning", "$.units[1].question"),
        (lambda d: d["units"][1].update(answer="  "), "error", "$.units[1].answer"),
        (lambda d: [unit.update(initially_hidden=False) for unit in d["units"]], "warning", "$.units"),
    ],
)
def test_units_that_are_doubtful(
    change: Callable[[dict[str, Any]], object], severity: str, where: str, tmp_path: Path
) -> None:
    found = one(findings(tmp_path, **changed(change)))
    assert (found.severity, found.file, found.where) == (severity, UNITS, where)


def test_an_initial_request_that_says_everything_is_an_error(tmp_path: Path) -> None:
    same = "# Tally\n\nAdd numbers; nothing sums\nto 0.\n"
    found = one(findings(tmp_path, **{"hidden/requests/initial.md": f"<!-- canary {canary(1)} -->\n{same}"}))
    assert found.severity == "error"


# --- what identifies somebody ---


def spelled(*parts: str) -> str:
    """A word in parts, so that no scanner of this repository takes it for the real thing."""
    return "".join(parts)


@pytest.mark.parametrize(
    "text",
    [
        spelled("ada", "@", "mail.real-company.com"),
        spelled("10.11.", "12.13"),
        spelled("+49 30 ", "901820 77"),
        spelled("4929 4212 ", "3460 0821"),
        spelled("GB82 WEST 1234 ", "5698 7654 32"),
        spelled("AKIA", "Q3EGRIPTX7LMNOPQ"),
        spelled("ghp_", "a" * 36),
        spelled("-----BEGIN RSA ", "PRIVATE KEY-----"),
        spelled("https://ada:", "hunter2@example.com/x"),
        spelled("/home/", "adalovelace/work"),
        spelled("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiJhZGEifQ", ".c2lnbmF0dXJlLWhlcmU"),
    ],
)
def test_what_could_be_real_is_an_error_with_its_line(text: str, tmp_path: Path) -> None:
    found = one(findings(tmp_path, **{README: f"# Tally\n\nsee {text} there\n"}))
    assert (found.severity, found.file, found.where) == ("error", README, "line 3")


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.com, bo@shop.example, cy@mail.test",
        "192.0.2.7, 127.0.0.1, version 1.2.3.4.5, 3.11.2",
        "+1 202 555 0143, +44 20 7946 0958",
        "order 1234 5678 9012 3456, 2024-05-02 10:00, 0,2120",
        "https://example.com/a:b, http://127.0.0.1:9100",
        "Idempotency-Key, api_key, token",
        "/home, /usr/bin/env",
    ],
)
def test_what_is_plainly_synthetic_is_none(text: str, tmp_path: Path) -> None:
    assert findings(tmp_path, **{README: f"# Tally\n\n{text}\n"}) == []


def test_names_of_files_and_packed_files_are_searched_too(tmp_path: Path) -> None:
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("docProps/core.xml", spelled("<creator>ada", "@", "real-company.com</creator>") * 20)
    found = one(findings(tmp_path / "a", **{"visible/workspace/book.xlsx": packed.getvalue()}))
    assert found.where == "in its 'docProps/core.xml'"
    found = one(findings(tmp_path / "b", **{spelled("visible/workspace/ada", "@", "real-company.com.txt"): "x"}))
    assert found.where == "its name"


def test_what_may_be_a_password_is_doubtful(tmp_path: Path) -> None:
    found = one(findings(tmp_path, **{README: spelled("pass", 'word = "correct-horse"\n')}))
    assert found.severity == "warning"


# --- release ---


def test_the_complete_requirement_ends_with_the_interface_and_has_no_canary(task: Task) -> None:
    text = release.complete_requirement(task)
    assert text == "# Tally\n\nAdd numbers; nothing sums to 0.\n\n## Interface\n\n`python3 tally.py FILE`\n"
    assert release.request_text(task, "ground") == text
    assert release.request_text(task, "L1") == "# Tally\n\nWe need to add numbers.\n"


def test_questions_come_from_the_template(task: Task) -> None:
    assert [tuple(question) for question in release.unit_questions(task)] == [
        (SUM, "What must the software do about adding up a file?"),
        (SERVE, "What must the software do about remembering a total?"),
    ]


def test_who_annotates_gets_requirements_without_answers(task: Task) -> None:
    assert [tuple(one) for one in release.unit_requirements(task)] == [
        (SUM, "What is required of adding up a file.", True),
        (SERVE, "What is required of remembering a total.", True),
    ]
    assert release.reference_units(task)[0].answer == "What is right about adding up a file."


def test_tests_leave_without_canaries_and_keep_their_lines(task: Task) -> None:
    files = release.acceptance_files(task)
    original = TESTS_SUM.format(canary=canary(5))
    assert set(files) == {"test_sum.py", "test_serve.py"}
    assert files["test_sum.py"].decode() == original.replace(f"# canary {canary(5)}", "")
    assert all(b"canary" not in content for content in files.values())


LINES = (
    "x = 1",
    "",
    "# canary 0123456789abcdef",
    "  // canary fedcba9876543210 ",
    '"canary": "0f0f0f0f0f0f0f0f",',
    "# a canary",
)


@given(st.lists(st.sampled_from(LINES)), st.sampled_from([".py", ".md", ".json", ".toml", ".sh", ".js"]))
def test_blanking_canaries_leaves_none_and_keeps_every_line_in_its_place(lines: list[str], ending: str) -> None:
    text = "\n".join([*lines, "<!-- canary 1234123412341234 -->", "end"])
    blanked = blank_canaries(f"a{ending}", text)
    assert not any(canary in blanked for canary in text_canaries(f"a{ending}", text))
    assert blanked.count("\n") == text.count("\n")
    assert blanked.endswith("\nend")
    assert [line for line in blanked.split("\n") if line == "x = 1"] == [line for line in lines if line == "x = 1"]


def test_a_judge_reads_the_tests_of_one_unit(tmp_path: Path) -> None:
    mixed = TESTS_SUM.format(canary=canary(5)) + "\n\nLIMIT = 5\n\n\ndef test_other(delivery):\n    secret()\n"
    files = {
        TEST_SUM: mixed,
        **changed(lambda d: d["units"][1]["tests"].append("test_sum::test_other")),
    }
    task = load_task(make_commission(tmp_path, files=files))
    source = release.unit_source(task, SUM)
    assert all(test.split("::")[1] in source for test in SUM_TESTS)
    assert "LIMIT = 5" in source
    assert not any(word in source for word in ("secret", "test_it_remembers", "canary"))
    assert "secret" in release.unit_source(task, SERVE)
    assert SERVE_TESTS[0].split("::")[1] in release.unit_source(task, SERVE)
    with pytest.raises(TaskError, match="RU-9"):
        release.unit_source(task, "RU-9")


def test_a_variant_lies_over_the_starter_files(task: Task, tmp_path: Path) -> None:
    for name, names in ((release.STARTER, {"README.md"}), ("reference", {"README.md", "tally.py"})):
        folder = tmp_path / f"into-{name}"
        folder.mkdir()
        release.variant_deliverable(task, name, folder)
        assert {path.name for path in folder.iterdir()} == names
    with pytest.raises(TaskError, match="no variant"):
        release.variant_deliverable(task, "../reference", tmp_path)


def test_a_task_without_units_says_so(tmp_path: Path) -> None:
    files = {UNITS: None, **{path: None for path in commission_files() if path.startswith("hidden/acceptance/")}}
    task = load_task(make_commission(tmp_path, files=files))
    calls: list[Callable[[Task], object]] = [
        release.unit_questions,
        release.unit_requirements,
        release.reference_units,
        release.unit_tests,
        release.acceptance_files,
    ]
    for call in calls:
        with pytest.raises(TaskError) as caught:
            call(task)
        assert caught.value.mend


def test_a_canary_in_what_would_be_shown_is_refused(tmp_path: Path) -> None:
    path = make_commission(tmp_path, files={INTERFACE: f"<!-- canary {canary(3)} -->\nsee {canary(4)}\n"})
    with pytest.raises(TaskError, match="canary"):
        release.complete_requirement(load_task(path))
    assert any(found.file == INTERFACE and "canary" in found.message for found in validate_task(path))
