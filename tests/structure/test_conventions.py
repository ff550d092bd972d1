"""What counts as source and what does not: by convention, by evidence, and by scope."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.structure.trees import counted, make_tree, spoken
from underspec.grade.structure.scope import Scope
from underspec.grade.structure.walk import find_sources

LEFT_OUT = {
    "Python": [
        "tests/test_a.py",
        "test_b.py",
        "c_test.py",
        "conftest.py",
        "pkg/tests/helper.py",
        "setup.py",
        "rcb_tests/run.py",
    ],
    "JavaScript": [
        "node_modules/x/index.js",
        "a.test.js",
        "__tests__/b.js",
        "dist/c.js",
        "coverage/d.js",
        "spec/e.js",
        "x.min.js",
    ],
    "TypeScript": ["src/a.spec.ts", "dist/b.d.ts", "node_modules/c.ts", "jest.config.ts"],
    "Java": [
        "src/test/java/A.java",
        "target/generated/B.java",
        "x/CTest.java",
        "x/TestD.java",
        "src/integrationTest/E.java",
    ],
    "Kotlin": ["src/commonTest/kotlin/A.kt", "build/generated/B.kt", "build.gradle.kts", "CTest.kt"],
    "Go": ["a_test.go", "vendor/x/b.go", "testdata/c.go", "_examples/d.go", "x.pb.go"],
    "Rust": ["tests/a.rs", "target/debug/b.rs", "build.rs", "src/tests.rs", "benches/c.rs"],
    "C#": ["bin/Debug/A.cs", "obj/B.cs", "App.Tests/C.cs", "DTests.cs", "E.Designer.cs", "F.g.cs"],
    "C++": ["tests/a.cpp", "build/CMakeFiles/b.cpp", "build/c.cpp", "d_test.cc", "third_party/e.h", "x_unittest.cc"],
    "PHP": ["vendor/x/A.php", "tests/B.php", "src/CTest.php"],
    "Ruby": ["spec/a_spec.rb", "test/b.rb", "vendor/bundle/c.rb", "Rakefile.rb"],
    "Dart": ["test/a_test.dart", "build/b.dart", ".dart_tool/c.dart", "lib/d.g.dart", "lib/e.freezed.dart"],
}
MANIFESTS = {
    "JavaScript": "package.json",
    "TypeScript": "package.json",
    "Java": "pom.xml",
    "Kotlin": "build.gradle.kts",
    "Go": "go.mod",
    "Rust": "Cargo.toml",
    "C#": "App.csproj",
    "C++": "build/CMakeCache.txt",
    "PHP": "composer.json",
    "Ruby": "Gemfile",
    "Dart": "pubspec.yaml",
}


@pytest.mark.parametrize("language", LEFT_OUT)
def test_tests_output_vendored_and_generated_files_are_left_out_and_counted(tmp_path: Path, language: str) -> None:
    source = "src/main" + spoken(language).endings[0]
    files = [source, *LEFT_OUT[language]]
    make_tree(tmp_path, dict.fromkeys(files, ""))
    if language in MANIFESTS:
        make_tree(tmp_path, {MANIFESTS[language]: ""})
    found = find_sources(tmp_path, spoken(language))
    assert [path for path, _ in found.files] == [source]
    assert sum(found.excluded.values()) == len(LEFT_OUT[language])


def test_what_setuptools_leaves_in_build_is_output(tmp_path: Path) -> None:
    make_tree(tmp_path, {"pkg/a.py": "", "build/lib/pkg/a.py": "", "build/bdist.linux-x86_64/x.py": ""})
    assert counted(tmp_path, "Python") == ["pkg/a.py"]


def test_a_manifest_of_another_build_claims_nothing(tmp_path: Path) -> None:
    make_tree(tmp_path, {"package.json": "{}", "build/core.py": "", "dist/net.py": ""})
    assert counted(tmp_path, "Python") == ["build/core.py", "dist/net.py"]


def test_a_stub_beside_its_source_is_not_counted_twice(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.py": "", "a.pyi": "", "only.pyi": ""})
    assert counted(tmp_path, "Python") == ["a.py", "only.pyi"]


def test_scope_globs_choose_and_refuse(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.py": "", "src/deep/b.py": "", "src/old/c.py": "", "tools/d.py": "", "e.py": ""})
    assert counted(tmp_path, "Python", "src") == ["src/a.py", "src/deep/b.py", "src/old/c.py"]
    assert counted(tmp_path, "Python", "src/**", "!src/old") == ["src/a.py", "src/deep/b.py"]
    assert counted(tmp_path, "Python", "src/*.py", "tools") == ["src/a.py", "tools/d.py"]
    assert counted(tmp_path, "Python", "src/?.py") == ["src/a.py"]
    assert counted(tmp_path, "Python", "./tools/", "e.py") == ["e.py", "tools/d.py"]
    assert counted(tmp_path, "Python", "[ab].py") == ["src/a.py", "src/deep/b.py"]
    assert counted(tmp_path, "Python", "!tools") == ["e.py", "src/a.py", "src/deep/b.py", "src/old/c.py"]


def test_a_star_stays_in_its_folder_and_two_do_not(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.py": "", "src/deep/b.py": "", "src/deep/er/c.py": ""})
    assert counted(tmp_path, "Python", "src/*/b.py") == ["src/deep/b.py"]
    assert counted(tmp_path, "Python", "src/**/*.py") == ["src/a.py", "src/deep/b.py", "src/deep/er/c.py"]


def test_a_folder_that_the_scope_names_is_not_judged_by_its_name(tmp_path: Path) -> None:
    make_tree(
        tmp_path, {"package.json": "", "dist/index.js": "", "dist/a.test.js": "", "tests/lib/b.js": "", "c.js": ""}
    )
    assert counted(tmp_path, "JavaScript") == ["c.js"]
    assert counted(tmp_path, "JavaScript", "dist/**") == ["dist/index.js"]
    assert counted(tmp_path, "JavaScript", "tests/lib") == ["tests/lib/b.js"]
    assert counted(tmp_path, "JavaScript", "dist/a.test.js") == ["dist/a.test.js"]


def test_what_is_out_of_scope_is_counted(tmp_path: Path) -> None:
    make_tree(tmp_path, {"src/a.py": "", "b.py": ""})
    found = find_sources(tmp_path, spoken("Python"), Scope.of(["src"]).golden)
    assert found.excluded == {"out_of_scope": 1}
