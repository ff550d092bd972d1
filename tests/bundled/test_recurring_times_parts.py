"""The parts of the second bundled task fit together, and what is seen gives nothing hidden away."""

from __future__ import annotations

import difflib
import json
import re
import stat
from collections import Counter
from pathlib import Path

import pytest

from tests.bundled.places import REPOSITORY
from tests.bundled.recurring_times import RECURRING_TIMES, SOLUTIONS
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
    "check",
    "expand",
    "names",
    "short_words",
    "month_days",
    "weekdays",
    "day_union",
    "next",
    "upcoming",
    "offsets",
    "match",
    "warnings",
}
DIMENSIONS = ("boundary", "special_constraint", "stress", "logic")


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task(RECURRING_TIMES)


def records(task: Task, level: str) -> LevelRecords:
    assert task.records is not None
    return task.records.levels[level]  # type: ignore[index]


def cases(task: Task, *suites: str) -> list[Case]:
    return [
        case for name in SUITES if name in suites for file in task.suites[name].files.values() for case in file.cases
    ]


def test_validation_finds_nothing_at_all() -> None:
    assert validate_task(RECURRING_TIMES) == []


def test_the_manifest_covers_every_file_but_itself() -> None:
    listed = {line.split("  ", 1)[1] for line in (RECURRING_TIMES / "MANIFEST.sha256").read_text().splitlines()}
    present = {str(path.relative_to(RECURRING_TIMES)) for path in RECURRING_TIMES.rglob("*") if path.is_file()}
    assert listed == present - {"MANIFEST.sha256"}


def test_it_is_a_javascript_task_whose_package_comes_from_npm(task: Task) -> None:
    assert task.toml.language == "JavaScript"
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
    assert all(word in records(task, "L1").responses()["C004"] for word in documented)
    reached = {
        case.expected_output.removeprefix("error=").strip()
        for case in cases(task, "native", "enhanced")
        if case.expected_output.startswith("error=")
    }
    assert reached == documented


def test_no_case_depends_on_a_named_zone_or_on_a_year_without_end(task: Task) -> None:
    """Zones depend on the machine's data; days that never come in years without end are out of scope."""
    for case in cases(task, *SUITES):
        if "offset" in case.input and isinstance(case.input["offset"], str):
            bad = case.expected_output == "error=bad_offset\n"
            assert bad or re.fullmatch(r"[+-]?\d\d(?::?\d\d)?", case.input["offset"]), case
        if re.search(r" 3[01] 2 | 31 (?:4|6|9|11) ", str(case.input.get("line"))):
            assert re.search(r"\d{4}-\d{4}\s*$", case.input["line"]), case


def test_every_hidden_file_carries_one_canary_of_its_own() -> None:
    canaries: list[str] = []
    for path in sorted((RECURRING_TIMES / "hidden").rglob("*")):
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
    assert not any(
        word in text for word in ("@midnight", "1974", "-840", "those with `#` last", "last day of that month")
    )
    for word in ("bad_ordinal", "wide_step", '"strict"', "`offset`", "by default 5", "from 0 to 1000"):
        assert word in text


def test_l1_says_nothing_of_what_its_records_answer(task: Task) -> None:
    text = " ".join(request_text(task, "L1").casefold().split())
    secrets = [
        "utc",
        "offset",
        "strict",
        "count",
        '"at"',
        "valid=",
        "values=",
        "time=",
        "days=",
        "match=",
        "warning=",
        "span",
    ]
    secrets += [
        "none",
        "step",
        "wrap",
        "around",
        "7",
        "0-",
        "@",
        "?",
        "lw",
        "last day",
        "nearest",
        "1970",
        "275759",
    ]
    secrets += ["bad_", "unknown_", "part_count", "out_of_range", "wide_", "later than", "cron"]
    assert [secret for secret in secrets if secret in text] == ["?"]  # in the title only
    assert text.count("?") == 1


def test_l2_restores_points_of_l1_and_keeps_the_rest_askable(task: Task) -> None:
    first, second = records(task, "L1"), records(task, "L2")
    kept = {record.id for record in second.records}
    restored = [record for record in first.records if record.id not in kept]
    assert kept < {record.id for record in first.records}
    assert 10 <= len(restored) < len(first.records) / 2
    text = " ".join(request_text(task, "L2").split())
    for told in ("time=none", "`wide_step`", "by default 5", "strictly later", "0 to 275759", "--cases-dir"):
        assert told in text
    for open_point in (
        "UTC",
        "counts from",
        "@daily",
        "nearest working day",
        "minutes from",
        "mon#",
        "Sunday alone",
        "around the end",
    ):
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
    assert all(
        f"{action}(" in known.signature for action in ("check", "expand", "days", "next", "list", "match", "warnings")
    )


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_pointers_quote_the_request_word_for_word(task: Task, level: str) -> None:
    text = " ".join(request_text(task, level).split())  # type: ignore[arg-type]
    pointers = session_records(task, level).pointers  # type: ignore[arg-type]
    assert len(pointers) >= 2
    assert all(pointer.reference in text for pointer in pointers)


def test_records_and_requests_are_up_to_date_with_the_public_cases(task: Task) -> None:
    public = task.suites["public"].files
    kept = (RECURRING_TIMES / RECORDS).read_bytes()
    assert tool.dump(tool.with_case_records(json.loads(kept), public)) == kept
    for text in task.requests.values():
        assert tool.with_examples(text, public) == text


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    overlay = RECURRING_TIMES / "hidden/variants/reference"
    assert not (overlay / "vendor").exists()
    assert (overlay / "rcb_tests/test.sh").stat().st_mode & stat.S_IXUSR
    text = (overlay / "dispatcher.js").read_text()
    assert '"vendor", "golden"' in text
    assert not re.search(r"jan|mon,|split\(|\b59, |@daily|getUTCDay\(", text)


def test_neither_solutions_nor_case_names_name_the_golden_package(task: Task) -> None:
    names = term_pattern(identity_terms(task.toml, task.golden).names)
    assert names is not None
    for path in SOLUTIONS.rglob("*"):
        if path.is_file():
            assert not names.search(path.read_text(encoding="utf-8")), path
            assert not names.search(path.name)


def test_nothing_of_this_machine_stands_in_the_files() -> None:
    for folder in (RECURRING_TIMES, SOLUTIONS, REPOSITORY / "tests/bundled/recurring_impl"):
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                text = path.read_text(encoding="utf-8")
                assert not re.search(r"/(?:work|root|home|tmp|usr/local)/", text), path
                assert str(Path.home()) not in text
