"""Whether a commission's units, tests and variants belong together (SWE-Clar 2.4, A, B.3)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from underspec.task.canary import strip_markdown_canary
from underspec.task.finding import Finding, error, warning
from underspec.task.layout import (
    ACCEPTANCE,
    EQUIVALENT,
    INCORRECT,
    INTERFACE,
    REFERENCE,
    UNITS,
    VARIANTS,
    WORKSPACE,
    variant_of,
)
from underspec.task.load import Parts
from underspec.task.model import Unit, UnitsFile
from underspec.task.tree import read_file

_TELLING = re.compile(r"[\d\"`“”]")
_SPACE = re.compile(r"\s+")


def check_commission(parts: Parts) -> Iterator[Finding]:
    """Presence of the parts, then units against tests and variants. A repository task may have units too."""
    is_commission = parts.toml is not None and parts.toml.family == "commission"
    if is_commission:
        yield from _presence(parts)
    else:
        yield from _units_alone(parts)
    if parts.units is None:
        return
    yield from _units(parts, parts.units)
    yield from _tests(parts, parts.units)
    if is_commission:
        yield from _variants(parts, parts.units)


def _presence(parts: Parts) -> Iterator[Finding]:
    needed = (
        (UNITS, "write the requirement units; without them nothing can be asked or accepted"),
        (INTERFACE, "say how the software is invoked, what it takes and what it gives"),
    )
    for path, mend in needed:
        if not parts.has(path):
            yield error(path, "is missing", mend=mend)
    for folder, mend in (
        (ACCEPTANCE, "write the private tests; without them nothing passes"),
        (REFERENCE, "write an implementation that passes every test"),
        (EQUIVALENT, "write another implementation that is right, so that tests which know the first one fail on it"),
    ):
        if not parts.below(folder):
            yield error(folder, "there is no file", mend=mend)
    initial, ground = (parts.requests.get(name) for name in ("initial", "ground"))
    if initial and ground and _plain(initial) == _plain(ground):
        mend = "leave out what an agent should ask for"
        yield error("hidden/requests/initial.md", "says all that ground.md says", mend=mend)


def _units_alone(parts: Parts) -> Iterator[Finding]:
    """A repository task may do without both, and then it is for the protocol ``build`` alone."""
    if parts.has(UNITS) and not parts.below(ACCEPTANCE):
        mend = "write the private tests, or remove the units; as it is, the task is for the protocol build alone"
        yield warning(ACCEPTANCE, "there is no file, so nothing can be accepted and nobody clarifies first", mend=mend)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", strip_markdown_canary(text)).strip()


def _units(parts: Parts, units: UnitsFile) -> Iterator[Finding]:
    topics: dict[str, str] = {}
    for place, unit in enumerate(units.units):
        where = f"$.units[{place}]"
        for field in ("requirement", "answer", "topic"):
            if not getattr(unit, field).strip():
                yield error(UNITS, f"the {field} of {unit.id} is blank", where=f"{where}.{field}", mend="write it")
        if _TELLING.search(unit.topic):
            message = f"the topic of {unit.id} holds a number or a quotation, which may give the answer away"
            yield warning(UNITS, message, where=f"{where}.topic", mend="name the topic in plain words")
        if unit.question is not None:
            message = f"{unit.id} has a question of its own"
            mend = "leave it out, so that every question comes from the template and names a topic only"
            yield warning(UNITS, message, where=f"{where}.question", mend=mend)
        first = topics.setdefault(unit.topic.casefold().strip(), unit.id)
        if first != unit.id:
            message = f"{unit.id} has the topic of {first}, so that both are asked the same"
            yield error(UNITS, message, where=f"{where}.topic", mend="name each unit's own topic")
    if not any(unit.initially_hidden for unit in units.units):
        message = "no unit is initially hidden, so that nothing is left to ask"
        yield warning(UNITS, message, where="$.units", mend="leave something out of the initial request, and mark it")


def _tests(parts: Parts, units: UnitsFile) -> Iterator[Finding]:
    """Units name the tests that there are. What another command would find is not known before it has run."""
    if parts.toml is None or parts.toml.acceptance.command is not None or not parts.below(ACCEPTANCE):
        return
    known: dict[str, tuple[str, int]] = {}
    for entry in parts.below(ACCEPTANCE):
        name = entry.path.removeprefix(ACCEPTANCE + "/")
        if "/" not in name and name.startswith("test_") and name.endswith(".py"):
            yield from _tests_of(parts, entry.path, name.removesuffix(".py"), known)
    for place, unit in enumerate(units.units):
        for number, test in enumerate(unit.tests):
            if test not in known:
                message = f"{unit.id} names the test {test!a}, which is not there"
                mend = "write <file without .py>::<function>, as in test_totals::test_an_empty_list"
                yield error(UNITS, message, where=f"$.units[{place}].tests[{number}]", mend=mend)
    for test in sorted(set(known) - set(units.tests)):
        path, line = known[test]
        mend = "name it in the unit whose requirement it tests, or remove it"
        yield error(path, f"the test {test!a} belongs to no unit", where=f"line {line}", mend=mend)


def _tests_of(parts: Parts, path: str, module: str, known: dict[str, tuple[str, int]]) -> Iterator[Finding]:
    read = read_file(parts.root, path, lambda finding: None)
    try:
        tree = ast.parse(read.content if read and read.content else b"", filename=path)
    except (SyntaxError, ValueError) as problem:
        where = f"line {problem.lineno}" if isinstance(problem, SyntaxError) and problem.lineno else None
        yield error(path, "is not Python", where=where, mend="correct the syntax there")
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            test = f"{module}::{node.name}"
            if test in known:
                message = f"there are two functions {node.name}, of which only the second would run"
                yield error(path, message, where=f"line {node.lineno}", mend="give each test a name of its own")
            known[test] = (path, node.lineno)


def _variants(parts: Parts, units: UnitsFile) -> Iterator[Finding]:
    targets = {
        variant.removeprefix("incorrect-"): variant
        for entry in parts.below(VARIANTS)
        if (variant := variant_of(entry.path)) and variant.startswith("incorrect-")
    }
    ids = [unit.id for unit in units.units]
    for target, variant in sorted(targets.items()):
        if target not in ids:
            mend = f"call it {INCORRECT}<unit>, with one of {', '.join(ids)}"
            yield error(f"{VARIANTS}/{variant}", f"is wrong about {target!a}, which is no unit", mend=mend)
    for unit in units.units:
        if unit.id not in targets:
            yield _without_variant(unit)
    reference = _hashes(parts, "reference")
    starter = {entry.path.removeprefix(WORKSPACE + "/"): entry.sha256 for entry in parts.below(WORKSPACE)}
    for variant in ("equivalent", *sorted(targets.values())):
        theirs = _hashes(parts, variant)
        if theirs and reference and {**starter, **theirs} == {**starter, **reference}:
            yield error(f"{VARIANTS}/{variant}", "is the reference, file for file", mend="write what it is meant to be")


def _without_variant(unit: Unit) -> Finding:
    mend = f"write one that is right in everything but {unit.id}"
    return warning(f"{INCORRECT}{unit.id}", f"nothing shows that the tests of {unit.id} notice a fault", mend=mend)


def _hashes(parts: Parts, variant: str) -> dict[str, str]:
    folder = f"{VARIANTS}/{variant}"
    return {entry.path.removeprefix(folder + "/"): entry.sha256 for entry in parts.below(folder)}
