"""On large real packages, what is found in Python is what Python's own parser finds."""

from __future__ import annotations

import sysconfig
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.structure.by_ast import qualified_methods
from underspec.grade.structure.source import read_text

STDLIB = Path(sysconfig.get_paths()["stdlib"])


def f1(files: Iterable[Path]) -> tuple[float, int]:
    """F1 of owner-qualified functions and methods, duplicates counted; and how many there are."""
    common = ours = theirs = 0
    for file in files:
        data = file.read_bytes()
        try:
            expected = Counter(qualified_methods(data))
        except SyntaxError:
            continue  # kept in the standard library to be wrong
        answer = read_text(data, "python", "python")
        found = Counter((owner, name) for _, owner, name, *_ in answer["methods"])
        common += (expected & found).total()
        ours += found.total()
        theirs += expected.total()
    return 2 * common / (ours + theirs), theirs


def test_in_a_large_package_every_method_is_found_with_its_owner() -> None:
    files = [
        path
        for name in ("asyncio", "email", "http", "json", "unittest", "xml")
        for path in (STDLIB / name).rglob("*.py")
    ]
    score, number = f1(sorted(files))
    assert number > 2000
    assert score == 1.0


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_in_the_whole_standard_library_owner_qualified_f1_is_above_0_995() -> None:
    files = [path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts and "lib2to3" not in path.parts]
    score, number = f1(sorted(files))
    assert number > 10_000
    assert score >= 0.995
