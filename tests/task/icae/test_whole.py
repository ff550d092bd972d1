"""A published task becomes one of ours: every part in its place, and nothing of the repository's identity shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.task.icae.check import import_all, imported, level, loaded, said
from tests.task.icae.synthetic import (
    ALIAS,
    ENHANCED,
    FOLDERS,
    HEADING,
    KEY,
    NATIVE,
    PUBLIC,
    REPO,
    TASK,
    URL,
    USER,
    alias_entry,
    checkout_files,
    level_document,
    without_cases,
)
from underspec.task import release
from underspec.task.digest import check_manifest
from underspec.task.layout import IMPORT
from underspec.task.load import load_task
from underspec.task.model import LEVELS, RecordKind
from underspec.task.validate import validate_task


def test_every_part_is_where_a_task_has_it(tmp_path: Path) -> None:
    result = imported(tmp_path)
    task = load_task(result.path)
    assert (result.alias, result.task, result.state, result.language) == (ALIAS, TASK, "new", "Rust")
    assert result.path == tmp_path / "out" / TASK
    assert (task.id, task.toml.family, task.toml.language, task.toml.origin) == (TASK, "repository", "Rust", "icae")
    assert (task.toml.source.url, task.toml.source.files, task.toml.source.lines) == (URL, 4, 100)
    assert task.toml.limits.suite_seconds == 2400
    assert {name: suite.total for name, suite in task.suites.items()} == {"public": 2, "native": 4, "enhanced": 2}
    assert result.cases == {"public": 2, "native": 4, "enhanced": 2}
    assert result.lacks == ("ground request",)
    assert result.findings == ()


@pytest.mark.parametrize("name", LEVELS)
def test_each_level_has_its_own_request_and_records(tmp_path: Path, name: str) -> None:
    task = loaded(tmp_path)
    document = level_document(name)
    assert task.requests[name] == document["fuzzy_prd"]
    data, known = document["oracle_data"], level(task, name)
    assert [
        {"constraint_id": one.id, "trigger_keywords": list(one.triggers), "oracle_response": one.response}
        for one in known.records
    ] == data["hidden_constraints"]
    assert (known.signature, known.fallback) == (data["golden_api_signature"], data["fallback_response"])
    assert [(one.reference, one.meaning) for one in known.pointers] == [("the usual way", "clockwise")]


def test_cases_are_the_published_ones(tmp_path: Path) -> None:
    task = loaded(tmp_path)
    for suite, published in (("public", PUBLIC), ("native", NATIVE), ("enhanced", ENHANCED)):
        assert {
            stem: {"description": file.description, "cases": [case.model_dump() for case in file.cases]}
            for stem, file in task.suites[suite].files.items()  # type: ignore[index]
        } == published


@pytest.mark.parametrize(
    ("record_id", "kind", "category"),
    [
        ("C001", RecordKind.CONSTRAINT, "constraint"),
        ("C12", RecordKind.CONSTRAINT, "constraint"),
        ("CACHE_RULES", RecordKind.CONSTRAINT, "other"),
        ("ARCH001", RecordKind.ARCHITECTURE, "architecture"),
        ("ARCHIVE_FORMAT", RecordKind.CONSTRAINT, "other"),
        ("HARNESS003", RecordKind.HARNESS, "harness"),
        ("TC_feature1", RecordKind.CASE_FILE, "cases"),
        ("DISPATCHER_ACTIONS", RecordKind.CONSTRAINT, "other"),
    ],
)
def test_kinds_are_told_by_ids(tmp_path: Path, record_id: str, kind: RecordKind, category: str) -> None:
    records = [{"constraint_id": record_id, "trigger_keywords": ["x"], "oracle_response": "An answer."}]
    task = loaded(tmp_path, {f"prd_json/{ALIAS}.json": level_document("L1", hidden_constraints=records)})
    assert [(one.id, one.kind, one.category) for one in level(task, "L1").records] == [(record_id, kind, category)]


def test_the_repositorys_names_reach_no_agent_and_no_router(tmp_path: Path) -> None:
    task = loaded(tmp_path)
    shown = [release.request_text(task, exposure) for exposure in (*LEVELS, "recovered")]  # type: ignore[arg-type]
    shown += [release.session_records(task, name).model_dump_json() for name in ("L1", "L2", "L3")]
    shown += [data.decode() for data in release.scaffold_cases(task).values()]
    for name in (KEY, f"{USER}/{REPO}", URL, USER, REPO):
        assert not any(name in text for text in shown)
    assert {KEY, f"{USER}/{REPO}", URL} <= set(task.toml.identity) <= release.forbidden_strings(task)
    assert set(task.toml.identity_words) == {USER, REPO}


def test_what_only_operators_read_keeps_entry_and_places(tmp_path: Path) -> None:
    document = json.loads((imported(tmp_path).path / IMPORT).read_text())
    assert document["alias"] == ALIAS
    assert document["repository"] == alias_entry()
    assert document["golden_source"] is None
    assert document["public_cases_recovered"] is False
    assert document["kept"] == []


def test_a_golden_source_is_named_where_there_is_one(tmp_path: Path) -> None:
    task = imported(tmp_path, {f"realcode_repos/{KEY}/src/lib.rs": "fn main() {}"})
    assert json.loads((task.path / IMPORT).read_text())["golden_source"] == f"realcode_repos/{KEY}"
    assert not any("main()" in path.read_text() for path in task.path.rglob("*") if path.is_file())


def test_the_scope_is_kept_for_structure(tmp_path: Path) -> None:
    scope = release.read_scope(loaded(tmp_path))
    assert scope is not None
    assert (scope.repo_id, scope.original_language) == (f"{USER}/{REPO}", "Rust")
    assert scope.in_scope.original == ("src/on", "1.10")
    assert scope.in_scope.original_files == ("lib.rs",)
    assert scope.in_scope.generated == scope.in_scope.generated_files == ()
    assert scope.model_extra is not None
    assert scope.model_extra["reviewed"] == "yes"


@pytest.mark.parametrize("yaml", ["repos: []\n", None])
def test_a_task_without_scope_uses_the_whole_tree(tmp_path: Path, yaml: str | None) -> None:
    result = import_all(tmp_path, {"repos.yaml": yaml})
    assert release.read_scope(load_task(result.imported[0].path)) is None
    assert bool(said(result.findings, "is missing")) == (yaml is None)


def test_the_complete_requirement_is_taken_where_it_lies_beside_the_request(tmp_path: Path) -> None:
    task = loaded(tmp_path, {f"fuzzy_prds/{ALIAS}/ground.md": "# All of it\n"})
    assert release.request_text(task, "ground") == "# All of it\n"


def test_an_imported_task_is_valid_and_its_manifest_true(tmp_path: Path) -> None:
    path = imported(tmp_path).path
    findings = validate_task(path)
    assert {finding.severity for finding in findings} == {"warning"}
    assert said(findings, "carries a canary")
    assert any(finding.file == "hidden/requests/ground.md" for finding in findings)
    assert check_manifest(path) == []


def test_without_folders_the_task_loads_and_says_what_it_lacks(tmp_path: Path) -> None:
    result = imported(tmp_path, without_cases())
    task = load_task(result.path)
    assert result.lacks == ("ground request", "native cases", "enhanced cases")
    assert {name: suite.total for name, suite in task.suites.items()} == {"public": 2, "native": 0, "enhanced": 0}
    assert json.loads((result.path / IMPORT).read_text())["public_cases_recovered"] is True
    severities = {(one.file, one.severity) for one in validate_task(result.path)}
    assert {("hidden/cases/native", "warning"), ("hidden/cases/enhanced", "warning")} <= severities
    assert "error" not in {severity for _, severity in severities}


@pytest.mark.parametrize("missing", LEVELS)
def test_a_level_that_was_not_published_is_lacking_and_no_fault(tmp_path: Path, missing: str) -> None:
    result = imported(tmp_path, {f"{FOLDERS[missing][0]}/{ALIAS}.json": None})
    assert f"{missing} records and request" in result.lacks
    assert missing not in result.levels
    assert {finding.severity for finding in validate_task(result.path)} == {"warning"}


def test_a_request_that_start_md_words_otherwise_is_said_and_the_record_file_used(tmp_path: Path) -> None:
    start = HEADING + level_document("L1")["fuzzy_prd"].replace("usual", "unusual")
    result = imported(tmp_path, {f"fuzzy_prds/{ALIAS}/start.md": start})
    (finding,) = said(result.findings, "is not the request")
    assert (finding.file, finding.where) == (f"fuzzy_prds/{ALIAS}/start.md", "line 5")
    assert load_task(result.path).requests["L1"] == level_document("L1")["fuzzy_prd"]


@pytest.mark.parametrize("change", ["\n\n", "\r\n"])
def test_line_ends_and_final_space_are_no_other_wording(tmp_path: Path, change: str) -> None:
    start = (HEADING + level_document("L1")["fuzzy_prd"]).replace("\n", "\r\n") + change
    assert imported(tmp_path, {f"fuzzy_prds/{ALIAS}/start.md": start}).findings == ()


def test_start_md_stands_in_where_the_record_file_has_no_request(tmp_path: Path) -> None:
    result = imported(tmp_path, {f"prd_json/{ALIAS}.json": level_document("L1", fuzzy_prd="")})
    assert load_task(result.path).requests["L1"] == level_document("L1")["fuzzy_prd"]
    assert said(result.findings, "has no request")


def test_requests_need_no_folder_of_their_own(tmp_path: Path) -> None:
    gone = {path: None for path in checkout_files() if path.startswith("fuzzy_prds")}
    assert imported(tmp_path, gone).findings == ()


def test_a_missing_start_md_in_a_folder_of_them_is_said(tmp_path: Path) -> None:
    result = imported(tmp_path, {f"fuzzy_prds/{ALIAS}/start.md": None, "fuzzy_prds/other/start.md": "x"})
    assert said(result.findings, "is missing")
