"""Faults 48 to 53 of such measures, each made and each impossible here."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.structure.trees import compare, counted, make_tree, measure_texts
from underspec.grade.structure.source import read_text

CLASS = "class A:\n    def run(self):\n        return 1\n"


@pytest.mark.parametrize(
    ("golden", "generated"),
    [
        ({}, {}),
        ({}, {"a.py": CLASS}),
        ({"a.py": CLASS}, {}),
        ({"a.py": CLASS}, {"README.md": "class A: no source"}),
        ({"a.py": "X = 1\n"}, {"a.py": "X = 1\n"}),
        ({"a.py": CLASS}, {"tests/test_a.py": CLASS}),
    ],
)
def test_fault_48_where_nothing_was_extracted_there_is_no_score(
    tmp_path: Path, golden: dict[str, str], generated: dict[str, str]
) -> None:
    structure = compare(tmp_path, golden, generated)
    assert not structure.scored
    assert structure.unscored
    assert {structure.similarity(dimension) for dimension in structure.overlap} == {None}


def test_fault_48_two_trees_without_classes_are_not_alike_in_classes(tmp_path: Path) -> None:
    functions = {"a.py": "def run():\n    pass\n"}
    structure = compare(tmp_path, functions, functions)
    assert structure.scored
    assert structure.similarity("class_like") is None
    assert structure.similarity("method_qualified") == 1.0


def test_fault_48_a_deliverable_without_sources_can_be_told_from_a_task_without_any(tmp_path: Path) -> None:
    assert compare(tmp_path / "a", {"a.py": CLASS}, {}).nothing_generated
    assert not compare(tmp_path / "b", {}, {"a.py": CLASS}).nothing_generated


OWNED = {
    "Python": (
        "class A:\n\n    x = 1\n\n\n# text\n    def one(self):\n\n        pass\n\n    async def two(self): ...\n",
        {"A.one", "A.two"},
    ),
    "Ruby": (
        "class A\n  def one\n    if x\n      y do |z|\n      end\n    end\n  end\n\n  def two; end\nend\n",
        {"A.one", "A.two"},
    ),
    "Kotlin": (
        "class A {\n    fun one() { if (x) { y() } }\n\n    companion object {\n        fun two() = 1\n    }\n}\n",
        {"A.one", "A.two"},
    ),
    "C#": (
        "namespace N\n{\n    class A\n    {\n        int X { get; set; }\n\n"
        "        void One() { if (x) { } }\n        void Two() { }\n    }\n}\n",
        {"A.One", "A.Two"},
    ),
}


@pytest.mark.parametrize("language", OWNED)
def test_fault_49_owners_survive_blank_lines_and_inner_ends(language: str) -> None:
    text, expected = OWNED[language]
    measured = measure_texts(language, {"a": text})
    assert {f"{owner}.{name}" for owner, name, _ in measured.methods} == expected


@pytest.mark.parametrize("language", ["JavaScript", "TypeScript"])
def test_fault_50_calls_and_control_words_are_no_methods(language: str) -> None:
    text = """
    class A {
      run(x) {
        if (x) { this.call(x); }
        for (const y of x) { other(y) }
        while (ready(x)) { wait(); }
        switch (x) { case 1: go(); }
        try { risky() } catch (error) { report(error) }
        super.run(x);
        new Thing(x);
        return describe('it', function () { expect(x); });
      }
    }
    describe('suite', () => { it('works', () => { check(); }); });
    """
    assert {name for _, name, _ in measure_texts(language, {"a": text}).methods} == {"run"}


ENDINGS = {
    "JavaScript": (".js", ".mjs", ".cjs", ".jsx"),
    "TypeScript": (".ts", ".mts", ".cts", ".tsx"),
    "C++": (".cc", ".cpp", ".cxx", ".h", ".hpp", ".hh", ".hxx", ".inl", ".ipp", ".tpp"),
    "Kotlin": (".kt", ".kts"),
    "Python": (".py", ".pyw", ".pyi"),
    "Ruby": (".rb", ".rake"),
    "PHP": (".php", ".phtml"),
    "C#": (".cs", ".csx"),
}


@pytest.mark.parametrize("language", ENDINGS)
def test_fault_51_every_ending_of_a_language_is_read(tmp_path: Path, language: str) -> None:
    files = {f"source{number}{ending}": "" for number, ending in enumerate(ENDINGS[language])}
    make_tree(tmp_path, {**files, "LOUD" + ENDINGS[language][0].upper(): "", "other.txt": "", "noending": ""})
    assert len(counted(tmp_path, language)) == len(files) + 1


def test_fault_51_jsx_and_tsx_are_understood(tmp_path: Path) -> None:
    text = "export function View(props) { return <div onClick={() => go()}>function fake() {}</div>; }\n"
    for language, ending in (("JavaScript", "jsx"), ("TypeScript", "tsx")):
        structure = compare(tmp_path / ending, {f"a.{ending}": text}, {f"b.{ending}": text}, language)
        assert structure.similarity("method") == 1.0
        assert structure.golden.methods == 1
        assert structure.golden.parse_errors.files == 0


def test_fault_51_a_script_without_ending_is_told_by_its_first_line(tmp_path: Path) -> None:
    make_tree(tmp_path, {"bin/tool": "#!/usr/bin/env python3\nx = 1\n", "bin/other": "#!/bin/sh\n", "LICENSE": "text"})
    assert counted(tmp_path, "Python") == ["bin/tool"]


def test_fault_52_names_that_only_sound_like_tests_or_output_count(tmp_path: Path) -> None:
    sources = [
        "contest.py",
        "latest.py",
        "build/__init__.py",
        "build/env.py",
        "src/dist/a.py",
        "attest/b.py",
        "target/c.py",
    ]
    sources += [
        "protest/d.py",
        "testing/e.py",
        "bin/f.py",
        "out/g.py",
        "generated/h.py",
        "vendor/i.py",
        "greatest_test_of/j.py",
    ]
    make_tree(tmp_path, dict.fromkeys(sources, CLASS))
    assert counted(tmp_path, "Python") == sorted(sources)


@pytest.mark.parametrize(
    ("language", "paths"),
    [
        (
            "Java",
            [
                "src/main/java/a/Latest.java",
                "src/main/java/a/Contest.java",
                "src/main/java/a/ABTest.java",
                "com/x/build/A.java",
            ],
        ),
        ("JavaScript", ["src/latest.js", "build/tasks.js", "src/out/a.js", "lib/inspect.js"]),
        ("Go", ["latest.go", "contest/a.go", "build/b.go", "target/c.go"]),
        ("C#", ["Contest.cs", "Latest.cs", "Build/A.cs", "Attestation/B.cs"]),
        ("Rust", ["src/latest.rs", "src/build/mod.rs", "src/target/a.rs"]),
        ("C++", ["src/latest.cpp", "src/contest.h", "build/a.cpp"]),
        ("PHP", ["src/Contest.php", "src/Latest.php", "build/a.php"]),
        ("Kotlin", ["src/main/kotlin/Contest.kt", "build/a.kt"]),
        ("Ruby", ["lib/contest.rb", "lib/inspect.rb", "build/a.rb"]),
        ("Dart", ["lib/latest.dart", "lib/build/a.dart"]),
        ("TypeScript", ["src/latest.ts", "src/specification.ts", "src/testing.ts"]),
    ],
)
def test_fault_52_in_every_language(tmp_path: Path, language: str, paths: list[str]) -> None:
    make_tree(tmp_path, dict.fromkeys(paths, ""))
    assert counted(tmp_path, language) == sorted(paths)


@pytest.mark.parametrize("language", ["Python", "JavaScript", "Ruby", "Kotlin", "C#"])
def test_fault_53_a_table_of_52_kilobytes_takes_linear_time(language: str) -> None:
    from tests.structure.trees import spoken

    def seconds(rows: int) -> float:
        text = b"x = [\n" + b'  ["name", 1, 2.5, "a b c"],\n' * rows + b"]\n"
        one = spoken(language)
        start = time.process_time()
        read_text(text, one.grammar(""), one.key)
        return time.process_time() - start

    seconds(10)  # loads the grammar
    assert seconds(1800) < 1.0  # 52 KB; a quadratic pattern took 5.7 s
    assert seconds(4 * 1800) < 4.0
