"""The parts of the bundled task fit together, and what is seen gives nothing hidden away."""

from __future__ import annotations

import difflib
import json
import re
import stat
from collections import Counter
from pathlib import Path

import pytest

from tests.bundled.places import DATA_SIZES, REPOSITORY
from underspec.artifact.outcomes import SUITES
from underspec.task.canary import text_canaries
from underspec.task.load import load_task
from underspec.task.model import Case, LevelRecords, RecordKind, Task
from underspec.task.release import request_text, scaffold_cases, session_records
from underspec.task.validate import validate_task

FEATURES = {
    "parse_strict",
    "parse_loose",
    "convert",
    "readable_unit",
    "format",
    "arithmetic",
    "ordering",
    "total",
    "rounding",
    "bitwise",
}
DIMENSIONS = ("boundary", "special_constraint", "stress", "logic")


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(DATA_SIZES)


def records(task: Task, level: str) -> LevelRecords:
    assert task.records is not None
    return task.records.levels[level]  # type: ignore[index]


def cases(task: Task, *suites: str) -> list[Case]:
    return [
        case for name in SUITES if name in suites for file in task.suites[name].files.values() for case in file.cases
    ]


def key(case: Case) -> str:
    return json.dumps(case.input, sort_keys=True)


def test_validation_finds_nothing_at_all() -> None:
    assert validate_task(DATA_SIZES) == []


def test_the_manifest_covers_every_file_but_itself(task: Task) -> None:
    listed = {line.split("  ", 1)[1] for line in (DATA_SIZES / "MANIFEST.sha256").read_text().splitlines()}
    present = {str(path.relative_to(DATA_SIZES)) for path in DATA_SIZES.rglob("*") if path.is_file()}
    assert listed == present - {"MANIFEST.sha256"}


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


def test_no_input_stands_twice_in_native_and_enhanced(task: Task) -> None:
    assert max(Counter(map(key, cases(task, "native", "enhanced"))).values()) == 1


def test_every_expectation_is_lines_of_name_and_content(task: Task) -> None:
    for case in cases(task, *SUITES):
        assert re.fullmatch(r"(?:[a-z]+=[^\n]*\n)+", case.expected_output), case


def test_every_error_category_is_documented_and_reached(task: Task) -> None:
    section = task.requests["ground"].split("### 3.3")[1].split("## 4")[0]
    documented = set(re.findall(r"^\| `([a-z_]+)` \| ", section, re.MULTILINE))
    assert all(word in records(task, "L1").responses()["C003"] for word in documented)
    reached = {
        case.expected_output.removeprefix("error=").strip()
        for case in cases(task, "native", "enhanced")
        if case.expected_output.startswith("error=")
    }
    assert reached == documented


def test_every_hidden_file_carries_one_canary_of_its_own() -> None:
    canaries: list[str] = []
    for path in sorted((DATA_SIZES / "hidden").rglob("*")):
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
    assert sum(map(len, gone)) < 500
    text = " ".join(blurred)
    assert not any(word in text for word in ("NIST", "6 digits", "Kio", "symbol with `s`", "negative of the absolute"))
    for word in ("bad_template", "unknown_system", '"mode"', "`digits`", "by default `{value} {unit}`"):
        assert word in text


def test_l1_says_nothing_of_what_its_records_answer(task: Task) -> None:
    text = request_text(task, "L1").casefold()
    secrets = [
        "loose",
        "strict",
        'calc"',
        "6 digits",
        "nist",
        "octet",
        "kio",
        "unchanged",
        "own system",
        "half",
        "even",
    ]
    secrets += [
        "number=",
        "value=",
        "order=",
        "count=",
        "item=",
        "text=",
        "{value}",
        "plural",
        "loses",
        "reverse",
        "operand",
    ]
    secrets += ["bad_", "unknown_", "missing_", "unsupported", "division_by_zero", "out_of_range", "1000", "1024"]
    assert [secret for secret in secrets if secret in text] == []


def test_l2_restores_points_of_l1_and_keeps_the_rest_askable(task: Task) -> None:
    first, second = records(task, "L1"), records(task, "L2")
    kept = {record.id for record in second.records}
    restored = [record for record in first.records if record.id not in kept]
    assert kept < {record.id for record in first.records}
    assert 10 <= len(restored) < len(first.records) / 2
    text = request_text(task, "L2")
    for told in ("number=<number>", "6 digits", "`bad_request`", "order=less", "in bytes (`B`)", "--cases-dir"):
        assert told in text
    for open_point in ("NIST", "Kio", "negative of the absolute", "unchanged", "fewest significant"):
        assert open_point not in text


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
    assert all(f"{action}(" in known.signature for action in ("parse", "convert", "best", "format", "calc", "bits"))


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_pointers_quote_the_request_word_for_word(task: Task, level: str) -> None:
    text = " ".join(request_text(task, level).split())  # type: ignore[arg-type]
    pointers = session_records(task, level).pointers  # type: ignore[arg-type]
    assert pointers
    assert all(pointer.reference in text for pointer in pointers)


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    overlay = DATA_SIZES / "hidden/variants/reference"
    assert not (overlay / "vendor").exists()
    assert (overlay / "rcb_tests/test.sh").stat().st_mode & stat.S_IXUSR
    text = (overlay / "dispatcher.py").read_text()
    assert "vendor" in text
    assert not re.search(r"1024|1000\b|\*\* ?\d|log\(", text)


def test_nothing_of_this_machine_stands_in_the_bundled_files() -> None:
    folders = (DATA_SIZES, REPOSITORY / "src/underspec/agent/solutions")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/(?:work|root|home|tmp|usr/local)/", text), path
        assert str(Path.home()) not in text
