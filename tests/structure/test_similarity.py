"""What similarity means: laws, and the same tree across languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.structure.trees import compare, make_tree, measure_texts, spoken
from underspec.artifact.structure import Structure, TreeSize
from underspec.grade.structure.compare import compare_measured, compare_structure, without_common_root
from underspec.grade.structure.measure import Measured
from underspec.grade.structure.names import normal

NAMES = st.text(st.sampled_from("abAB_"), min_size=1, max_size=3)
DIMENSIONS = ("class_like", "method", "method_qualified", "namespace", "namespace_relative")


@st.composite
def trees(draw: st.DrawFn) -> Measured:
    classes = draw(st.sets(NAMES, max_size=5))
    methods = draw(st.sets(st.tuples(NAMES | st.just(""), NAMES, st.booleans()), max_size=8))
    namespaces = draw(st.sets(st.lists(NAMES, min_size=1, max_size=3).map(".".join), max_size=4))
    size = TreeSize(
        language="Python",
        files=draw(st.integers(0, 3)),
        loc=draw(st.integers(0, 9)),
        classes=len(classes),
        methods=len(methods),
        namespaces=len(namespaces),
    )
    return Measured(size, classes, methods, namespaces)


def figures(structure: Structure) -> list[float | None]:
    return [structure.similarity(dimension) for dimension in DIMENSIONS]


@given(trees(), trees(), st.booleans())
def test_similarity_lies_between_0_and_1_and_is_symmetric(one: Measured, other: Measured, normalize: bool) -> None:
    there = compare_measured(one, other, normalize=normalize).structure
    back = compare_measured(other, one, normalize=normalize).structure
    assert figures(there) == figures(back)
    assert there.scored == back.scored
    assert all(value is None or 0 <= value <= 1 for value in figures(there))


@given(trees(), st.booleans())
def test_a_tree_is_wholly_like_itself_or_not_scored(tree: Measured, normalize: bool) -> None:
    structure = compare_measured(tree, tree, normalize=normalize).structure
    assert structure.scored == tree.size.extracted
    assert set(figures(structure)) <= ({1.0, None} if structure.scored else {None})


@given(trees(), trees())
def test_what_is_common_is_no_more_than_either_has(one: Measured, other: Measured) -> None:
    for overlap in compare_measured(one, other, normalize=False).structure.overlap.values():
        assert 0 <= overlap.common <= min(overlap.golden, overlap.generated)
        assert (overlap.similarity == 1.0) == (overlap.common == overlap.golden == overlap.generated > 0)


@given(trees())
def test_the_artifact_survives_its_file(tree: Measured) -> None:
    structure = compare_measured(tree, tree, normalize=True).structure
    assert Structure.from_bytes(structure.to_bytes(), file="structure.json") == structure


@given(st.lists(st.lists(NAMES, min_size=1, max_size=4).map(".".join), max_size=6))
def test_the_common_root_is_all_that_is_taken_away(names: list[str]) -> None:
    relative = without_common_root(names)
    assert len(relative) == len(set(names))
    for name in names:
        assert any(name == rest or rest == "." or name.endswith("." + rest) for rest in relative)


FILES = {
    "pkg/core.py": "class Stack:\n    def push(self): ...\n    def pop(self): ...\n",
    "pkg/io.py": "def load(): ...\n\nclass Reader:\n    def read(self): ...\n",
    "pkg/net.py": "class Client:\n    def read(self): ...\n",
}


def test_the_order_and_place_of_files_and_the_number_of_workers_change_nothing(tmp_path: Path) -> None:
    many = {**FILES, **{f"pkg/more{number}.py": f"class M{number}: ...\n" for number in range(100)}}
    golden = make_tree(tmp_path / "golden", many)
    other = make_tree(tmp_path / "other", dict(reversed(many.items())))
    results = {
        compare_structure(golden, folder, spoken("Python"), workers=workers).structure.to_bytes()
        for folder in (golden, other)
        for workers in (1, 2, 3)
    }
    assert len(results) == 1


def test_bare_names_do_not_show_what_owners_do(tmp_path: Path) -> None:
    methods = "".join(f"    def {name}(self): ...\n" for name in ("push", "pop", "read"))
    one_file = {"main.py": f"class Adapter:\n{methods}\ndef load(): ...\n"}
    structure = compare(tmp_path, FILES, one_file)
    assert structure.similarity("method") == 1.0
    assert structure.similarity("method_qualified") == pytest.approx(1 / 8)  # load alone; 5 golden, 4 generated
    assert structure.similarity("class_like") == 0.0
    assert structure.similarity("namespace") == 0.0
    assert structure.file_ratio == pytest.approx(1 / 3)
    assert structure.loc_ratio == pytest.approx(5 / 8)


def test_a_renamed_root_shows_in_namespaces_and_not_in_relative_ones(tmp_path: Path) -> None:
    renamed = {path.replace("pkg/", "other/"): text for path, text in FILES.items()}
    structure = compare(tmp_path, FILES, renamed)
    assert structure.similarity("namespace") == 0.0
    assert structure.similarity("namespace_relative") == 1.0


def test_overloads_partial_classes_and_declarations_are_one_definition() -> None:
    java = {"A.java": "class A { void f(int a) {} void f(String a) {} }"}
    assert measure_texts("Java", java).size.methods == 1
    parts = {
        "A.cs": "namespace N { partial class A { void F() {} } }",
        "B.cs": "namespace N { partial class A { void G() {} } }",
    }
    assert measure_texts("C#", parts).size.classes == 1
    cpp = {
        "a.h": "namespace n { class A { public: A(); void f(); static int g(); }; int free(int); }",
        "a.cpp": "n::A::A() {}\nvoid n::A::f() {}\nnamespace n { int A::g() { return 1; } int free(int) {} }",
    }
    measured = measure_texts("C++", cpp)
    assert {(owner, name) for owner, name, _ in measured.methods} == {("A", "A"), ("A", "f"), ("A", "g"), ("", "free")}
    assert (measured.size.classes, measured.size.methods) == (1, 4)


def test_functions_of_one_name_in_two_modules_are_two() -> None:
    text = "def main(): ...\n"
    assert measure_texts("Python", {"a.py": text, "b.py": text}).size.methods == 2
    assert (
        measure_texts(
            "Go", {"a/x.go": "package main\nfunc main() {}", "b/x.go": "package main\nfunc main() {}"}
        ).size.methods
        == 2
    )


PYTHON = """
class HttpClient:
    def __init__(self): ...
    def send_request(self): ...
    def _close_all(self): ...
    def is_open(self): ...
    def __eq__(self, other): ...

def parse_json(): ...
"""
OTHERS = {
    "Java": """
class HttpClient {
    HttpClient() {}
    void sendRequest() {}
    void closeAll() {}
    boolean isOpen() { return true; }
    public boolean equals(Object o) { return true; }
}
""",
    "C#": """
class HttpClient {
    HttpClient() {}
    void SendRequest() {}
    void CloseAll() {}
    bool IsOpen() => true;
    public override bool Equals(object o) => true;
}
""",
    "TypeScript": """
class HTTPClient { constructor() {} sendRequest() {} #closeAll() {} isOpen() {} equals(o) {} }
export const parseJson = () => 1;
""",
    "Ruby": """
class HttpClient
  def initialize; end
  def send_request; end
  def close_all!; end
  def is_open?; end
  def ==(o); end
end
""",
    "Kotlin": """
class HttpClient {
    constructor() {}
    fun sendRequest() {}
    fun closeAll() {}
    fun isOpen() = true
    override fun equals(o: Any) = true
}
""",
    "PHP": """<?php
class HttpClient {
    function __construct() {}
    function sendRequest() {}
    function closeAll() {}
    function isOpen() {}
    function equals() {}
}
""",
    "Rust": """
struct HttpClient;
impl HttpClient { fn send_request(&self) {} fn close_all(&self) {} fn is_open(&self) {} }
impl PartialEq for HttpClient { fn eq(&self, o: &Self) -> bool { true } }
""",
}


@pytest.mark.parametrize("language", OTHERS)
def test_names_are_compared_across_the_habits_of_two_languages(language: str) -> None:
    golden = measure_texts("Python", {"http.py": PYTHON})
    generated = measure_texts(language, {"http": OTHERS[language]})
    comparison = compare_measured(golden, generated, normalize=True)
    shared = comparison.golden.sets["method_qualified"] & comparison.generated.sets["method_qualified"]
    assert {"httpclient.sendrequest", "httpclient.closeall", "httpclient.isopen", "httpclient.equals"} <= shared
    assert ("httpclient.constructor" in shared) == (language != "Rust")
    assert "httpclient" in comparison.golden.sets["class_like"] & comparison.generated.sets["class_like"]


def test_in_one_language_names_are_compared_as_they_are(tmp_path: Path) -> None:
    structure = compare(tmp_path, {"a.py": "def parse_json(): ...\n"}, {"a.py": "def parseJSON(): ...\n"})
    assert not structure.normalized
    assert structure.similarity("method") == 0.0


def test_two_languages_with_the_same_habits_are_compared_as_they_are(tmp_path: Path) -> None:
    text = "export class A { run() {} }\n"
    structure = compare(tmp_path, {"a.js": text}, {"a.ts": text}, "JavaScript", "TypeScript")
    assert not structure.normalized
    assert figures(structure) == [1.0, 1.0, 1.0, 1.0, 1.0]


@given(st.text(min_size=1, max_size=8))
def test_normal_names_are_normal_already(name: str) -> None:
    assert normal(name)
    assert normal(normal(name)) == normal(name)
