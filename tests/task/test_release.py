"""What leaves ``hidden/`` is what the table says: no canary, no expected output before its time, no identity."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.task_factory import CASES, FALLBACK, MEAN, SIGNATURE, SUM, canary, make_task, task_files
from underspec.artifact.condition import Exposure
from underspec.artifact.outcomes import SUITES
from underspec.errors import TaskError
from underspec.task import release
from underspec.task.cases import case_key, hidden_flags
from underspec.task.layout import request_path
from underspec.task.load import load_task
from underspec.task.model import CaseFile, Suite, Task

EXPOSURES = get_args(Exposure)


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load_task(make_task(tmp_path, files={"visible/workspace/start.txt": "hello"}))


# --- the table ---


def test_each_row_has_one_function_and_each_function_one_row() -> None:
    rows = [row.function for row in release.RELEASES]
    functions = {
        name
        for name, value in inspect.getmembers(release, inspect.isfunction)
        if name in release.__all__ and name != "asks_somebody"
    }
    assert sorted(rows) == sorted(functions)


def test_each_row_says_to_whom_when_and_why() -> None:
    for row in release.RELEASES:
        assert row.what
        assert row.moment
        assert row.why
        assert row.audience in get_args(release.Audience)


# --- the request ---


@pytest.mark.parametrize("exposure", EXPOSURES)
def test_a_request_is_the_file_without_its_canary(task: Task, exposure: Exposure) -> None:
    text = release.request_text(task, exposure)
    assert text.startswith("# Toy sums\n")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "canary" not in text


def test_a_canary_in_the_middle_goes_too_and_nothing_else_does(tmp_path: Path) -> None:
    text = "# A\n<!-- canary abcdefghijklmnop -->\n<!-- stays -->\n\nB about a canary\n"
    task = load_task(make_task(tmp_path, files={"hidden/requests/L1.md": text}))
    assert release.request_text(task, "L1") == "# A\n<!-- stays -->\n\nB about a canary\n"


def test_recovered_is_l1_and_every_answer_of_l1_in_order(task: Task) -> None:
    text = release.request_text(task, "recovered")
    assert text.startswith(release.request_text(task, "L1").rstrip())
    known = release.session_records(task, "L1")
    places = [text.index(answer.strip()) for answer in known.responses().values()]
    assert places == sorted(places)
    assert len(places) == 6 + 1 + 1
    assert '"the usual way" means: addition' in text
    assert SIGNATURE in text


def test_a_missing_request_is_named_and_the_others_are_offered(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path, files={"hidden/requests/L2.md": None}))
    with pytest.raises(TaskError, match="no request L2") as raised:
        release.request_text(task, "L2")
    assert raised.value.file == "hidden/requests/L2.md"
    assert "L1, L3, ground" in (raised.value.mend or "")


def test_a_commission_shows_its_initial_request_as_l1(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        **dict.fromkeys(task_files()),
        "hidden/requests/initial.md": "We need sums.",
        "hidden/requests/ground.md": "Sums of lists.",
    }
    del files["task.toml"]
    commission = load_task(make_task(tmp_path, toml={"family": "commission"}, files=files))
    assert release.request_text(commission, "L1") == "We need sums.\n"
    assert release.request_text(commission, "initial") == "We need sums.\n"
    assert release.request_text(commission, "ground") == "Sums of lists.\n"
    for exposure in ("L2", "L3"):
        with pytest.raises(TaskError, match="no exposure"):
            release.request_text(commission, exposure)
    with pytest.raises(TaskError, match="no records for L1"):
        release.request_text(commission, "recovered")


# --- records ---


@pytest.mark.parametrize("exposure", ["L1", "L2", "L3"])
def test_a_session_knows_the_records_of_its_own_level(task: Task, exposure: Exposure) -> None:
    assert task.records
    assert release.session_records(task, exposure) == task.records.levels[exposure]  # type: ignore[index]
    assert release.asks_somebody(exposure)


@pytest.mark.parametrize("exposure", ["ground", "recovered"])
def test_where_nothing_is_left_to_ask_the_session_knows_nothing(task: Task, exposure: Exposure) -> None:
    known = release.session_records(task, exposure)
    assert known.responses() == {}
    assert known.fallback == release.NOTHING_MORE != FALLBACK
    assert not release.asks_somebody(exposure)


def test_missing_records_are_an_error_only_where_somebody_answers(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path, files={"hidden/records.json": None}))
    assert release.session_records(task, "ground").fallback == release.NOTHING_MORE
    with pytest.raises(TaskError, match="no records for L1") as raised:
        release.session_records(task, "L1")
    assert (raised.value.file, raised.value.where) == ("hidden/records.json", "$.levels.L1")


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ("as abacusworks__figurecrate does", True),
        ("as\nABACUSWORKS__figurecrate\ndoes", True),
        ("as abacusworks-figurecrate does", True),
        (f"see {canary(20)}", True),
        ("as other__repository does", False),
        ("abacusworks__figurecrates", False),
    ],
)
def test_records_that_tell_the_repository_or_a_canary_never_reach_a_session(
    tmp_path: Path, answer: str, refused: bool
) -> None:
    records = json.loads(json.dumps(task_files()["hidden/records.json"]))
    records["levels"]["L1"]["records"][0]["response"] = answer
    task = load_task(make_task(tmp_path, files={"hidden/records.json": records}))
    if refused:
        with pytest.raises(TaskError, match="would leave"):
            release.session_records(task, "L1")
    else:
        assert release.session_records(task, "L1").records[0].response == answer
    assert release.session_records(task, "L2")


@pytest.mark.parametrize("telling", ["Like abacusworks__figurecrate.", f"See {canary(5)}."])
def test_a_request_that_tells_the_repository_or_a_canary_never_reaches_an_agent(tmp_path: Path, telling: str) -> None:
    task = load_task(make_task(tmp_path, files={"hidden/requests/L1.md": f"# Sums\n\n{telling}\n"}))
    for exposure in ("L1", "recovered"):
        with pytest.raises(TaskError, match="would leave") as raised:
            release.request_text(task, exposure)
        assert raised.value.file == "hidden/requests/L1.md"
    assert release.request_text(task, "L2")


# --- cases ---


def test_the_scaffold_gives_the_public_cases_whole(task: Task) -> None:
    given = release.scaffold_cases(task)
    assert set(given) == {f"rcb_tests/public_test_cases/{stem}.json" for stem in (SUM, MEAN)}
    document = json.loads(given[f"rcb_tests/public_test_cases/{SUM}.json"])
    assert document == {"description": "Adds numbers.", "cases": CASES["public"][SUM]}


@pytest.mark.parametrize("suite", SUITES)
def test_the_graders_sandbox_gets_inputs_and_no_output(task: Task, suite: Any) -> None:
    for name, data in release.grader_inputs(task, suite).items():
        document = json.loads(data)
        assert set(document) == {"description", "cases"}
        assert document["cases"] == [{"input": case["input"]} for case in CASES[suite][name.removesuffix(".json")]]


@pytest.mark.parametrize("suite", SUITES)
def test_expectations_line_up_with_inputs(task: Task, suite: Any) -> None:
    inputs, outputs = release.grader_inputs(task, suite), release.expectations(task, suite)
    assert {name.removesuffix(".json") for name in inputs} == set(outputs)
    for stem, expected in outputs.items():
        assert len(expected) == len(json.loads(inputs[f"{stem}.json"])["cases"])
        assert list(expected) == [case["expected_output"] for case in CASES[suite][stem]]


def test_a_canary_hidden_in_an_input_is_refused(tmp_path: Path) -> None:
    file = {"canary": canary(99), "description": "x", "cases": [{"input": canary(99), "expected_output": ""}]}
    task = load_task(make_task(tmp_path, files={f"hidden/cases/native/{SUM}.json": file}))
    with pytest.raises(TaskError, match="a canary"):
        release.grader_inputs(task, "native")


# --- the workspace and digests ---


def test_the_visible_workspace_is_there_or_not(task: Task, tmp_path: Path) -> None:
    folder = release.visible_workspace(task)
    assert folder
    assert [path.name for path in folder.iterdir()] == ["start.txt"]
    bare = load_task(make_task(tmp_path / "bare"))
    assert release.visible_workspace(bare) is None
    assert release.visible_digest(bare) is None
    assert release.visible_digest(task) != release.visible_digest(bare)


def test_a_suites_digest_changes_with_its_content_only(tmp_path: Path) -> None:
    path = f"hidden/cases/native/{SUM}.json"
    file = task_files()[path]
    other = json.loads(json.dumps(file))
    other["cases"][0]["expected_output"] += " "
    one, again, changed = (
        load_task(make_task(tmp_path / name, files={path: content}))
        for name, content in (("a", file), ("b", {**file, "canary": canary(77)}), ("c", other))
    )
    assert release.suite_digest(one, "native") == release.suite_digest(again, "native")
    assert release.suite_digest(one, "native") != release.suite_digest(changed, "native")
    assert release.suite_digest(one, "public") == release.suite_digest(changed, "public")


def test_forbidden_strings_hold_every_canary_and_name(task: Task) -> None:
    forbidden = release.forbidden_strings(task)
    numbers = [1, 2, 3, 4, 5, 6, 10, 11, *range(20, 26)]
    assert {canary(number) for number in numbers} | {"figurecrate", "abacusworks__figurecrate"} <= forbidden


# --- laws ---

_TEXT = st.text(max_size=12)
_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_SECRET = "expected-output-of-a-case"
_CASE = st.builds(lambda value, tail: {"input": value, "expected_output": f"{_SECRET}{tail}"}, _VALUE, _TEXT)
_FILE = st.builds(
    lambda description, items, mark: CaseFile.model_validate_json(
        json.dumps({"canary": f"canary-of-a-case-file-{mark}", "description": description, "cases": items})
    ),
    _TEXT,
    st.lists(_CASE, min_size=1, max_size=4),
    st.integers(10, 99),
)
_SUITE = st.dictionaries(st.sampled_from(["a", "b", "c"]), _FILE, max_size=3)


def _with(task: Task, public: Any, native: Any, enhanced: Any) -> Task:
    suites = {name: Suite(name, files) for name, files in zip(SUITES, (public, native, enhanced), strict=True)}
    return Task(task.path, task.digest, task.toml, task.requests, task.records, suites, task.golden)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return load_task(make_task(tmp_path_factory.mktemp("plain")))


@settings(max_examples=80, deadline=None)
@given(public=_SUITE, native=_SUITE, enhanced=_SUITE)
def test_no_release_before_grading_holds_an_expected_output_or_a_canary(
    plain: Task, public: Any, native: Any, enhanced: Any
) -> None:
    task = _with(plain, public, native, enhanced)
    for suite in SUITES:
        for data in release.grader_inputs(task, suite).values():
            assert _SECRET.encode() not in data
            assert b"expected_output" not in data
            assert b"canary-of" not in data
    for data in release.scaffold_cases(task).values():
        assert b"canary-of" not in data


@settings(max_examples=80, deadline=None)
@given(public=_SUITE, native=_SUITE, enhanced=_SUITE)
def test_inputs_survive_release_exactly(plain: Task, public: Any, native: Any, enhanced: Any) -> None:
    task = _with(plain, public, native, enhanced)
    for suite in SUITES:
        for name, data in release.grader_inputs(task, suite).items():
            sent = [case["input"] for case in json.loads(data)["cases"]]
            cases = task.suites[suite].files[name.removesuffix(".json")].cases
            assert json.dumps(sent) == json.dumps([case.input for case in cases])


@settings(max_examples=80, deadline=None)
@given(public=_SUITE, enhanced=_SUITE, more=_SUITE)
def test_public_and_hidden_cases_part_the_whole(plain: Task, public: Any, enhanced: Any, more: Any) -> None:
    task = _with(plain, public, {**more, **public}, enhanced)
    known = {case_key(case) for file in public.values() for case in file.cases}
    for suite in SUITES:
        flags = hidden_flags(task, suite)
        assert set(flags) == set(task.suites[suite].files)
        for stem, file in task.suites[suite].files.items():
            assert len(flags[stem]) == len(file.cases)
            for case, hidden in zip(file.cases, flags[stem], strict=True):
                assert hidden == (suite != "public" and case_key(case) not in known)
    assert not any(flag for flags in hidden_flags(task, "public").values() for flag in flags)


def test_one_and_one_point_zero_are_different_inputs(plain: Task) -> None:
    def file(value: str) -> CaseFile:
        return CaseFile.model_validate_json(
            '{"description": "", "cases": [{"input": ' + value + ', "expected_output": ""}]}'
        )

    task = _with(plain, {"a": file("1")}, {"a": file("1"), "b": file("1.0"), "c": file("10000000000000000000001")}, {})
    assert hidden_flags(task, "native") == {"a": (False,), "b": (True,), "c": (True,)}


@pytest.mark.parametrize("exposure", EXPOSURES)
def test_nothing_for_the_agent_or_the_router_is_forbidden(task: Task, exposure: Exposure) -> None:
    texts = [release.request_text(task, exposure), release.session_records(task, exposure).model_dump_json()]
    texts += [data.decode() for data in release.scaffold_cases(task).values()]
    for forbidden in release.forbidden_strings(task):
        assert not any(forbidden in text for text in texts)
    assert request_path("L1") not in texts[0]


# --- the reader of a report ---


def test_a_reader_sees_public_cases_and_the_hidden_ones_only_when_told(task: Task) -> None:
    shown = {suite: release.reader_cases(task, suite, hidden=False) for suite in SUITES}
    assert [case is not None for case in shown["public"][SUM]] == [True]
    assert [case is not None for case in shown["native"][SUM]] == [True, False]
    assert [case is not None for case in shown["enhanced"][SUM]] == [False, False]
    everything = release.reader_cases(task, "enhanced", hidden=True)
    assert [case.expected_output for case in everything[SUM] if case] == ["0\n", "1000000000000001\n"]
