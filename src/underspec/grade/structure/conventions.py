"""What a tree holds besides its sources: tests, build output, vendored code, generated files, build scripts.

Names alone are not believed where they are ordinary words. ``build/`` is build output when something beside it or
inside it says so, and a source folder otherwise; ``latest.py`` and ``contest.py`` are no tests.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

TEST_FOLDERS = frozenset(
    {"test", "tests", "__tests__", "__mocks__", "__fixtures__", "testdata", "test-data", "rcb_tests"}
)
_TEST_FOLDERS_OF = {
    "javascript": frozenset({"spec", "specs", "e2e", "cypress"}),
    "typescript": frozenset({"spec", "specs", "e2e", "cypress"}),
    "ruby": frozenset({"spec", "specs", "features"}),
    "dart": frozenset({"integration_test", "test_driver"}),
    "cpp": frozenset({"unittest", "unittests", "gtest", "googletest"}),
    "rust": frozenset({"benches"}),
    "php": frozenset({"spec"}),
}
# Gradle's and Maven's source sets, and .NET's test projects.
_TEST_FOLDER_NAMES = {
    "java": re.compile(r"(?:[a-z]\w*Test|testFixtures)"),
    "kotlin": re.compile(r"(?:[a-z]\w*Test|testFixtures)"),
    "csharp": re.compile(r".*\.(?:(?:[Uu]nit|[Ii]ntegration|[Ff]unctional|[Aa]cceptance)?[Tt]ests?|Specs)"),
}
_CAMEL = r".+(?:Tests?|TestCase)|.*[a-z0-9_]IT|Tests|Test[A-Z0-9_].*"
_TEST_STEMS = {
    "python": re.compile(r"test_.*|.*_test|tests?|conftest"),
    "javascript": re.compile(r".*[._-](?:test|spec|e2e)|tests?"),
    "typescript": re.compile(r".*[._-](?:test|spec|e2e|test-d)|tests?"),
    "go": re.compile(r".*_test|[._].*"),
    "rust": re.compile(r"tests?|.*_tests?|test_.*"),
    "ruby": re.compile(r".*_(?:spec|test)|test_.*|spec_helper"),
    "dart": re.compile(r".*_test"),
    "cpp": re.compile(r".*[._-](?:unit)?tests?|(?:unit)?tests?[._-].*|.+Tests?"),
    "java": re.compile(_CAMEL),
    "kotlin": re.compile(_CAMEL),
    "csharp": re.compile(r".+(?:Tests?|TestCase)|Tests"),
    "php": re.compile(r".+(?:Test|TestCase|Cest)"),
}

VENDORED_FOLDERS = frozenset(
    {"node_modules", "bower_components", "jspm_packages", "site-packages", "third_party", "third-party", "thirdparty"}
    | {"3rdparty", "Pods", "Carthage"}
)
CACHE_FOLDERS = frozenset({"__pycache__", "CMakeFiles", "htmlcov", "DerivedData"})
_CACHE_FOLDER = re.compile(r".*\.egg-info|cmake-build-.*|bazel-(?:bin|out|testlogs|genfiles)")

_GENERATED_NAME = re.compile(
    r".*_pb2(?:_grpc)?\.pyi?|.*\.pb\.(?:go|cc|h)|.*\.g(?:\.i)?\.(?:cs|dart)|.*\.designer\.cs"
    r"|.*\.(?:freezed|mocks|gr|config|pb|pbenum|pbgrpc|pbjson)\.dart|.*[.-]min\.[cm]?js|moc_.*\.cpp|.*_generated\.(?:rs|go|h|ts)",
    re.IGNORECASE,
)
_BUILD_SCRIPT = re.compile(
    r"setup\.py|noxfile\.py|.*\.config\.[cm]?[jt]s|(?:gulp|grunt)file\.[cm]?[jt]s|.*\.gradle\.kts|build\.rs|rakefile(?:\.rb)?",
    re.IGNORECASE,
)
_MANIFESTS = {
    "package.json": "npm",
    "pom.xml": "maven",
    "build.gradle": "gradle",
    "build.gradle.kts": "gradle",
    "settings.gradle": "gradle",
    "settings.gradle.kts": "gradle",
    "Cargo.toml": "cargo",
    "pubspec.yaml": "pub",
    "go.mod": "go",
    "composer.json": "composer",
    "Gemfile": "bundler",
    "setup.py": "python",
    "setup.cfg": "python",
    "pyproject.toml": "python",
    ".project": "eclipse",
    "CMakeLists.txt": "cmake",
}
# A folder of this name beside a manifest of this kind is where the build puts things.
_OUTPUTS = {
    "npm": frozenset({"dist", "build", "out", "coverage"}),
    "maven": frozenset({"target"}),
    "gradle": frozenset({"build", "out"}),
    "cargo": frozenset({"target"}),
    "pub": frozenset({"build"}),
    "dotnet": frozenset({"bin", "obj"}),
    "eclipse": frozenset({"bin"}),
    "bundler": frozenset({"pkg", "coverage"}),
    "composer": frozenset({"coverage"}),
}
# Which builds may claim a folder from sources of a language; a package.json beside a Python package claims nothing.
_BUILDS = {
    "javascript": frozenset({"npm"}),
    "typescript": frozenset({"npm"}),
    "java": frozenset({"maven", "gradle", "eclipse"}),
    "kotlin": frozenset({"maven", "gradle", "eclipse"}),
    "rust": frozenset({"cargo"}),
    "dart": frozenset({"pub"}),
    "csharp": frozenset({"dotnet"}),
    "ruby": frozenset({"bundler"}),
    "php": frozenset({"composer"}),
}
_OUTPUT_NAMES = frozenset({"build", "dist", "out", "output", "target", "bin", "obj", "_build", "pkg", "coverage"})
# What only a build leaves in such a folder, and a dot at the end for a beginning.
_MARKS = frozenset({"CMakeCache.txt", "CACHEDIR.TAG", "build.ninja", ".ninja_log", "maven-status", "generated-sources"})
_GRADLE_MARKS = frozenset({"classes", "libs", "tmp", "reports", "intermediates", "kotlin", "generated", "test-results"})
_CONFIGURATIONS = frozenset({"Debug", "Release", "debug", "release"})
_PYTHON_MARK = re.compile(r"(?:bdist|lib|temp)\.[\w.-]+|lib")


@dataclass(frozen=True)
class Folder:
    """What a judgement on one entry of a folder needs: the names of the files and folders beside it."""

    files: Collection[str]
    folders: Collection[str]

    def builds(self) -> set[str]:
        """The build systems whose manifests lie here."""
        kinds = {_MANIFESTS[name] for name in self.files if name in _MANIFESTS}
        if any(name.endswith((".csproj", ".fsproj", ".vbproj", ".sln", ".slnx")) for name in self.files):
            kinds.add("dotnet")
        return kinds


def folder_reason(name: str, beside: Folder, inside: Folder, language: str) -> str | None:
    """Why a folder's sources do not count: ``hidden``, ``tests``, ``vendored`` or ``build``; None when they do."""
    if name.startswith("."):
        return "hidden"
    if name.lower() in TEST_FOLDERS or name.lower() in _TEST_FOLDERS_OF.get(language, ()):
        return "tests"
    if (pattern := _TEST_FOLDER_NAMES.get(language)) and pattern.fullmatch(name):
        return "tests"
    if language == "go" and name.startswith("_"):
        return "hidden"
    if name in VENDORED_FOLDERS or "pyvenv.cfg" in inside.files:
        return "vendored"
    if name == "vendor" and _is_vendored(beside, inside):
        return "vendored"
    if name in CACHE_FOLDERS or _CACHE_FOLDER.fullmatch(name):
        return "build"
    return "build" if _is_output(name, beside, inside, language) else None


def _is_vendored(beside: Folder, inside: Folder) -> bool:
    return bool(
        {"modules.txt", "autoload.php"} & set(inside.files)
        or {"bundle", "golden"} & set(inside.folders)
        or beside.builds() & {"go", "composer", "bundler", "npm", "cargo", "python", "cmake"}
    )


def _is_output(name: str, beside: Folder, inside: Folder, language: str) -> bool:
    if _MARKS & set(inside.files) or _MARKS & set(inside.folders):
        return name in _OUTPUT_NAMES or name.startswith(("build", "cmake"))
    if name not in _OUTPUT_NAMES:
        return False
    if language == "python":
        # setuptools leaves folders alone here; a package has files.
        return (
            name == "build"
            and bool(inside.folders)
            and all(map(_PYTHON_MARK.fullmatch, inside.folders))
            and (not inside.files)
        )
    claiming = beside.builds() & _BUILDS.get(language, frozenset())
    if any(name in _OUTPUTS[kind] for kind in claiming):
        return True
    if name in ("target", "bin", "obj", "build", "out") and inside.folders and not inside.files:
        folders = set(inside.folders)
        return folders <= _CONFIGURATIONS or (name == "build" and folders <= _GRADLE_MARKS and "classes" in folders)
    return False


def file_reason(path: str, language: str) -> str | None:
    """Why a source file does not count: ``hidden``, ``tests``, ``generated`` or ``build_script``; None when it does."""
    *folders, name = path.split("/")
    if name.startswith("."):
        return "hidden"
    if _GENERATED_NAME.fullmatch(name):
        return "generated"
    if _BUILD_SCRIPT.fullmatch(name):
        return "build_script"
    # In Maven's and Gradle's main sources nothing is a test, whatever it is called.
    if language in ("java", "kotlin") and any(pair == ("src", "main") for pair in pairwise(folders)):
        return None
    stem = name.rpartition(".")[0] or name
    pattern = _TEST_STEMS[language]
    return "tests" if pattern.fullmatch(stem) else None
