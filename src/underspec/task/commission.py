"""What a commission's hidden parts give to whom; :mod:`underspec.task.release` is where to get it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from underspec.artifact.canonical import digest_of, sha256_hex
from underspec.artifact.files import host_exhaustion
from underspec.errors import TaskError
from underspec.task.canary import blank_canaries, strip_markdown_canary
from underspec.task.finding import stop_at_errors
from underspec.task.layout import ACCEPTANCE, UNITS, VARIANTS, WORKSPACE
from underspec.task.model import Task, Unit, UnitsFile
from underspec.task.tree import Entry, read_tree
from underspec.task.unpack import make_folders, write_file

STARTER = "starter"
"""The variant that is nothing but the files that the agent starts with."""

_TEST_FILES = (".py", ".sh", ".js", ".mjs", ".ts", ".rb", ".go", ".java")


class Question(NamedTuple):
    """What the answering agent is asked about one unit."""

    unit: str
    text: str


class Requirement(NamedTuple):
    """What one unit requires, and whether the initial request leaves it out."""

    unit: str
    text: str
    initially_hidden: bool


def _units(task: Task) -> UnitsFile:
    if task.units is None:
        raise TaskError(
            "the task has no requirement units",
            file=UNITS,
            mend="write them, or choose a protocol that needs none (build)",
        )
    return task.units


def unit_questions(task: Task) -> tuple[Question, ...]:
    """All questions, in the units' order.

    Raises:
        TaskError: the task has no units.
    """
    units = _units(task)
    return tuple(Question(unit.id, units.question_of(unit)) for unit in units.units)


def unit_requirements(task: Task) -> tuple[Requirement, ...]:
    """What each unit requires, without question, answer and tests.

    Raises:
        TaskError: the task has no units.
    """
    return tuple(Requirement(unit.id, unit.requirement, unit.initially_hidden) for unit in _units(task).units)


def reference_units(task: Task) -> tuple[Unit, ...]:
    """The units whole, with reference answers.

    Raises:
        TaskError: the task has no units.
    """
    return _units(task).units


def unit_tests(task: Task) -> dict[str, tuple[str, ...]]:
    """Ids of each unit's tests.

    Raises:
        TaskError: the task has no units.
    """
    return {unit.id: unit.tests for unit in _units(task).units}


def _read(folder: Path) -> list[Entry]:
    return read_tree(folder, stop_at_errors, keep=lambda path: True) if folder.is_dir() else []


def acceptance_files(task: Task) -> dict[str, bytes]:
    """The private tests by path, with empty lines where canaries stood.

    Raises:
        TaskError: there are none, or they cannot be read.
    """
    entries = _read(task.path / ACCEPTANCE)
    if not entries:
        raise TaskError(
            "there are no acceptance tests", file=ACCEPTANCE, mend="write them; without them nothing passes"
        )
    return {entry.path: _without_canaries(entry) for entry in entries}


def _without_canaries(entry: Entry) -> bytes:
    content = entry.content or b""
    if b"canary" not in content:
        return content
    try:
        return blank_canaries(entry.path, content.decode()).encode()
    except UnicodeDecodeError:
        return content


def acceptance_digest(task: Task) -> str:
    """SHA-256 over tests, units' tests and the way tests are run: changes exactly when an acceptance may."""
    files = [[path, sha256_hex(content)] for path, content in sorted(acceptance_files(task).items())]
    units = sorted([unit, list(tests)] for unit, tests in unit_tests(task).items())
    return digest_of([files, units, task.toml.acceptance.model_dump(mode="json")])


def unit_source(task: Task, unit: str) -> str:
    """The source of one unit's tests, other units' tests in the same Python files left out.

    Raises:
        TaskError: the task has no such unit, or no tests.
    """
    tests = unit_tests(task).get(unit)
    if tests is None:
        raise TaskError(f"there is no requirement unit {unit!a}", file=UNITS, mend="choose one of the units' ids")
    files = {path: content for path, content in acceptance_files(task).items() if path.endswith(_TEST_FILES)}
    wanted: dict[str, set[str]] = {}
    for test in tests:
        module, _, name = test.rpartition("::")
        path = module.replace(".", "/") + ".py"
        for found in [path] if path in files else files:
            wanted.setdefault(found, set()).add(name)
    return "\n\n".join(
        f"# {path}\n{_only(files[path].decode(errors='replace'), names)}" for path, names in sorted(wanted.items())
    )


def _only(source: str, names: set[str]) -> str:
    """A Python file without the test functions that are not named; anything else as it is."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    lines = source.splitlines()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and node.name not in names:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            for number in range(first - 1, node.end_lineno or first):
                lines[number] = ""
    kept: list[str] = []
    for line in lines:
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).rstrip() + "\n"


def has_reference_alone(task: Task) -> bool:
    """Whether the task's golden deliverable is a variant of its own, and nothing that was published."""
    return task.toml.family == "commission" and task.golden is None and "reference" in variant_names(task)


def variant_names(task: Task) -> tuple[str, ...]:
    """The variants that the task has, in name order, without :data:`STARTER`."""
    folder = task.path / VARIANTS
    return tuple(sorted(one.name for one in folder.iterdir() if one.is_dir())) if folder.is_dir() else ()


def variant_deliverable(task: Task, name: str, into: Path) -> None:
    """Write a variant into the existing, empty folder ``into``: the starter files, and the variant's over them.

    Canaries stay in, so that a copy of it can be told wherever it turns up.

    Raises:
        TaskError: there is no such variant.
        HostExhaustedError: no space left.
    """
    if name != STARTER and name not in variant_names(task):
        known = ", ".join(variant_names(task)) or "none"
        raise TaskError(f"there is no variant {name!a}", file=VARIANTS, mend=f"choose one of: {known}")
    layers = [WORKSPACE] if name == STARTER else [WORKSPACE, f"{VARIANTS}/{name}"]
    with host_exhaustion(into):
        for entry in _overlaid(_read(task.path / layer) for layer in layers):
            target = into / entry.path
            make_folders(into, target.parent)
            write_file(target, entry.content or b"", executable=entry.executable)


def _overlaid(layers: Iterable[list[Entry]]) -> list[Entry]:
    return list({entry.path: entry for layer in layers for entry in layer}.values())


def requirement_text(task: Task, ground: str) -> str:
    """The complete requirement: ``ground`` without canaries, and the delivery interface below it."""
    text = strip_markdown_canary(ground).rstrip()
    if task.interface is not None:
        text += "\n\n" + strip_markdown_canary(task.interface).strip()
    return text + "\n"
