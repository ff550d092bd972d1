"""What cannot be imported is said with file, place and mend; the others are, and nothing is left half-written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.task.icae.check import import_all
from tests.task.icae.synthetic import (
    ALIAS,
    HEADING,
    KEY,
    TASK,
    alias_entry,
    another,
    case_folder,
    constraint,
    level_document,
    make_checkout,
)
from underspec.errors import TaskError, UsageError
from underspec.task.icae.importing import import_checkout
from underspec.task.load import load_task

OTHER = "realcode@002"
L1 = f"prd_json/{ALIAS}.json"
TURN = f"{case_folder('public')}/feature1_turn.json"
RECORDS = "$.oracle_data.hidden_constraints[0]"


def beside(files: dict[str, Any]) -> dict[str, Any]:
    """The same files with an honest alias beside them."""
    entries = {OTHER: alias_entry(2, key="a__b", username="a", repo_name="b", url="")}
    given = files.get("repo_alias.json", {ALIAS: alias_entry()})
    return {**another(2, task_id="a__b"), **files, "repo_alias.json": {**entries, **given}}


class Damage(NamedTuple):
    """Files that are damaged, and what the error must name."""

    files: dict[str, Any]
    file: str
    where: str | None
    says: str


def entry(**changes: Any) -> dict[str, Any]:
    return {"repo_alias.json": {ALIAS: alias_entry(**changes)}}


def records(*more: Any) -> dict[str, Any]:
    return {L1: level_document("L1", hidden_constraints=list(more))}


def case(**fields: Any) -> dict[str, Any]:
    return {TURN: {"description": "x", "cases": [{"input": 1, "expected_output": "1", **fields}]}}


def without(name: str) -> dict[str, Any]:
    cases = [{"input": 1, "expected_output": "1"}, {"input": 2, "expected_output": "2"}]
    del cases[1][name]
    return {TURN: {"description": "x", "cases": cases}}


DAMAGE = {
    "no JSON": Damage({L1: "{"}, L1, "line 1, column 2", "is not JSON"),
    "an empty file": Damage({L1: ""}, L1, "line 1, column 1", "is not JSON"),
    "null": Damage({L1: "null"}, L1, "$", "must be an object"),
    "a list": Damage({L1: []}, L1, "$", "must be an object"),
    "a key that stands twice": Damage({L1: '{"a": 1, "a": 2}'}, L1, "$.a", "stands twice"),
    "half a surrogate pair": Damage({L1: '{"a": "\\ud83d"}'}, L1, "$.a", "surrogate"),
    "a NUL": Damage({L1: b'{"a": "\x00"}'}, L1, "byte 7", "binary"),
    "UTF-16": Damage({L1: "{}".encode("utf-16")}, L1, "byte 3", "binary"),
    "nested without end": Damage({L1: "[" * 5000}, L1, None, "nested"),
    "no oracle_data": Damage({L1: {"fuzzy_prd": "x"}}, L1, "$.oracle_data", "must be an object"),
    "no records": Damage(
        {L1: level_document("L1", hidden_constraints=...)}, L1, "$.oracle_data.hidden_constraints", "is missing"
    ),
    "records that are no list": Damage(
        {L1: level_document("L1", hidden_constraints={})}, L1, "$.oracle_data.hidden_constraints", "must be a list"
    ),
    "a record that is no object": Damage(records("x"), L1, RECORDS, "must be an object"),
    "a record without id": Damage(
        records({"trigger_keywords": [], "oracle_response": "x"}), L1, f"{RECORDS}.constraint_id", "is missing"
    ),
    "triggers that are no list": Damage(
        records(constraint("C001", "x", "y")), L1, f"{RECORDS}.trigger_keywords", "must be a list"
    ),
    "a trigger that is no string": Damage(
        records(constraint("C001", ["x", 5], "y")), L1, f"{RECORDS}.trigger_keywords[1]", "must be a string"
    ),
    "a response that is no string": Damage(
        records(constraint("C001", ["x"], None)), L1, f"{RECORDS}.oracle_response", "must be a string"
    ),
    "no fallback": Damage(
        {L1: level_document("L1", fallback_response=...)}, L1, "$.oracle_data.fallback_response", "is missing"
    ),
    "an empty fallback": Damage(
        {L1: level_document("L1", fallback_response=" ")}, L1, "$.oracle_data.fallback_response", "is empty"
    ),
    "a signature that is no string": Damage(
        {L1: level_document("L1", golden_api_signature=["x"])},
        L1,
        "$.oracle_data.golden_api_signature",
        "must be a string",
    ),
    "a request that is no string": Damage(
        {L1: level_document("L1", fuzzy_prd=5)}, L1, "$.fuzzy_prd", "must be a string"
    ),
    "no request anywhere": Damage(
        {L1: level_document("L1", fuzzy_prd=" "), f"fuzzy_prds/{ALIAS}/start.md": HEADING},
        L1,
        "$.fuzzy_prd",
        "missing or empty",
    ),
    "a NUL in a request": Damage(
        {L1: level_document("L1", fuzzy_prd="a\0b"), f"fuzzy_prds/{ALIAS}/start.md": None},
        "hidden/requests/L1.md",
        "byte 1",
        "binary",
    ),
    "a case file that is a list": Damage(
        {TURN: [{"input": 1, "expected_output": "1"}]}, TURN, "$", "must be an object"
    ),
    "a case file that is damaged": Damage({TURN: '{"cases": ['}, TURN, "line 1, column 12", "is not JSON"),
    "a case without expectation": Damage(without("expected_output"), TURN, "$.cases[1].expected_output", "is missing"),
    "a case without input": Damage(without("input"), TURN, "$.cases[1].input", "is missing"),
    "an input that is no JSON": Damage(case(input=float("nan")), TURN, "$.cases[0].input", "no number"),
    "a description that is no string": Damage(
        {TURN: {"description": 5, "cases": []}}, TURN, "$.description", "must be a string"
    ),
    "a case file with an unsafe name": Damage(
        {f"{case_folder('public')}/a@b.json": {"cases": []}}, f'{case_folder("public")}/"a@b".json', None, "unsafe"
    ),
    "case files that differ in capitals": Damage(
        {TURN.replace("feature1", "Feature1"): {"cases": [{"input": 1, "expected_output": "1"}]}},
        "hidden/cases/public/feature1_turn.json",
        None,
        "capital letters",
    ),
    "an entry that is no object": Damage(
        {"repo_alias.json": {ALIAS: "x"}}, "repo_alias.json", f'$["{ALIAS}"]', "must be an object"
    ),
    "an entry without key": Damage(entry(key=None), "repo_alias.json", f'$["{ALIAS}"].key', "must be a string"),
    "a key that leads elsewhere": Damage(
        entry(key="../.."), "repo_alias.json", f'$["{ALIAS}"].key', "no name of a folder"
    ),
    "a key that is the folder itself": Damage(
        entry(key="."), "repo_alias.json", f'$["{ALIAS}"].key', "no name of a folder"
    ),
    "nobody's repository": Damage(
        entry(key="x", username="", repo_name=""), "repo_alias.json", f'$["{ALIAS}"]', "whose repository"
    ),
    "no language": Damage(entry(language=""), "repo_alias.json", f'$["{ALIAS}"].language', "is empty"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_stops_its_own_alias_only_and_is_named(tmp_path: Path, damage: Damage) -> None:
    result = import_all(tmp_path, beside(damage.files))
    (failure,) = result.failed
    assert (failure.alias, failure.error.file, failure.error.where) == (ALIAS, damage.file, damage.where)
    assert damage.says in failure.error.message
    assert failure.error.mend
    assert [one.alias for one in result.imported] == [OTHER]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["realcode-002"]
    assert load_task(tmp_path / "out" / "realcode-002")


def test_records_without_an_entry_are_not_imported(tmp_path: Path) -> None:
    files = {**another(7), "repo_alias.json": {ALIAS: alias_entry()}}
    (failure,) = import_all(tmp_path, files).failed
    assert (failure.alias, failure.error.file) == ("realcode@007", "repo_alias.json")
    assert "without it nobody knows" in str(failure.error)


def test_an_entry_without_records_is_not_imported(tmp_path: Path) -> None:
    (failure,) = import_all(tmp_path, {"repo_alias.json": {ALIAS: alias_entry(), OTHER: alias_entry(2)}}).failed
    assert (failure.alias, failure.error.file) == (OTHER, f"prd_json/{OTHER}.json")


@pytest.mark.parametrize("alias", ["../escape", "a/b", "", "x" * 300, "ein\x00s", "."])
def test_an_alias_that_is_no_name_reaches_no_file(tmp_path: Path, alias: str) -> None:
    result = import_all(tmp_path, {"repo_alias.json": {ALIAS: alias_entry(), alias: alias_entry()}})
    assert [one.alias for one in result.failed] == [alias]
    assert [path.name for path in (tmp_path / "out").iterdir()] == [TASK]


def test_two_aliases_of_one_task_id_do_not_overwrite_each_other(tmp_path: Path) -> None:
    document = level_document("L1")
    files = {
        "repo_alias.json": {ALIAS: alias_entry(), "realcode_001": alias_entry()},
        "prd_json/realcode_001.json": document,
    }
    result = import_all(tmp_path, files)
    assert [one.alias for one in result.imported] == [ALIAS]
    assert "same task id" in result.failed[0].error.message


# --- files that all tasks share ---


@pytest.mark.parametrize(
    ("files", "file", "where", "says"),
    [
        ({"repo_alias.json": "["}, "repo_alias.json", "line 1, column 2", "is not JSON"),
        ({"repo_alias.json": "[]"}, "repo_alias.json", "$", "must be an object"),
        ({"repos.yaml": "repos: [\n"}, "repos.yaml", "line 2, column 1", "is not YAML"),
        ({"repos.yaml": "a: b: c"}, "repos.yaml", "line 1, column 5", "is not YAML"),
        ({"repos.yaml": "repos: \x07"}, "repos.yaml", None, "is not YAML"),
        ({"repos.yaml": ""}, "repos.yaml", "$", "must be an object"),
        ({"repos.yaml": "repos: x"}, "repos.yaml", "$.repos", "must be a list"),
        ({"repos.yaml": "repos: [x]"}, "repos.yaml", "$.repos[0]", "must be an object"),
        ({"repos.yaml": "repos: [{scope: x}]"}, "repos.yaml", "$.repos[0].repo_id", "is missing"),
        ({"repos.yaml": "repos: [{repo_id: a/b, in_scope: x}]"}, "repos.yaml",
         "$.repos[0].in_scope", "must be an object"),
        ({"repos.yaml": "repos: [{repo_id: a/b, in_scope: {original: {a: b}}}]"}, "repos.yaml",
         "$.repos[0].in_scope.original", "must be a list"),
        ({"repos.yaml": "repos: &x [*x]"}, "repos.yaml", "line 1, column 8", "recursive"),
        ({"repos.yaml": "repos: " + "[" * 3000}, "repos.yaml", None, "nested too deep"),
        ({"repos.yaml": "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
            f"{n}: &{n} [{','.join([f'*{p}'] * 10)}]\n" for p, n in zip("abcdefgh", "bcdefghi", strict=True))},
         "repos.yaml", None, "too large"),
    ],
)  # fmt: skip
def test_a_damaged_shared_file_stops_the_import(
    tmp_path: Path, files: dict[str, Any], file: str, where: str | None, says: str
) -> None:
    with pytest.raises(TaskError, match=says) as error:
        import_all(tmp_path, files)
    assert (error.value.file, error.value.where) == (file, where)
    assert error.value.mend
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("source", ["nowhere", "file", "empty", "only-aliases", "a\0b", "x" * 400])
def test_what_is_no_checkout_is_wrong_use(tmp_path: Path, source: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "only-aliases").mkdir()
    (tmp_path / "only-aliases" / "repo_alias.json").write_text("{}")
    with pytest.raises(UsageError) as error:
        import_checkout(tmp_path / source, tmp_path / "out")
    assert error.value.file == str(tmp_path / source)
    assert error.value.mend


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_a_destination_that_is_no_folder_is_wrong_use(tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError):
        import_checkout(make_checkout(tmp_path), tmp_path / out)


# --- links ---


def link_out(root: Path, path: str, target: str) -> None:
    place = root / path
    place.unlink(missing_ok=True)
    place.symlink_to(target)


@pytest.mark.parametrize(
    ("path", "alias_fails"),
    [
        (L1, True),
        (TURN, True),
        (f"fuzzy_prds/{ALIAS}/start.md", True),
        ("repo_alias.json", False),
        ("repos.yaml", False),
    ],
)
def test_a_link_out_of_the_checkout_is_not_followed(tmp_path: Path, path: str, alias_fails: bool) -> None:
    secret = tmp_path / "secret"
    secret.write_text(json.dumps(level_document("L1", fuzzy_prd="the secret")))
    root = make_checkout(tmp_path)
    link_out(root, path, str(secret))
    try:
        result = import_checkout(root, tmp_path / "out")
        assert alias_fails
        error: TaskError = result.failed[0].error
    except TaskError as problem:
        assert not alias_fails
        error = problem
    assert (error.file, "leads out of the checkout" in error.message) == (path, True)
    assert not list((tmp_path / "out").glob("*")) if alias_fails else True


def test_a_case_folder_that_is_a_link_out_is_not_followed(tmp_path: Path) -> None:
    root = make_checkout(tmp_path)
    folder = root / case_folder("native")
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    (failure,) = import_checkout(root, tmp_path / "out").failed
    assert (failure.error.file, "leads out" in failure.error.message) == (case_folder("native"), True)


def test_links_within_the_checkout_are_followed(tmp_path: Path) -> None:
    root = make_checkout(tmp_path)
    (root / "blobs").mkdir()
    (root / L1).rename(root / "blobs" / "1")
    (root / L1).symlink_to("../blobs/1")
    assert len(import_checkout(root, tmp_path / "out").imported) == 1


def test_a_pipe_in_the_place_of_a_file_does_not_hang(tmp_path: Path) -> None:
    root = make_checkout(tmp_path)
    (root / TURN).unlink()
    os.mkfifo(root / TURN)
    (failure,) = import_checkout(root, tmp_path / "out").failed
    assert (failure.error.file, "pipe" in failure.error.message) == (TURN, True)


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    root = make_checkout(tmp_path)
    (root / L1).unlink()
    (root / L1).mkdir()
    (failure,) = import_checkout(root, tmp_path / "out").failed
    assert failure.error.file == L1


DEMANDS: dict[str, Callable[[Path], object]] = {
    "the key names no folder that exists": lambda root: (root / "rcb_tests_repos" / KEY).rename(root / "gone"),
    "a folder of cases is a file": lambda root: _file_for_folder(root / case_folder("native")),
}


def _file_for_folder(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    folder.write_text("x")


@pytest.mark.parametrize("change", DEMANDS.values(), ids=DEMANDS.keys())
def test_absent_case_folders_are_lacking_and_no_error(tmp_path: Path, change: Callable[[Path], object]) -> None:
    root = make_checkout(tmp_path)
    change(root)
    (done,) = import_checkout(root, tmp_path / "out").imported
    assert "native cases" in done.lacks
