"""The parts of every bundled task fit together, and what is seen gives nothing hidden away."""

from __future__ import annotations

import difflib
import json
import re
import stat
from collections import Counter
from pathlib import Path

import pytest

from tests.bundled.shared import REPOSITORY, SOLUTIONS, TASKS, cases, tool
from tests.bundled.table import TABLE, Row
from underspec.artifact.outcomes import SUITES
from underspec.task.canary import text_canaries
from underspec.task.catalog import bundled_tasks
from underspec.task.identity import identity_terms, term_pattern
from underspec.task.layout import RECORDS
from underspec.task.model import LevelRecords, RecordKind, Task
from underspec.task.release import request_text, scaffold_cases, session_records
from underspec.task.validate import validate_task

DIMENSIONS = ("boundary", "special_constraint", "stress", "logic")
REFERENCES = [REPOSITORY / "tests/bundled" / row.reference for row in TABLE.values()]


def records(task: Task, level: str) -> LevelRecords:
    assert task.records is not None
    return task.records.levels[level]  # type: ignore[index]


def test_every_bundled_task_has_its_row_and_every_row_its_task() -> None:
    assert set(TABLE) == {folder.name for folder in bundled_tasks("repository")}


def test_validation_finds_nothing_at_all(folder: Path) -> None:
    assert validate_task(folder) == []


def test_the_manifest_covers_every_file_but_itself(folder: Path) -> None:
    listed = {line.split("  ", 1)[1] for line in (folder / "MANIFEST.sha256").read_text().splitlines()}
    present = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert listed == present - {"MANIFEST.sha256"}


def test_its_language_and_the_registry_of_its_package_are_as_chosen(task: Task, row: Row) -> None:
    assert task.toml.language == row.language
    assert task.golden is not None
    assert task.golden.registry == row.registry


def test_each_leaf_feature_has_one_or_two_public_cases_mirrored_in_native(task: Task, row: Row) -> None:
    public, native = task.suites["public"].files, task.suites["native"].files
    assert set(public) == set(native) == row.features
    for stem, file in public.items():
        assert 1 <= len(file.cases) <= 2
        assert all(case in native[stem].cases for case in file.cases)


def test_each_leaf_feature_is_stressed_in_all_four_dimensions(task: Task, row: Row) -> None:
    assert set(task.suites["enhanced"].files) == {f"{name}_{kind}" for name in row.features for kind in DIMENSIONS}
    assert task.suites["native"].total >= 60
    assert task.suites["enhanced"].total >= 60
    assert row.most_cases is None or sum(task.suites[name].total for name in SUITES) <= row.most_cases


def test_no_input_stands_twice_in_native_and_enhanced(task: Task) -> None:
    keys = Counter(json.dumps(case.input, sort_keys=True) for case in cases(task, "native", "enhanced"))
    assert max(keys.values()) == 1


def test_every_expectation_is_lines_of_name_and_content(task: Task) -> None:
    for case in cases(task, *SUITES):
        assert re.fullmatch(r"(?:[a-z]+=[^\n]*\n)+", case.expected_output), case


def test_every_error_category_is_documented_and_reached(task: Task, row: Row) -> None:
    section = task.requests["ground"].split("### 3.3")[1].split("## 4")[0]
    documented = set(re.findall(r"^\| `([a-z_]+)` \| ", section, re.MULTILINE))
    assert all(word in records(task, "L1").responses()[row.error_record] for word in documented)
    reached = {
        case.expected_output.partition("\n")[0].removeprefix("error=")
        for case in cases(task, "native", "enhanced")
        if case.expected_output.startswith("error=")
    }
    assert reached == documented


def test_every_hidden_file_carries_one_canary_of_its_own(folder: Path) -> None:
    canaries: list[str] = []
    for path in sorted((folder / "hidden").rglob("*")):
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


def test_l3_is_ground_with_at_most_three_literals_and_two_references_blurred(task: Task, row: Row) -> None:
    ground, blurred = (request_text(task, name).split() for name in ("ground", "L3"))
    changed = difflib.SequenceMatcher(None, ground, blurred).get_opcodes()
    gone = [" ".join(ground[a:b]) for kind, a, b, _, _ in changed if kind != "equal"]
    known = records(task, "L3")
    assert len(known.records) <= 3
    assert len(known.pointers) <= 2
    assert sum(map(len, gone)) < row.l3_gone_below
    text = " ".join(blurred)
    for word in row.l3_blurred:
        assert word not in text
    for word in row.l3_kept:
        assert word in text


def test_l1_says_nothing_of_what_its_records_answer(task: Task, row: Row) -> None:
    text = " ".join(request_text(task, "L1").casefold().split())
    for word in row.l1_everyday:
        text = text.replace(word, "")
    assert [secret for secret in row.secrets if secret in text] == list(row.l1_once)
    assert all(text.count(secret) == 1 for secret in row.l1_once)


def test_l2_restores_points_of_l1_and_keeps_the_rest_askable(task: Task, row: Row) -> None:
    first, second = records(task, "L1"), records(task, "L2")
    kept = {record.id for record in second.records}
    restored = [record for record in first.records if record.id not in kept]
    assert kept < {record.id for record in first.records}
    assert 10 <= len(restored) < len(first.records) / 2
    text = request_text(task, "L2")
    joined = " ".join(text.split())
    for told in row.l2_told:
        assert told in text
    for told in row.l2_told_wrapped:
        assert told in joined
    for open_point in row.l2_open:
        assert open_point not in joined


@pytest.mark.parametrize(("level", "least"), [("L1", 18), ("L2", 8), ("L3", 3)])
def test_records_can_be_asked_for_in_other_words_than_they_answer(task: Task, level: str, least: int) -> None:
    known = records(task, level)
    authored = [record for record in known.records if record.kind is not RecordKind.CASE_FILE]
    assert len(authored) >= least
    for record in known.records:
        assert len({trigger.casefold() for trigger in record.triggers}) >= 5, record.id
    for record in authored:
        assert not any(trigger.casefold() in record.response.casefold() for trigger in record.triggers), record.id


def test_l1_records_cover_architecture_harness_and_every_public_file(task: Task, row: Row) -> None:
    known = records(task, "L1")
    ids = {record.id for record in known.records}
    assert {"ARCH001", "HARNESS001", "HARNESS002", "HARNESS003"} <= ids
    assert {f"TC_{name}" for name in row.features} == {name for name in ids if name.startswith("TC_")}
    assert known.signature
    assert all(re.search(pattern, known.signature) for pattern in row.signed)


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_pointers_quote_the_request_word_for_word(task: Task, row: Row, level: str) -> None:
    text = " ".join(request_text(task, level).split())  # type: ignore[arg-type]
    pointers = session_records(task, level).pointers  # type: ignore[arg-type]
    assert len(pointers) >= row.least_pointers
    assert all(pointer.reference in text for pointer in pointers)


def test_records_and_requests_are_up_to_date_with_the_public_cases(folder: Path, task: Task) -> None:
    public = task.suites["public"].files
    kept = (folder / RECORDS).read_bytes()
    assert tool.dump(tool.with_case_records(json.loads(kept), public)) == kept
    for text in task.requests.values():
        assert tool.with_examples(text, public) == text


def test_the_dispatcher_comes_with_its_script_and_without_the_library(folder: Path) -> None:
    overlay = folder / "hidden/variants/reference"
    assert not (overlay / "vendor").exists()
    assert (overlay / "rcb_tests/test.sh").stat().st_mode & stat.S_IXUSR


def test_no_solution_names_the_golden_package(folder: Path, task: Task, row: Row) -> None:
    names = term_pattern(identity_terms(task.toml, task.golden).names)
    assert names is not None
    for path in (SOLUTIONS / folder.name).rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            text = path.read_text(encoding="utf-8")
            for word in row.own_words:
                text = text.replace(word, "")
            assert not names.search(text), path
            assert not names.search(path.name)


@pytest.mark.parametrize("place", [TASKS, SOLUTIONS, *REFERENCES], ids=lambda place: place.name)
def test_nothing_of_this_machine_stands_in_the_files(place: Path) -> None:
    files = [path for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(?:work|root|home|tmp|usr/local)/", text), path
        assert str(Path.home()) not in text
