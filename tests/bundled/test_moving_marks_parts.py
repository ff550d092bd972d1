"""The parts of the third bundled task fit together, and what is seen gives nothing hidden away."""

from __future__ import annotations

import difflib
import json
import re
import stat
from collections import Counter
from pathlib import Path

import pytest

from tests.bundled.moving_marks import MOVING_MARKS, SOLUTIONS
from tests.bundled.places import REPOSITORY
from tests.bundled.test_regenerate_cases import tool
from underspec.artifact.outcomes import SUITES
from underspec.task.canary import text_canaries
from underspec.task.identity import identity_terms, term_pattern
from underspec.task.layout import RECORDS
from underspec.task.load import load_task
from underspec.task.model import Case, LevelRecords, RecordKind, Task
from underspec.task.release import request_text, scaffold_cases, session_records
from underspec.task.validate import validate_task

FEATURES = {
    "locate",
    "clip",
    "apply",
    "places",
    "firm",
    "steps",
    "fallout",
    "meeting",
    "covering",
    "enclosed",
    "ends",
    "walk",
    "changes",
    "apart",
    "undo",
}
ACTIONS = (
    *("locate", "clip", "apply", "places", "fallout", "meeting", "covering", "enclosed", "starting", "ending", "walk"),
    *("changes", "undo"),
)
DIMENSIONS = ("boundary", "special_constraint", "stress", "logic")


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(MOVING_MARKS)


def records(task: Task, level: str) -> LevelRecords:
    assert task.records is not None
    return task.records.levels[level]  # type: ignore[index]


def cases(task: Task, *suites: str) -> list[Case]:
    return [
        case for name in SUITES if name in suites for file in task.suites[name].files.values() for case in file.cases
    ]


def test_validation_finds_nothing_at_all() -> None:
    assert validate_task(MOVING_MARKS) == []


def test_the_manifest_covers_every_file_but_itself() -> None:
    listed = {line.split("  ", 1)[1] for line in (MOVING_MARKS / "MANIFEST.sha256").read_text().splitlines()}
    present = {str(path.relative_to(MOVING_MARKS)) for path in MOVING_MARKS.rglob("*") if path.is_file()}
    assert listed == present - {"MANIFEST.sha256"}


def test_it_is_a_cpp_task_whose_package_comes_from_npm(task: Task) -> None:
    assert task.toml.language == "C++"
    assert task.golden is not None
    assert task.golden.registry == "npm"


def test_each_leaf_feature_has_one_or_two_public_cases_mirrored_in_native(task: Task) -> None:
    public, native = task.suites["public"].files, task.suites["native"].files
    assert set(public) == set(native) == FEATURES
    for stem, file in public.items():
        assert 1 <= len(file.cases) <= 2
        assert all(case in native[stem].cases for case in file.cases)


def test_each_leaf_feature_is_stressed_in_all_four_dimensions(task: Task) -> None:
    assert set(task.suites["enhanced"].files) == {f"{name}_{kind}" for name in FEATURES for kind in DIMENSIONS}
    assert task.suites["native"].total >= 60
    assert task.suites["enhanced"].total >= 60
    assert sum(task.suites[name].total for name in SUITES) <= 250


def test_no_input_stands_twice_in_native_and_enhanced(task: Task) -> None:
    keys = Counter(json.dumps(case.input, sort_keys=True) for case in cases(task, "native", "enhanced"))
    assert max(keys.values()) == 1


def test_every_expectation_is_lines_of_name_and_content(task: Task) -> None:
    for case in cases(task, *SUITES):
        assert re.fullmatch(r"(?:[a-z]+=[^\n]*\n)+", case.expected_output), case


def test_every_error_category_is_documented_and_reached(task: Task) -> None:
    section = task.requests["ground"].split("### 3.3")[1].split("## 4")[0]
    documented = set(re.findall(r"^\| `([a-z_]+)` \| ", section, re.MULTILINE))
    assert all(word in records(task, "L1").responses()["C005"] for word in documented)
    reached = {
        case.expected_output.removeprefix("error=").strip()
        for case in cases(task, "native", "enhanced")
        if case.expected_output.startswith("error=")
    }
    assert reached == documented


def test_every_action_is_asked_for(task: Task) -> None:
    asked = {case.input.get("action") for case in cases(task, "native", "enhanced")}
    assert set(ACTIONS) <= asked


def test_the_edits_of_changes_fit_some_text(task: Task) -> None:
    """What a list of edits that fits no text comes to is outside the contract: lines and columns are played through."""
    checked = 0
    for case in cases(task, *SUITES):
        steps = case.input.get("steps")
        if case.input.get("action") not in ("changes", "undo") or case.expected_output.startswith("error="):
            continue
        lengths = [40] * 40
        for step in steps:
            (line, column), (last, end) = step["at"], step.get("until") or step["at"]
            assert last < len(lengths), case
            assert column <= lengths[line], case
            assert end <= lengths[last], case
            put = [len(part.encode("utf-16-le")) // 2 for part in (step.get("put") or "").split("\n")]
            put[0] += column
            put[-1] += lengths[last] - end
            lengths[line : last + 1] = put
            checked += 1
    assert checked > 60


def test_every_hidden_file_carries_one_canary_of_its_own() -> None:
    canaries: list[str] = []
    for path in sorted((MOVING_MARKS / "hidden").rglob("*")):
        if path.is_file():
            found = text_canaries(path.name, path.read_text(encoding="utf-8"))
            assert len(found) == 1, path
            canaries += found
    assert len(set(canaries)) == len(canaries)
    assert all(re.fullmatch(r"underspec-canary-[0-9a-f-]{36}", canary) for canary in canaries)


@pytest.mark.parametrize("exposure", ["L1", "L2", "L3", "ground", "recovered"])
def test_no_request_carries_a_canary(task: Task, exposure: str) -> None:
    assert "canary" not in request_text(task, exposure)  # type: ignore[arg-type]


@pytest.mark.parametrize("exposure", ["ground", "L3"])
def test_complete_requests_embed_the_public_files_byte_for_byte(task: Task, exposure: str) -> None:
    text = request_text(task, exposure)  # type: ignore[arg-type]
    for path, content in scaffold_cases(task).items():
        assert f"Public cases: `{path}`\n\n```json\n{content.decode()}```" in text


@pytest.mark.parametrize("exposure", ["L1", "L2"])
def test_fuzzy_requests_show_no_case(task: Task, exposure: str) -> None:
    squeezed = re.sub(r"\s", "", request_text(task, exposure))  # type: ignore[arg-type]
    for case in cases(task, *SUITES):
        assert re.sub(r"\s", "", json.dumps(case.input)) not in squeezed
    assert '"cases"' not in squeezed


def test_l3_is_ground_with_at_most_three_literals_and_two_references_blurred(task: Task) -> None:
    ground, blurred = (request_text(task, name).split() for name in ("ground", "L3"))
    changed = difflib.SequenceMatcher(None, ground, blurred).get_opcodes()
    gone = [" ".join(ground[a:b]) for kind, a, b, _, _ in changed if kind != "equal"]
    known = records(task, "L3")
    assert len(known.records) <= 3
    assert len(known.pointers) <= 2
    assert sum(map(len, gone)) < 600
    text = " ".join(blurred)
    for gone_word in ("UTF-16", "two whole numbers from 0 to 1000000", "ends last", "in front of CR.", "forgotten"):
        assert gone_word not in text
    for word in ("taken_mark", "no_mark", '"firm"', "`until`", "by default 8", "from 0 to 1000"):
        assert word in text


def test_l1_says_nothing_of_what_its_records_answer(task: Task) -> None:
    text = " ".join(request_text(task, "L1").casefold().split())
    secrets = [
        *("column", "utf", "offset=", "place=", "mark=", "count=", "marks=", "open=", "[line", ":<", "from 0", "none"),
        *("bad_", "unknown_", "taken", "no_mark", "until", '"at"', "put", "drop", "touch", "overlap", "surround"),
        *("carriage", "line feed", "cr lf", "default", "limit", "join", "behind", "escape", "{", "1000", "pair"),
    ]
    # "standard input", "output" and "print"-like words of everyday are not answers.
    assert [secret for secret in secrets if secret in text.replace("input", "").replace("output", "")] == []


def test_l2_restores_points_of_l1_and_keeps_the_rest_askable(task: Task) -> None:
    first, second = records(task, "L1"), records(task, "L2")
    kept = {record.id for record in second.records}
    restored = [record for record in first.records if record.id not in kept]
    assert kept < {record.id for record in first.records}
    assert 10 <= len(restored) < len(first.records) / 2
    text = " ".join(request_text(task, "L2").split())
    for told in (
        "`taken_mark`",
        "by default 8",
        "be it at an end",
        "`until` by default",
        "at most 1000000",
        "--cases-dir",
    ):
        assert told in text
    for open_point in (
        "UTF-16",
        "ends last",
        "carriage",
        "strictly between",
        "grow at both",
        "surround",
        "hexadecimal",
    ):
        assert open_point not in text
    assert "forgotten" not in text


@pytest.mark.parametrize(("level", "least"), [("L1", 18), ("L2", 8), ("L3", 3)])
def test_records_can_be_asked_for_in_other_words_than_they_answer(task: Task, level: str, least: int) -> None:
    known = records(task, level)
    authored = [record for record in known.records if record.kind is not RecordKind.CASE_FILE]
    assert len(authored) >= least
    for record in known.records:
        assert len({trigger.casefold() for trigger in record.triggers}) >= 5, record.id
    for record in authored:
        assert not any(trigger.casefold() in record.response.casefold() for trigger in record.triggers), record.id


def test_l1_records_cover_architecture_harness_and_every_public_file(task: Task) -> None:
    known = records(task, "L1")
    ids = {record.id for record in known.records}
    assert {"ARCH001", "HARNESS001", "HARNESS002", "HARNESS003"} <= ids
    assert {f"TC_{name}" for name in FEATURES} == {name for name in ids if name.startswith("TC_")}
    assert known.signature
    assert all(re.search(rf"\b{action}\b", known.signature) for action in ACTIONS)


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_pointers_quote_the_request_word_for_word(task: Task, level: str) -> None:
    text = " ".join(request_text(task, level).split())  # type: ignore[arg-type]
    pointers = session_records(task, level).pointers  # type: ignore[arg-type]
    assert len(pointers) >= 2
    assert all(pointer.reference in text for pointer in pointers)


def test_records_and_requests_are_up_to_date_with_the_public_cases(task: Task) -> None:
    public = task.suites["public"].files
    kept = (MOVING_MARKS / RECORDS).read_bytes()
    assert tool.dump(tool.with_case_records(json.loads(kept), public)) == kept
    for text in task.requests.values():
        assert tool.with_examples(text, public) == text


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    overlay = MOVING_MARKS / "hidden/variants/reference"
    assert not (overlay / "vendor").exists()
    assert (overlay / "rcb_tests/test.sh").stat().st_mode & stat.S_IXUSR
    text = (overlay / "library.cpp").read_text()
    assert text.count('#include "vendor/golden/') == text.count("#include") == 6
    dispatcher = (overlay / "dispatcher.cpp").read_text()
    assert not re.search(r"#include <(?:regex|random|sstream)>|left_extent|start_marker_ids|line_offsets", dispatcher)


def test_neither_solutions_nor_case_names_name_the_golden_package(task: Task) -> None:
    names = term_pattern(identity_terms(task.toml, task.golden).names)
    assert names is not None
    for path in SOLUTIONS.rglob("*"):
        if path.is_file():
            assert not names.search(path.read_text(encoding="utf-8")), path
            assert not names.search(path.name)


def test_nothing_of_this_machine_stands_in_the_files() -> None:
    for folder in (MOVING_MARKS, SOLUTIONS, REPOSITORY / "tests/bundled/marks_impl"):
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                text = path.read_text(encoding="utf-8")
                assert not re.search(r"/(?:work|root|home|tmp|usr/local)/", text), path
                assert str(Path.home()) not in text
