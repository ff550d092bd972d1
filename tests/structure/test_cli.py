"""``underspec structure`` prints the documented shape and leaves with the documented codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.structure.trees import make_tree

GOLDEN = {"pkg/a.py": "class A:\n    def run(self): ...\n    def stop(self): ...\n", "pkg/b.py": "def helper(): ...\n"}
GENERATED = {"main.py": "class A:\n    def run(self): ...\n\ndef other(): ...\n", "test_main.py": "def test(): ...\n"}


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    return make_tree(tmp_path / "golden", GOLDEN), make_tree(tmp_path / "generated", GENERATED)


def test_the_document_has_the_documented_shape(trees: tuple[Path, Path]) -> None:
    ran = underspec("structure", "--golden", trees[0], "--generated", trees[1], "--language", "Python", "--json")
    assert ran.code == 0
    document = ran.json()
    assert document["scored"] is True
    for side, expected in (("golden", (2, 4, 1, 3)), ("generated", (1, 3, 1, 2))):
        size = document[side]
        assert (size["files"], size["loc"], size["classes"], size["methods"]) == expected
    assert document["ratio"] == {"files": 0.5, "loc": 0.75}
    assert set(document["similarity"]) >= {"class", "method", "method_qualified", "namespace"}
    assert document["similarity"]["class"] == 1.0
    assert document["similarity"]["method_qualified"] == 0.25  # A.run of A.run, A.stop, helper, other
    assert document["generated"]["excluded"] == {"tests": 1}
    assert document["golden"]["parse_errors"] == {"files": 0, "places": 0}


def test_names_say_what_is_missing_and_what_is_new(trees: tuple[Path, Path]) -> None:
    options = ("--golden", trees[0], "--generated", trees[1], "--language", "py", "--names")
    names = underspec("structure", *options, "--json").json()["names"]
    assert names["method_qualified"] == {"common": ["A.run"], "missing": ["A.stop", "helper"], "extra": ["other"]}
    assert "missing methods with their owners: A.stop, helper" in underspec("structure", *options).out


def test_people_get_a_table(trees: tuple[Path, Path]) -> None:
    ran = underspec("structure", "--golden", trees[0], "--generated", trees[1], "--language", "python")
    assert ran.code == 0
    assert "files" in ran.out
    assert "50.0" in ran.out
    assert "generated: not counted: 1 tests" in ran.out


def test_nothing_to_compare_is_code_1_and_no_similarity(trees: tuple[Path, Path], tmp_path: Path) -> None:
    empty = make_tree(tmp_path / "empty", {})
    ran = underspec("structure", "--golden", trees[0], "--generated", empty, "--language", "Python", "--json")
    assert ran.code == 1
    document = ran.json()
    assert document["scored"] is False
    assert set(document["similarity"].values()) == {None}
    assert document["ratio"] == {"files": 0.0, "loc": 0.0}
    assert "no Python source file" in document["unscored"]


def test_wrong_use_is_code_2(trees: tuple[Path, Path], tmp_path: Path) -> None:
    options: dict[str, str | Path] = {"--golden": trees[0], "--generated": trees[1], "--language": "Python"}
    wrongs: tuple[dict[str, str | Path], ...] = (
        {"--golden": tmp_path / "none"},
        {"--language": "COBOL"},
        {"--in-scope": tmp_path / "none.txt"},
    )
    for wrong in wrongs:
        argv = [word for pair in {**options, **wrong}.items() for word in pair]
        ran = underspec("structure", *argv, "--json")
        assert ran.code == 2
        assert ran.out == ""
        assert "mend:" in ran.err


def test_scope_files_and_globs_choose_what_counts(trees: tuple[Path, Path], tmp_path: Path) -> None:
    globs = tmp_path / "scope.txt"
    globs.write_text("# what counts\n[golden]\npkg/a.py\n[generated]\nmain.py\n")
    published = tmp_path / "scope.json"
    published.write_text(
        json.dumps({"in_scope": {"original": ["pkg"], "original_files": [], "generated": ["main.py"]}})
    )
    options = ("structure", "--golden", trees[0], "--generated", trees[1], "--language", "Python", "--json")
    assert underspec(*options, "--in-scope", globs).json()["golden"]["files"] == 1
    assert underspec(*options, "--in-scope", published).json()["golden"]["files"] == 2
    ran = underspec(*options, "--in-scope", "pkg/b.py")
    assert ran.json()["golden"]["excluded"] == {"out_of_scope": 1}
    assert ran.code == 1  # nothing of the generated tree is in scope


def test_two_languages_are_compared_by_meaning(tmp_path: Path) -> None:
    golden = make_tree(
        tmp_path / "golden", {"a.py": "class A:\n    def __init__(self): ...\n    def do_it(self): ...\n"}
    )
    generated = make_tree(tmp_path / "generated", {"src/main/java/A.java": "class A { A() {} void doIt() {} }\n"})
    argv = ("--golden", golden, "--generated", generated, "--language", "Python", "--generated-language", "Java")
    document = underspec("structure", *argv, "--json").json()
    assert document["normalized_names"] is True
    assert document["similarity"]["method_qualified"] == 1.0
    assert document["generated"]["language"] == "Java"


def test_hostile_names_are_shown_without_effect(tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "tree", {"a.js": "const x = { '\x1b[2J': () => 1 };\n"})
    other = make_tree(tmp_path / "other", {"a.js": "function y() {}\n"})
    ran = underspec("structure", "--golden", tree, "--generated", other, "--language", "js", "--names")
    assert ran.code == 0
    assert "\x1b" not in ran.out
