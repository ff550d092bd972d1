"""An export has every item in every table, types that hold, a schema that real reports keep, and, where it is public,
nothing that is hidden."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.report.export.sample import HIDDEN, build_run, clarify_run
from underspec.artifact.condition import Condition
from underspec.errors import StoreError, UsageError
from underspec.report.collect import collect
from underspec.report.document import report_document
from underspec.report.export.columns import TABLES, condition_columns
from underspec.report.export.rewards import DEFAULT_WEIGHTS
from underspec.report.export.schema import ExportReport, export_schema, schema_bytes
from underspec.report.export.tables import FORMATS
from underspec.report.export.write import Wanted, export
from underspec.run.store import RunStore
from underspec.task.catalog import find_task
from underspec.task.load import read_toml
from underspec.task.model import TaskToml

jsonschema: Any = pytest.importorskip("jsonschema")
SCHEMA_FILE = Path(__file__).resolve().parents[3] / "docs" / "formats" / "report.schema.json"
ALL = Wanted(formats=FORMATS, weights=DEFAULT_WEIGHTS)
CONDITIONS = [Condition(agent="asker"), Condition(agent="react", model="=maker/model", max_cost=2.5)]


def toml_of(task: str) -> TaskToml:
    return read_toml(find_task(task))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    built = build_run(folder / "built", CONDITIONS, ["data-sizes", "other", "unrun"], calls=2, unfinished=["unrun"])
    return [built, clarify_run(folder / "clarified")]


@pytest.fixture(scope="module")
def out(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "out"
    export(runs, folder, ALL, find_toml=toml_of)
    return folder


@pytest.fixture(scope="module")
def public(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "public"
    export(runs, folder, Wanted(formats=FORMATS, weights=DEFAULT_WEIGHTS, public=True), find_toml=toml_of)
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def test_every_table_is_there_in_every_format_with_the_same_rows(out: Path) -> None:
    told = report(out)["tables"]
    for name in TABLES:
        assert told[name]["files"] == [f"{name}.parquet", f"{name}.csv", f"{name}.jsonl"]
        arrow = pq.read_table(out / f"{name}.parquet")
        with (out / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
            cells = list(csv.DictReader(stream))
        rows = lines(out / f"{name}.jsonl")
        names = [column["name"] for column in told[name]["columns"]]
        assert told[name]["rows"] == arrow.num_rows == len(cells) == len(rows) > 0
        assert arrow.column_names == names == list(rows[0]) == list(cells[0])
        assert arrow.to_pylist() == rows


def test_items_are_all_that_is_planned_with_what_became_of_them(out: Path) -> None:
    items = lines(out / "items.jsonl")
    assert len(items) == 7
    assert sum(item["scored"] for item in items) == 5
    unrun = next(item for item in items if item["task"] == "unrun")
    assert (unrun["unscored_boundary"], unrun["overall_rate"], unrun["cost"]) == ("not_run", None, 0.0)
    first = next(item for item in items if item["task"] == "data-sizes" and item["agent"] == "asker")
    assert (first["overall_passed"], first["overall_total"], first["overall_rate"]) == (0, 5, 0.0)
    assert (first["task_language"], first["exposure"], first["budget"]) == ("Python", "L1", 16)
    assert (first["task_digest"], first["comparison"], first["image_digest"]) == ("t" * 64, "bytes", "host:x")
    assert (first["questions"], first["coverage"], first["fallback_rate"]) == (2, 1.0, 0.5)
    assert (first["class_similarity"], first["critic_semantic"], first["critic_model"]) == (
        pytest.approx(1 / 3),
        0.5,
        "maker/critic-9",
    )
    assert (first["calls"], first["tokens"], first["cost"], first["total_cost"], first["seconds"]) == (
        2,
        250,
        0.5,
        1.0,
        90,
    )
    talked = next(item for item in items if item["protocol"] == "clarify-first")
    assert (talked["unit_pass"], talked["clarification"], talked["tests_passed"], talked["questions"]) == (
        0.5,
        0.75,
        1,
        1,
    )


def test_types_are_those_of_the_columns(out: Path) -> None:
    kinds = {"string": "string", "int": "int64", "float": "double", "bool": "bool", "strings": "list<element: string>"}
    for name, columns in TABLES.items():
        schema = pq.read_schema(out / f"{name}.parquet")
        for column in columns:
            assert str(schema.field(column.name).type) == kinds[column.kind]
            told = schema.field(column.name).metadata or {}
            assert told[b"says"].decode() == column.says


def test_no_table_has_a_column_twice_and_every_field_of_a_condition_is_one() -> None:
    for columns in TABLES.values():
        names = [column.name for column in columns]
        assert len(set(names)) == len(names)
        assert all(column.says for column in columns)
    assert {column.name for column in condition_columns()} == set(Condition.model_fields)
    kinds = {column.name: column.kind for column in condition_columns()}
    assert (kinds["budget"], kinds["max_cost"], kinds["scaffold"], kinds["exposure"], kinds["max_turns"]) == (
        "int",
        "float",
        "bool",
        "string",
        "int",
    )


def test_cases_questions_units_and_calls_are_those_of_the_artifacts(out: Path) -> None:
    cases = lines(out / "cases.jsonl")
    assert len(cases) == 4 * 6
    assert {(case["suite"], case["file"], case["hidden"]) for case in cases} == {
        ("public", "shown", False),
        ("native", "shown", False),
        ("native", HIDDEN["file"], True),
        ("enhanced", HIDDEN["file"], True),
    }
    questions = lines(out / "questions.jsonl")
    assert [each["matched"] for each in questions[:2]] == [[HIDDEN["record"]], []]
    assert (questions[-1]["drafts"], questions[-1]["objections"], questions[-1]["ungrounded"]) == (
        2,
        ["accuracy", "scope"],
        1,
    )
    units = {each["unit"]: each for each in lines(out / "units.jsonl")}
    assert (units["RU-1"]["passed"], units["RU-1"]["label"], units["RU-1"]["disputed"]) == (True, "correct", False)
    assert (units["RU-2"]["passed"], units["RU-2"]["label_score"], units["RU-2"]["reviews"]) == (False, 0.5, 3)
    calls = lines(out / "calls.jsonl")
    assert len(calls) == 4 * 3 + 4
    assert sum(each["in_task_cost"] for each in calls) == 4 * 2 + 2
    assert {each["role"] for each in calls} == {"builder", "client", "critic", "judge"}


def test_cells_of_csv_are_inert(out: Path) -> None:
    text = (out / "items.csv").read_text()
    assert ",'=maker/model," in text
    assert ",=maker/model," not in text


def test_a_line_an_item_has_condition_questions_and_rewards(out: Path) -> None:
    found = lines(out / "trajectories.jsonl")
    assert len(found) == 7
    first = next(each for each in found if each["task"] == "other" and each["condition"]["agent"] == "asker")
    assert first["rewards"]["overall"] == pytest.approx(0.2)
    assert first["reward"] == pytest.approx(0.14)
    assert [each["reply"] for each in first["questions"]] == [HIDDEN["reply"]] * 2
    assert first["phases"][0]["why"] == "no log has these calls"
    talked = next(each for each in found if each["condition"]["protocol"] == "clarify-first")
    assert [phase["phase"] for phase in talked["phases"]] == ["clarify", "implement"]
    for each in found:
        for reward in (*each["rewards"].values(), each["reward"]):
            assert reward is None or 0 <= reward <= 1


def test_nothing_of_the_operators_stands_in_a_trajectory(out: Path) -> None:
    text = (out / "trajectories.jsonl").read_text()
    for name in ("record", "category", "file", "draft", "reason", "judge", "critic", "test", "answer"):
        assert HIDDEN[name] not in text, name


def test_a_public_export_has_nothing_hidden(public: Path, out: Path) -> None:
    seen = {name for name in HIDDEN if any(HIDDEN[name].encode() in path.read_bytes() for path in out.rglob("*.*"))}
    assert seen >= {"record", "category", "file", "reply", "question", "answer", "test"}
    for path in public.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".parquet":
            content = json.dumps(pq.read_table(path).to_pylist()).encode()
        for name, secret in HIDDEN.items():
            assert secret.encode() not in content, (path.name, name)


def test_a_public_export_still_has_every_figure(public: Path, out: Path) -> None:
    assert len(lines(public / "cases.jsonl")) == len(lines(out / "cases.jsonl"))
    for mine, all_of_it in zip(lines(public / "items.jsonl"), lines(out / "items.jsonl"), strict=True):
        assert mine == {name: value for name, value in all_of_it.items() if name != "unscored_reason"}
    shown = [each for each in lines(public / "cases.jsonl") if not each["hidden"]]
    assert all(each["file"] == "shown" for each in shown)
    assert [each["reward"] for each in lines(public / "trajectories.jsonl")] == [
        each["reward"] for each in lines(out / "trajectories.jsonl")
    ]
    names = {column["name"] for table in report(public)["tables"].values() for column in table["columns"]}
    assert not names & {"matched", "drafts", "question", "reply", "answer", "failed_tests", "unscored_reason"}


def test_reports_keep_the_schema(out: Path, public: Path, runs: list[Path]) -> None:
    schema = export_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for folder in (out, public):
        validator.validate(report(folder))
        assert json.loads((folder / "report.schema.json").read_text()) == schema
    single = jsonschema.Draft202012Validator({"$ref": "#/$defs/RunReport", "$defs": schema["$defs"]})
    for run in runs:
        single.validate(report_document(run.name, collect(RunStore(run)), comparable=False))


def test_the_schema_says_what_every_key_of_a_report_is(out: Path) -> None:
    schema = export_schema()
    unknown = set(_undescribed(report(out), schema, schema))
    assert unknown == set(), "describe them in report/export/schema.py"


def _undescribed(value: Any, part: dict[str, Any], schema: dict[str, Any], path: str = "$") -> Iterator[str]:
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in part:
        kept = [each for each in part["anyOf"] if each.get("type") != "null"]
        part = kept[0]
        while "$ref" in part:
            part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, dict) and "properties" in part:
        for name, each in value.items():
            if name in part["properties"]:
                yield from _undescribed(each, part["properties"][name], schema, f"{path}.{name}")
            elif not path.endswith(".condition"):
                yield f"{path}.{name}"
    elif isinstance(value, list):
        for each in value:
            yield from _undescribed(each, part.get("items", {}), schema, f"{path}[]")
    elif isinstance(value, dict):
        for each in value.values():
            yield from _undescribed(each, part.get("additionalProperties") or {}, schema, f"{path}{{}}")


def test_what_breaks_the_schema_is_found() -> None:
    with pytest.raises(ValueError):
        ExportReport.model_validate({"schema": 2})
    validator = jsonschema.Draft202012Validator(export_schema())
    assert list(validator.iter_errors({"schema": 1, "runs": [{"planned": -1}]}))


def test_the_documented_schema_is_todays() -> None:
    assert SCHEMA_FILE.read_bytes() == schema_bytes(), f"write schema_bytes() to {SCHEMA_FILE}"


def test_conditions_joined_one_by_one_give_the_same_report_as_all_at_once(out: Path, runs: list[Path]) -> None:
    for run, document in zip(runs, report(out)["runs"], strict=True):
        assert document == json.loads(json.dumps(report_document(run.name, collect(RunStore(run)), comparable=False)))


def test_tasks_that_are_not_to_be_had_are_said(out: Path) -> None:
    assert report(out)["notes"] == ["titles and languages are missing of 2 tasks, such as other"]


def test_a_folder_that_holds_something_is_left_alone(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(UsageError, match="there is something already"):
        export(runs, tmp_path, ALL, find_toml=toml_of)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    run = build_run(tmp_path / "run", CONDITIONS, ["other"])
    damaged = next(run.glob("items/*/grade/*/outcomes.json"))
    damaged.write_bytes(b"{}")
    with pytest.raises(StoreError, match="not a valid Outcomes"):
        export([run], tmp_path / "out", ALL, find_toml=toml_of)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_runs_of_one_name_and_public_evidence_are_refused(runs: list[Path], tmp_path: Path) -> None:
    other = build_run(tmp_path / "built", CONDITIONS[:1], ["other"])
    with pytest.raises(UsageError, match="two runs have the same name"):
        export([*runs, other], tmp_path / "out", ALL, find_toml=toml_of)
    wanted = Wanted(formats=FORMATS, weights=DEFAULT_WEIGHTS, public=True, copy_evidence=True)
    with pytest.raises(UsageError, match="evidence holds hidden material"):
        export(runs, tmp_path / "out", wanted, find_toml=toml_of)


def test_one_format_alone_writes_that_alone(runs: list[Path], tmp_path: Path) -> None:
    export(runs, tmp_path / "out", Wanted(formats=("csv",), weights=DEFAULT_WEIGHTS), find_toml=toml_of)
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".csv", ".json", ".jsonl"}
    assert [path.name for path in (tmp_path / "out").glob("*.jsonl")] == ["trajectories.jsonl"]


def test_text_with_control_characters_is_written_all_the_same(tmp_path: Path) -> None:
    odd = "a\x00b \x1b[2J \u202e \r\n,\"'"
    run = build_run(tmp_path / "run", [Condition(agent="asker", model=odd)], ["other"])
    export([run], tmp_path / "out", ALL, find_toml=toml_of)
    assert lines(tmp_path / "out" / "items.jsonl")[0]["model"] == odd
    assert pq.read_table(tmp_path / "out" / "items.parquet").to_pylist()[0]["model"] == odd
    with (tmp_path / "out" / "items.csv").open(newline="", encoding="utf-8") as stream:
        assert next(csv.DictReader(stream))["model"] == odd.replace("\0", "\ufffd")


def test_two_exports_to_one_folder_do_not_mix(runs: list[Path], tmp_path: Path) -> None:
    def meanwhile(words: str) -> None:
        with pytest.raises(UsageError, match="another export"):
            export(runs, tmp_path / "out", ALL, find_toml=toml_of)

    export(runs, tmp_path / "out", ALL, find_toml=toml_of, progress=meanwhile)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "report.json").is_file()


def test_what_a_killed_export_left_is_in_no_later_one(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / ".out.partial" / "evidence").mkdir(parents=True)
    (tmp_path / ".out.partial" / "items.csv").touch()
    (tmp_path / ".out.partial" / "stray").symlink_to("/")
    export(runs, tmp_path / "out", ALL, find_toml=toml_of)
    assert not {"evidence", "stray"} & {path.name for path in (tmp_path / "out").iterdir()}


def test_a_link_is_no_place_for_an_export(runs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to("elsewhere")
    with pytest.raises(UsageError, match="something already"):
        export(runs, tmp_path / "out", ALL, find_toml=toml_of)
