"""Loading: an honest task loads; every kind of damage is named with file, place and mend, and never a traceback."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.task_factory import CASES, SUM, make_task, task_files
from underspec.errors import TaskError
from underspec.task import tree
from underspec.task.load import load_task, read_toml
from underspec.task.validate import validate_task

NATIVE = f"hidden/cases/native/{SUM}.json"
RECORDS = "hidden/records.json"


def test_the_honest_task_loads_with_all_its_parts(tmp_path: Path) -> None:
    task = load_task(make_task(tmp_path))
    assert task.id == "toy-sums"
    assert {name: suite.total for name, suite in task.suites.items()} == {"public": 2, "native": 4, "enhanced": 3}
    assert set(task.requests) == {"ground", "L1", "L2", "L3"}
    assert task.records
    assert set(task.records.levels) == {"L1", "L2", "L3"}
    assert task.golden
    assert task.golden.name == "figurecrate"
    assert len(task.digest) == 64


def test_a_link_to_the_task_folder_is_followed(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (tmp_path / "alias").symlink_to(task)
    assert load_task(tmp_path / "alias").path == task.resolve()


def test_byte_code_beside_sources_is_nobodys_content(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    before = load_task(task).digest
    cached = task / "hidden/variants/reference/__pycache__"
    cached.mkdir()
    (cached / "dispatch.cpython-311.pyc").write_bytes(b"\0\1")
    assert load_task(task).digest == before
    assert not [finding for finding in validate_task(task) if finding.severity == "error"]


def test_what_lies_in_variants_is_opaque(tmp_path: Path) -> None:
    odd = {
        "hidden/variants/reference/broken.json": b"{\xff",
        "hidden/variants/incorrect-RU-1/a/b/cases.json": b'{"a": 1, "a": NaN}',
        "hidden/acceptance/data.toml": b"= = =",
        "visible/workspace/latin.txt": b"caf\xe9",
    }
    assert load_task(make_task(tmp_path, files=odd)).id == "toy-sums"


class Damage(NamedTuple):
    """What is done to the toy task, and what must be said about it."""

    files: dict[str, Any]
    file: str
    where: str | None
    says: str


def cases(*items: Any, **more: Any) -> dict[str, Any]:
    return {"description": "x", "cases": list(items), **more}


def records(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    document = json.loads(json.dumps(task_files()[RECORDS]))
    change(document["levels"])
    return document  # type: ignore[no-any-return]


def without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key not in names}


def golden(**fields: Any) -> dict[str, Any]:
    return {**task_files()["hidden/golden.toml"], **fields}


GOOD = CASES["native"][SUM][0]
TOML = task_files()["task.toml"]
NESTED = b'{"description": "x", "cases": [{"input": ' + b"[" * 150 + b"]" * 150 + b', "expected_output": ""}]}'

DAMAGES = {
    "no task.toml": Damage({"task.toml": None}, "task.toml", None, "is missing"),
    "task.toml is no TOML": Damage({"task.toml": "id = "}, "task.toml", None, "is not TOML"),
    "task.toml is empty": Damage({"task.toml": b""}, "task.toml", "$.contract", "is missing"),
    "task.toml has a wrong type": Damage({"task.toml": {**TOML, "contract": "1"}}, "task.toml", "$.contract", "1"),
    "task.toml of a later contract": Damage({"task.toml": {**TOML, "contract": 2}}, "task.toml", "$.contract", "1"),
    "task.toml has an unknown field": Damage(
        {"task.toml": {**TOML, "flavour": 1}}, "task.toml", "$.flavour", "no field"
    ),
    "task.toml with a BOM": Damage({"task.toml": b"\xef\xbb\xbfcontract = 1"}, "task.toml", None, "byte order mark"),
    "task.toml repeats a key": Damage({"task.toml": "contract = 1\ncontract = 1"}, "task.toml", None, "is not TOML"),
    "task.toml holds a date": Damage({"task.toml": "title = 2020-01-01"}, "task.toml", "$.title", "date"),
    "task.toml holds no finite number": Damage({"task.toml": "contract = nan"}, "task.toml", "$.contract", "no number"),
    "task.toml is too deep": Damage({"task.toml": b"a=" + b"[" * 5000}, "task.toml", None, "nested"),
    "an unsafe id": Damage({"task.toml": {**TOML, "id": "../x"}}, "task.toml", "$.id", "pattern"),
    "an endless limit": Damage(
        {"task.toml": {**TOML, "limits": {"cpus": -1}}}, "task.toml", "$.limits.cpus", "greater"
    ),
    "bad JSON": Damage({NATIVE: '{"description": "x", }'}, NATIVE, "line 1, column 22", "is not JSON"),
    "truncated JSON": Damage({NATIVE: '{"description":\n "x", "cases": ['}, NATIVE, "line 2, column 17", "is not JSON"),
    "two documents": Damage({NATIVE: "{} {}"}, NATIVE, "line 1, column 4", "is not JSON"),
    "an empty file": Damage({NATIVE: b""}, NATIVE, "line 1, column 1", "is not JSON"),
    "a BOM": Damage({NATIVE: b"\xef\xbb\xbf" + json.dumps(cases(GOOD)).encode()}, NATIVE, None, "byte order mark"),
    "UTF-16": Damage({NATIVE: json.dumps(cases(GOOD)).encode("utf-16")}, NATIVE, "byte 0", "not UTF-8"),
    "UTF-16 without a mark": Damage({NATIVE: "{}".encode("utf-16-le")}, NATIVE, "byte 1", "binary"),
    "Latin-1": Damage({NATIVE: b'{"description": "\xe9"}'}, NATIVE, "byte 17", "not UTF-8"),
    "binary": Damage({NATIVE: bytes(range(256)) * 100}, NATIVE, "byte 128", "not UTF-8"),
    "a list-shaped case file": Damage({NATIVE: [GOOD]}, NATIVE, "$", "must be an object, not a list"),
    "a case file that is null": Damage({NATIVE: b"null"}, NATIVE, "$", "must be an object, not null"),
    "a case file that is a string": Damage({NATIVE: b'"cases"'}, NATIVE, "$", "must be an object, not a string"),
    "cases as an object": Damage(
        {NATIVE: {"description": "x", "cases": {"0": GOOD}}}, NATIVE, "$.cases", "must be a list"
    ),
    "no cases": Damage({NATIVE: cases()}, NATIVE, "$.cases", "must not be empty"),
    "a case that is a string": Damage({NATIVE: cases(GOOD, "x")}, NATIVE, "$.cases[1]", "must be an object"),
    "no description": Damage({NATIVE: {"cases": [GOOD]}}, NATIVE, "$.description", "is missing"),
    "no expected output": Damage(
        {NATIVE: cases(GOOD, {"input": 1})}, NATIVE, "$.cases[1].expected_output", "is missing"
    ),
    "no input": Damage({NATIVE: cases({"expected_output": ""})}, NATIVE, "$.cases[0].input", "is missing"),
    "a number as expected output": Damage(
        {NATIVE: cases(GOOD, GOOD, {"input": 1, "expected_output": 6})},
        NATIVE,
        "$.cases[2].expected_output",
        "must be a string, not a number",
    ),
    "null as expected output": Damage(
        {NATIVE: cases({"input": 1, "expected_output": None})}, NATIVE, "$.cases[0].expected_output", "not null"
    ),
    "lines as expected output": Damage(
        {NATIVE: cases({"input": 1, "expected_output": ["6"]})}, NATIVE, "$.cases[0].expected_output", "not a list"
    ),
    "an unknown field in a case": Damage(
        {NATIVE: cases({**GOOD, "expected": "6"})}, NATIVE, "$.cases[0].expected", "no field"
    ),
    "a key twice in a case": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": 1, "expected_output": "a", "expected_output": "b"}]}'},
        NATIVE,
        "$.cases[0].expected_output",
        "stands twice",
    ),
    "a key twice deep in an input": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": {"a": [{"b": 1, "b": 1}]}, "expected_output": ""}]}'},
        NATIVE,
        "$.cases[0].input.a[0].b",
        "stands twice",
    ),
    "NaN": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": [1, NaN], "expected_output": ""}]}'},
        NATIVE,
        "$.cases[0].input[1]",
        "NaN",
    ),
    "minus infinity": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": -Infinity, "expected_output": ""}]}'},
        NATIVE,
        "$.cases[0].input",
        "-Infinity",
    ),
    "a number beyond all doubles": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": 1e999, "expected_output": ""}]}'},
        NATIVE,
        "$.cases[0].input",
        "1e999",
    ),
    "a number of ten thousand digits": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": ' + b"9" * 10_000 + b', "expected_output": ""}]}'},
        NATIVE,
        None,
        "too many digits",
    ),
    "half a surrogate pair": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": 1, "expected_output": "\\ud800"}]}'},
        NATIVE,
        "$.cases[0].expected_output",
        "surrogate",
    ),
    "half a surrogate pair in a key": Damage(
        {NATIVE: b'{"description": "x", "cases": [{"input": {"\\udc00": 1}, "expected_output": ""}]}'},
        NATIVE,
        "$.cases[0].input",
        "surrogate",
    ),
    "nested too deep": Damage({NATIVE: NESTED}, NATIVE, "$.cases[0].input[0][0]", "nested"),
    "nested beyond any stack": Damage({NATIVE: b"[" * 500_000}, NATIVE, None, "nested"),
    "records are a list": Damage({RECORDS: []}, RECORDS, "$", "must be an object, not a list"),
    "an unknown level": Damage(
        {RECORDS: records(lambda levels: levels.update(L9=levels["L1"]))}, RECORDS, '$.levels.L9["[key]"]', "L1"
    ),
    "an id twice in a level": Damage(
        {RECORDS: records(lambda levels: levels["L2"]["records"].append(levels["L2"]["records"][0]))},
        RECORDS,
        "$.levels.L2.records[6].id",
        "stands twice",
    ),
    "the signature's id on a record": Damage(
        {RECORDS: records(lambda levels: levels["L1"]["records"][1].update(id="SIG"))},
        RECORDS,
        "$.levels.L1.records[1].id",
        "reserved",
    ),
    "a pointer's id on a record": Damage(
        {RECORDS: records(lambda levels: levels["L1"]["records"][0].update(id="P12"))},
        RECORDS,
        "$.levels.L1.records[0].id",
        "reserved",
    ),
    "a record without triggers": Damage(
        {RECORDS: records(lambda levels: levels["L3"]["records"][0].update(triggers=[]))},
        RECORDS,
        "$.levels.L3.records[0].triggers",
        "must not be empty",
    ),
    "triggers as one string": Damage(
        {RECORDS: records(lambda levels: levels["L3"]["records"][0].update(triggers="rounding"))},
        RECORDS,
        "$.levels.L3.records[0].triggers",
        "must be a list, not a string",
    ),
    "an unknown kind of record": Damage(
        {RECORDS: records(lambda levels: levels["L1"]["records"][0].update(kind="rumour"))},
        RECORDS,
        "$.levels.L1.records[0].kind",
        "constraint",
    ),
    "no fallback": Damage(
        {RECORDS: records(lambda levels: levels["L1"].pop("fallback"))}, RECORDS, "$.levels.L1.fallback", "is missing"
    ),
    "an empty request": Damage({"hidden/requests/L2.md": b" \n\n"}, "hidden/requests/L2.md", None, "is empty"),
    "a request that is only a canary": Damage(
        {"hidden/requests/L2.md": "<!-- canary abcdefghijklmnop -->\n\n"}, "hidden/requests/L2.md", None, "is empty"
    ),
    "a binary request": Damage({"hidden/requests/L1.md": b"\x89PNG\0"}, "hidden/requests/L1.md", "byte 0", "not UTF-8"),
    "a request with NUL": Damage({"hidden/requests/L1.md": b"# a\0b"}, "hidden/requests/L1.md", "byte 3", "binary"),
    "no request at all": Damage(
        {f"hidden/requests/{name}.md": None for name in ("ground", "L1", "L2", "L3")},
        "hidden/requests",
        None,
        "no request",
    ),
    "no native cases": Damage(
        {path: None for path in task_files() if path.startswith("hidden/cases/native/")},
        "hidden/cases/native",
        None,
        "no case file",
    ),
    "a package name that is an option": Damage(
        {"hidden/golden.toml": golden(name="--index-url=x")}, "hidden/golden.toml", "$.name", "pattern"
    ),
    "a package version that is an address": Damage(
        {"hidden/golden.toml": golden(version="git+https://x/y")}, "hidden/golden.toml", "$.version", "pattern"
    ),
    "an archive name that is a path": Damage(
        {"hidden/golden.toml": golden(filename="../../x.whl")}, "hidden/golden.toml", "$.filename", "pattern"
    ),
    "a golden root outside": Damage(
        {"hidden/golden.toml": golden(root="a/../../b")}, "hidden/golden.toml", "$.root", "pattern"
    ),
    "no hash": Damage({"hidden/golden.toml": golden(sha256="abc")}, "hidden/golden.toml", "$.sha256", "pattern"),
    "damaged units": Damage({"hidden/units.json": "{"}, "hidden/units.json", "line 1, column 2", "is not JSON"),
    "an unknown file": Damage({"hidden/answers.txt": "6"}, "hidden/answers.txt", None, "no file that a task has"),
    "an unknown suite": Damage(
        {"hidden/cases/secret/a.json": cases(GOOD)}, "hidden/cases/secret/a.json", None, "no file that a task has"
    ),
    "a case file that is no JSON file": Damage(
        {"hidden/cases/native/notes.txt": "x"}, "hidden/cases/native/notes.txt", None, "no file that a task has"
    ),
    "a case file in a folder": Damage(
        {"hidden/cases/native/a/b.json": cases(GOOD)}, "hidden/cases/native/a/b.json", None, "no file that a task has"
    ),
    "an unknown kind of variant": Damage(
        {"hidden/variants/better/a.py": "x"}, "hidden/variants/better/a.py", None, "no file that a task has"
    ),
    "a stem that looks like an option": Damage(
        {"hidden/cases/native/-rf.json": cases(GOOD)}, "hidden/cases/native/-rf.json", None, "unsafe"
    ),
    "a stem with the output separator": Damage(
        {"hidden/cases/native/a@001.json": cases(GOOD)}, "hidden/cases/native/a@001.json", None, "unsafe"
    ),
    "a hidden case file": Damage(
        {"hidden/cases/native/.json": cases(GOOD)}, "hidden/cases/native/.json", None, "no file that a task has"
    ),
    "a stem with a line feed": Damage(
        {"hidden/cases/native/a\nb.json": cases(GOOD)}, "hidden/cases/native/a\\nb.json", None, "control character"
    ),
    "a stem with a backslash": Damage(
        {"hidden/cases/native/a\\b.json": cases(GOOD)}, "hidden/cases/native/a\\\\b.json", None, "backslash"
    ),
    "stems that differ in capitals only": Damage(
        {f"hidden/cases/native/{SUM.upper()}.json": cases(GOOD)}, NATIVE, None, "capital letters"
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_with_file_place_and_mend(tmp_path: Path, name: str) -> None:
    damage = DAMAGES[name]
    task = make_task(tmp_path, files=damage.files, manifest=False)

    with pytest.raises(TaskError) as raised:
        load_task(task)
    assert (raised.value.file, raised.value.where) == (damage.file, damage.where)
    assert damage.says in raised.value.message
    assert raised.value.mend
    assert raised.value.exit_code == 1

    same = [finding for finding in validate_task(task) if (finding.file, finding.severity) == (damage.file, "error")]
    assert any(damage.says in finding.message and finding.mend for finding in same)


def test_validate_goes_on_after_damage_and_collects_all_of_it(tmp_path: Path) -> None:
    files = {NATIVE: b"[", RECORDS: b"{}", "hidden/requests/L1.md": b"\xff", "task.toml": "x = 1"}
    found = {finding.file for finding in validate_task(make_task(tmp_path, files=files, manifest=False))}
    assert found >= set(files)


def test_many_faults_in_one_file_do_not_flood(tmp_path: Path) -> None:
    broken = cases(*[{"input": 1} for _ in range(5000)])
    findings = validate_task(make_task(tmp_path, files={NATIVE: broken}, manifest=False))
    assert 1 < len([finding for finding in findings if (finding.file, finding.severity) == (NATIVE, "error")]) <= 20


# --- what only a file system can do ---


def refused(task: Path, file: str, says: str) -> None:
    with pytest.raises(TaskError, match=says) as raised:
        load_task(task)
    assert raised.value.file == file
    assert raised.value.mend
    assert any(finding.file == file and says in finding.message for finding in validate_task(task))


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../outside", "nowhere", ".", "..", NATIVE])
@pytest.mark.parametrize(
    "place", ["hidden/cases/native/link.json", "visible/workspace/link", "hidden/variants/reference/x"]
)
def test_links_are_refused_wherever_they_point(tmp_path: Path, target: str, place: str) -> None:
    task = make_task(tmp_path)
    (tmp_path / "outside").write_text("{}")
    (task / place).parent.mkdir(parents=True, exist_ok=True)
    (task / place).symlink_to(target)
    refused(task, place, "symbolic link")


def test_a_cycle_of_links_is_refused_and_ends(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task / "visible").mkdir()
    (task / "visible/workspace").symlink_to("../visible")
    refused(task, "visible/workspace", "symbolic link")


def test_a_loop_of_links_as_task_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(TaskError, match="cannot be read"):
        load_task(tmp_path / "a")
    assert validate_task(tmp_path / "a")[0].severity == "error"


@pytest.mark.parametrize("file", [NATIVE, "task.toml", "hidden/variants/reference/pipe", "MANIFEST.sha256"])
def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path, file: str) -> None:
    task = make_task(tmp_path, files={file: None} if file != "MANIFEST.sha256" else {}, manifest=False)
    os.mkfifo(task / file)
    started = time.monotonic()
    refused(task, file, "named pipe")
    if file == "task.toml":
        with pytest.raises(TaskError, match="named pipe"):
            read_toml(task)
    assert time.monotonic() - started < 5


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(tmp_path)
    monkeypatch.chdir(task / "hidden")  # a socket's own path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("door")
        refused(task, "hidden/door", "socket")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_refused(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    try:
        os.mknod(task / "hidden/units.json", 0o20644, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this machine lets nobody make a device")
    refused(task, "hidden/units.json", "device")


@pytest.mark.parametrize("file", ["task.toml", RECORDS, NATIVE, "hidden/requests/L1.md", "MANIFEST.sha256"])
def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path: Path, file: str) -> None:
    task = make_task(tmp_path, files={file: None}, manifest=False)
    (task / file).mkdir()
    refused(task, file, "is a folder")


def test_a_file_just_below_the_limit_is_read_and_one_above_is_refused(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    large = task / "visible/workspace/large.bin"
    large.parent.mkdir(parents=True)
    with large.open("wb") as stream:
        stream.truncate(tree.MAX_FILE_BYTES)
    assert load_task(task).id
    os.truncate(large, tree.MAX_FILE_BYTES + 1)
    refused(task, "visible/workspace/large.bin", "larger than 64 MiB")


def test_a_task_of_too_many_bytes_or_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(tmp_path)
    monkeypatch.setattr(tree, "MAX_TREE_BYTES", 1000)
    refused(task, ".", "holds more than")
    monkeypatch.setattr(tree, "MAX_TREE_BYTES", 10**9)
    monkeypatch.setattr(tree, "MAX_TREE_FILES", 3)
    refused(task, ".", "holds more than")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task / NATIVE).chmod(0)
    refused(task, NATIVE, "Permission denied")


def test_a_file_that_the_system_refuses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(tmp_path)
    real = os.open

    def refuse(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if str(path).endswith(NATIVE):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    refused(task, NATIVE, "Permission denied")


def test_a_folder_that_the_system_refuses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(tmp_path)
    real = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("hidden/cases/native"):
            raise OSError(5, "Input/output error", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    refused(task, "hidden/cases/native", "Input/output error")


def test_a_name_that_is_no_text_is_named_safely(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (Path(os.fsdecode(os.fsencode(task / "hidden") + b"/bad\xff\x1b[31m"))).write_text("x")
    with pytest.raises(TaskError, match="not valid UTF-8") as raised:
        load_task(task)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "nothing", "no such task folder"),
        (lambda folder: folder / "nothing/below", "no such task folder"),
        (lambda folder: Path(f"{folder}/a\0b"), "cannot be read"),
        (lambda folder: folder / ("x" * 5000), "cannot be read"),
    ],
)
def test_a_task_folder_that_is_not_there(tmp_path: Path, make: Callable[[Path], Path], says: str) -> None:
    for use in (load_task, read_toml):
        with pytest.raises(TaskError, match=says):
            use(make(tmp_path))
    (finding,) = validate_task(make(tmp_path))
    assert says in finding.message


def test_a_file_as_task_folder_is_refused(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    with pytest.raises(TaskError, match="is a file"):
        load_task(task / "task.toml")


def test_a_folder_that_is_no_task_is_not_read_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "scandir", lambda path: pytest.fail(f"read {path}"))
    (finding,) = validate_task(tmp_path)
    assert (finding.file, finding.message) == ("task.toml", "is missing")


def test_only_the_task_toml_is_read_for_a_listing(tmp_path: Path) -> None:
    task = make_task(tmp_path, files={NATIVE: b"damaged", RECORDS: b"damaged"}, manifest=False)
    assert read_toml(task).title == "Sums and means of lists"
