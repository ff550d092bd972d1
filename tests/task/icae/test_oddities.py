"""What is odd in published files is taken as it is, kept where there is no place for it, and said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.task.icae.check import import_all, imported, kept, level, loaded, said
from tests.task.icae.synthetic import (
    ALIAS,
    KEY,
    PUBLIC,
    SCOPE_YAML,
    alias_entry,
    case_folder,
    checkout_files,
    constraint,
    level_document,
    level_records,
)
from underspec.task import release
from underspec.task.load import load_task
from underspec.task.model import Case, Task
from underspec.task.validate import validate_task

L1, L3 = f"prd_json/{ALIAS}.json", f"prd_json_easy/{ALIAS}.json"
TURN = f"{case_folder('public')}/feature1_turn.json"


def records(*more: Any) -> dict[str, Any]:
    return {L1: level_document("L1", hidden_constraints=[*level_records("L1"), *more])}


def last(task: Task) -> Any:
    return level(task, "L1").records[-1]


# --- texts are kept byte for byte ---

RESPONSES = {
    "typos": "Retrun teh vlaue, definately.",
    "stray characters": "Use 空 — not the “empty” one\u200b…",
    "a literal backslash-n": "First\\nsecond, and a real one:\nthird",
    "a literal backslash-n before a case file": 'Here:\\n{"cases": 1}',
    "CRLF and trailing space": "one\r\ntwo  \r\n\t",
    "control characters": "a\x0bb\x1bc\x7f",
    "Markdown and HTML": "<b>`x`</b> <!-- note -->",
    "beyond the basic plane": "\U0001f600 and \ufeff",
}


@pytest.mark.parametrize("response", RESPONSES.values(), ids=RESPONSES.keys())
def test_responses_survive_byte_for_byte(tmp_path: Path, response: str) -> None:
    task = loaded(tmp_path, records(constraint("C900", ["Odd  Trigger?!"], response)))
    assert (last(task).response, last(task).triggers) == (response, ("Odd  Trigger?!",))


@pytest.mark.parametrize("ascii_only", [True, False])
def test_escaped_and_plain_spellings_of_a_text_are_one(tmp_path: Path, ascii_only: bool) -> None:
    document = records(constraint("C900", ["x"], "é 空 \U0001f600"))[L1]
    task = loaded(tmp_path, {L1: json.dumps(document, ensure_ascii=ascii_only)})
    assert last(task).response == "é 空 \U0001f600"


# --- records that overlap ---


def test_shared_triggers_and_contradictions_stay_and_are_warned_of(tmp_path: Path) -> None:
    more = [
        constraint("HARNESS002", ["test cases for feature 1", "how is it run"], "Run it with sh."),
        constraint("C900", ["test cases for feature 1", "how is it run"], "Never run it with sh."),
    ]
    path = imported(tmp_path, records(*more)).path
    assert [one.response for one in level(load_task(path), "L1").records[-2:]] == [
        "Run it with sh.",
        "Never run it with sh.",
    ]
    findings = validate_task(path)
    assert said(findings, "'test cases for feature 1' leads to HARNESS002, C900")
    assert {finding.severity for finding in findings} == {"warning"}


def test_levels_are_never_joined_by_id(tmp_path: Path) -> None:
    swapped = level_records("L2")
    swapped[0]["constraint_id"], swapped[1]["constraint_id"] = "C002", "C001"
    files = {f"prd_json_medium/{ALIAS}.json": level_document("L2", hidden_constraints=swapped)}
    task = loaded(tmp_path, files)
    known = {name: {one.id: one.response for one in level(task, name).records} for name in ("L1", "L2")}
    assert known["L1"]["C001"] == known["L2"]["C002"] != known["L2"]["C001"]


class Odd(NamedTuple):
    """Files that are odd, what is said of it, and what must be true of the task."""

    files: dict[str, Any]
    says: str | None
    holds: Callable[[Task], bool]


def first(task: Task) -> Case:
    return task.suites["public"].files["feature1_turn"].cases[0]


def ids(task: Task) -> list[str]:
    return [one.id for one in level(task, "L1").records]


ODD = {
    "an id that stands twice": Odd(
        records(constraint("C001", ["again"], "Another answer.")),
        "became C001_2",
        lambda task: ids(task)[-1] == "C001_2",
    ),
    "an id with characters of its own": Odd(
        records(constraint("TC_feature 1/é", ["x"], "Nothing in JSON.")),
        "became TC_feature_1__",
        lambda task: last(task).id == "TC_feature_1__" and last(task).kind == "case_file",
    ),
    "an id that stands for a pointer": Odd(
        records(constraint("P0", ["x"], "An answer.")), "became R_P0", lambda task: last(task).id == "R_P0"
    ),
    "an id of digits": Odd(
        records(constraint("7", ["x"], "An answer.")), "became R_7", lambda task: last(task).id == "R_7"
    ),
    "an empty id": Odd(records(constraint("", ["x"], "An answer.")), "became R_", lambda task: last(task).id == "R_"),
    "a record without triggers": Odd(
        records(constraint("C900_deep", [], "An answer.")),
        "has no trigger phrase",
        lambda task: last(task).triggers == ("C900 deep",),
    ),
    "blank triggers": Odd(
        records(constraint("C900", ["", " ", "depth"], "An answer.")),
        "blank trigger phrases",
        lambda task: last(task).triggers == ("depth",),
    ),
    "a record that answers nothing": Odd(
        records(constraint("C900", ["x"], " \n")), "answers nothing", lambda task: "C900" not in ids(task)
    ),
    "no record at all": Odd(
        {L1: level_document("L1", hidden_constraints=[])}, None, lambda task: level(task, "L1").records == ()
    ),
    "a pointer without words": Odd(
        {L1: level_document("L1", context_pointers=[{"vague_reference": "", "actual_meaning": "x"}])},
        "pointer without words",
        lambda task: level(task, "L1").pointers == (),
    ),
    "no pointers": Odd(
        {L1: level_document("L1", context_pointers=...)}, None, lambda task: level(task, "L1").pointers == ()
    ),
    "an empty signature": Odd(
        {L1: level_document("L1", golden_api_signature="")}, None, lambda task: level(task, "L1").signature is None
    ),
    "no task_id": Odd({L1: level_document("L1", task_id=...)}, None, lambda task: True),
    "another repository's task_id": Odd(
        {L1: level_document("L1", task_id="someone__else")},
        "another repository",
        lambda task: "someone__else" in task.toml.identity,
    ),
    "L3 without case records": Odd(
        {L3: level_document("L3", hidden_constraints=level_records("L3", with_cases=False))},
        None,
        lambda task: not any(one.kind == "case_file" for one in level(task, "L3").records),
    ),
    "L3 with case records": Odd(
        {L3: level_document("L3", hidden_constraints=level_records("L3", with_cases=True))},
        None,
        lambda task: any(one.kind == "case_file" for one in level(task, "L3").records),
    ),
    "an entry that counts no files": Odd(
        {"repo_alias.json": {ALIAS: alias_entry(total_code_files=None, total_lines_of_code=0)}},
        None,
        lambda task: task.toml.source.files is None and task.toml.source.lines is None,
    ),
    "an entry without names of its own": Odd(
        {"repo_alias.json": {ALIAS: alias_entry(username=None, repo_name=None, url=None)}},
        None,
        lambda task: "tinkerhut/gaugewheel" in task.toml.identity,
    ),
    "an entry that names another alias": Odd(
        {"repo_alias.json": {ALIAS: alias_entry(alias="realcode@999")}}, "another alias", lambda task: True
    ),
    "a number expected": Odd(
        {TURN: {"description": "x", "cases": [{"input": 1, "expected_output": 5}]}},
        "is no string",
        lambda task: first(task).expected_output == "5",
    ),
    "an object expected": Odd(
        {TURN: {"description": "x", "cases": [{"input": 1, "expected_output": {"b": [1.0, None], "a": "é"}}]}},
        "is no string",
        lambda task: first(task).expected_output
        == '{"b": [1.0, null], "a": "\\u00e9"}',
    ),
    "a file without a case": Odd(
        {TURN: {"description": "x", "cases": []}},
        "holds no case",
        lambda task: "feature1_turn" not in task.suites["public"].files,
    ),
    "a file without a description": Odd(
        {TURN: {"cases": PUBLIC["feature1_turn"]["cases"]}},
        None,
        lambda task: task.suites["public"].files["feature1_turn"].description == "",
    ),
    "null as an input": Odd(
        {TURN: {"description": "x", "cases": [{"input": None, "expected_output": ""}]}},
        None,
        lambda task: first(task).input is None,
    ),
    "numbers that no float holds": Odd(
        {TURN: '{"description": "x", "cases": [{"input": [9007199254740993, 1.0, -0.0], "expected_output": ""}]}'},
        None,
        lambda task: repr(first(task).input) == "[9007199254740993, 1.0, -0.0]",
    ),
    "folders and other files among the cases": Odd(
        {
            f"{case_folder('public')}/nested/deep.json": "{",
            f"{case_folder('public')}/notes.txt": "x",
            f"{case_folder('public')}/._feature1_turn.json": b"\x00",
        },
        None,
        lambda task: set(task.suites["public"].files) == set(PUBLIC),
    ),
    "a public case that is not native, one that stands twice, and one with two answers": Odd(
        {
            TURN: {
                "description": "x",
                "cases": [
                    {"input": 1, "expected_output": "a"},
                    {"input": 1, "expected_output": "a"},
                    {"input": 1, "expected_output": "b"},
                ],
            }
        },
        None,
        lambda task: task.suites["public"].total == 4,
    ),
    "cases shown in the L1 request": Odd(
        {L1: level_document("L1", fuzzy_prd=f"# Wheel\n\n{json.dumps(PUBLIC['feature1_turn'])}\n")},
        "is not the request",
        lambda task: "expected_output" in task.requests["L1"],
    ),
    "an input called canary": Odd(
        {TURN: {"description": "x", "cases": [{"input": {"canary": "the usual way"}, "expected_output": ""}]}},
        None,
        lambda task: "the usual way" not in release.forbidden_strings(task),
    ),
    "a scope that stands twice": Odd(
        {"repos.yaml": SCOPE_YAML + SCOPE_YAML.removeprefix("repos:\n")}, None, lambda task: True
    ),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_an_oddity_is_taken_said_and_no_error(tmp_path: Path, odd: Odd) -> None:
    result = imported(tmp_path, odd.files)
    if odd.says is None:
        assert result.findings == ()
    else:
        assert said(result.findings, odd.says)
    assert odd.holds(load_task(result.path))
    assert {finding.severity for finding in validate_task(result.path)} == {"warning"}


# --- files as bytes ---


@pytest.mark.parametrize("path", ["repo_alias.json", "repos.yaml", L1, TURN, f"fuzzy_prds/{ALIAS}/start.md"])
def test_a_byte_order_mark_is_left_out_and_said(tmp_path: Path, path: str) -> None:
    content = checkout_files()[path]
    text = content if isinstance(content, str) else json.dumps(content)
    result = import_all(tmp_path, {path: b"\xef\xbb\xbf" + text.encode()})
    assert not result.failed
    (finding,) = said([*result.findings, *result.imported[0].findings], "byte order mark")
    assert finding.file == path
    task = load_task(result.imported[0].path)
    assert task.suites["public"].total == 2
    assert task.requests["L1"] == level_document("L1")["fuzzy_prd"]


def test_bytes_that_are_no_utf8_become_the_replacement_character_and_are_said(tmp_path: Path) -> None:
    text = json.dumps(level_document("L1", fallback_response="caf@")).replace("caf@", "caf\udce9")
    result = imported(tmp_path, {L1: text.encode("utf-8", "surrogateescape")})
    assert said(result.findings, "U+FFFD")
    assert level(load_task(result.path), "L1").fallback == "caf\ufffd"


# --- unknown keys ---


def test_unknown_keys_are_kept_wherever_they_stand(tmp_path: Path) -> None:
    document = level_document("L3", _constraints=["a", {"b": 1}], _plan={"steps": [1.5, None]})
    document["generated by"] = "x"
    document["oracle_data"]["hidden_constraints"][1]["weight"] = 3
    document["oracle_data"]["context_pointers"][0]["line"] = [7]
    cases = {"description": "x", "author": "y", "cases": [{"input": 1, "expected_output": "1", "note": {"z": 0}}]}
    task = loaded(tmp_path, {L3: document, TURN: cases})
    assert kept(tmp_path) == {
        (L3, "$[\"generated by\"]"): "x",
        (L3, "$.oracle_data[\"_constraints\"]"): ["a", {"b": 1}],
        (L3, "$.oracle_data[\"_plan\"]"): {"steps": [1.5, None]},
        (L3, "$.oracle_data.hidden_constraints[1][\"weight\"]"): 3,
        (L3, "$.oracle_data.context_pointers[0][\"line\"]"): [7],
        (TURN, "$[\"author\"]"): "y",
        (TURN, "$.cases[0][\"note\"]"): {"z": 0},
    }  # fmt: skip
    assert "steps" not in task.records.model_dump_json()  # type: ignore[union-attr]


def test_what_was_left_out_or_changed_is_kept_as_it_was(tmp_path: Path) -> None:
    files = records(constraint("P0", ["", "x"], "An answer."), constraint("C901", ["y"], ""))
    files[TURN] = {"description": "x", "cases": [{"input": 1, "expected_output": [True]}]}
    imported(tmp_path, files)
    place = len(level_records("L1"))
    where = f"$.oracle_data.hidden_constraints[{place}]"
    assert kept(tmp_path) == {
        (L1, f"{where}.constraint_id"): "P0",
        (L1, f"{where}.trigger_keywords"): ["", "x"],
        (L1, f"$.oracle_data.hidden_constraints[{place + 1}]"): constraint("C901", ["y"], ""),
        (TURN, "$.cases[0].expected_output"): [True],
    }


def test_the_key_is_never_among_what_is_shown_however_it_is_kept(tmp_path: Path) -> None:
    task = loaded(tmp_path, {L3: level_document("L3", _plan={"repository": KEY})})
    assert KEY in (task.path / "hidden" / "import.json").read_text()
    assert KEY not in (task.path / "hidden" / "records.json").read_text()
