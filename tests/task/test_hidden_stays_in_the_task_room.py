"""Nothing outside ``underspec/task`` reaches into ``hidden/``: everything goes through ``task/release``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import underspec

PACKAGE = Path(underspec.__file__).parent
# What makes tasks writes their hidden parts; no run imports it (import-linter). The selftest writes a toy of its own.
MAKERS = ("task", "construct")
TOY = PACKAGE / "selftest" / "commission.py"
FILES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in MAKERS and "solutions" not in path.parts and path != TOY
)

# Parts of hidden paths. "hidden" alone is also the name of a group of cases (design section 1), so that it counts only
# where a path is made of it.
HIDDEN_NAMES = ("records.json", "golden.toml", "units.json", "hidden/requests", "hidden/cases", "hidden/variants")
PATH_MAKERS = {"joinpath", "Path", "PurePath", "PurePosixPath", "open", "join"}
INSIDE_ONLY = {
    *("underspec.task.tree", "underspec.task.golden", "underspec.task.strict", "underspec.task.fetch"),
    *("underspec.task.release.written", "underspec.task.release.refusing"),
}


def _docstrings(tree: ast.Module) -> set[int]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                found.add(id(first.value))
    return found


def _names_of_errors(tree: ast.Module) -> set[int]:
    """Strings that only say where an error lies: the value of ``file=``, or the first argument of ``*problem(...)``."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found |= {id(word.value) for word in node.keywords if word.arg in ("file", "mend")}
            if isinstance(node.func, ast.Name) and node.func.id.endswith("problem"):
                found |= {id(argument) for argument in node.args}
            if isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
                found |= {id(argument) for argument in node.args}
    return {inner for one in ast.walk(tree) if id(one) in found for inner in map(id, ast.walk(one))}


def reaches(source: str) -> Iterator[str]:
    """Places in a program that reach into a task's hidden folder."""
    tree = ast.parse(source)
    words = _docstrings(tree) | _names_of_errors(tree)
    for node in ast.walk(tree):
        place = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in words:
            if node.value.startswith("hidden/") or any(name in node.value for name in HIDDEN_NAMES):
                yield f"{place}: {node.value!r}"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            if any(isinstance(side, ast.Constant) and side.value == "hidden" for side in (node.left, node.right)):
                yield f"{place}: / 'hidden'"
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in PATH_MAKERS and any(
                isinstance(one, ast.Constant) and one.value == "hidden" for one in node.args
            ):
                yield f"{place}: {name}('hidden')"
        elif isinstance(node, ast.ImportFrom) and node.module in INSIDE_ONLY:
            yield f"{place}: imports {node.module}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_no_file_outside_reaches_into_hidden(file: Path) -> None:
    assert list(reaches(file.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "open(task.path / 'hidden' / 'x')",
        "(task.path / 'hidden/records.json').read_text()",
        "name = 'hidden/cases/native'",
        "task.path.joinpath('hidden')",
        "os.path.join(root, 'hidden')",
        "for f in root.rglob('golden.toml'): pass",
        "from underspec.task.golden import fetch_golden",
    ],
)
def test_the_search_finds_each_way_in(source: str) -> None:
    assert list(reaches(source))


@pytest.mark.parametrize(
    "source",
    [
        "suite('hidden')",
        "rates['hidden']",
        '"""About hidden/records.json."""',
        "raise TaskError('no', file='hidden/golden.toml')",
        "from underspec.task import release",
    ],
)
def test_the_search_leaves_honest_code_alone(source: str) -> None:
    assert not list(reaches(source))
