"""How the three suites relate: public ⊂ native, enhanced apart from native, nothing twice, nothing contradictory."""

from __future__ import annotations

from collections.abc import Iterator

from underspec.artifact.outcomes import SUITES, SuiteName
from underspec.task.cases import Key, case_key
from underspec.task.finding import Finding, error
from underspec.task.layout import case_path
from underspec.task.load import Parts


def _cases(parts: Parts, suite: SuiteName) -> Iterator[tuple[str, str, Key]]:
    """File, place and key of each case of a suite."""
    for stem, file in sorted(parts.cases[suite].items()):
        for index, case in enumerate(file.cases):
            yield case_path(suite, stem), f"$.cases[{index}]", case_key(case)


def check_suites(parts: Parts) -> Iterator[Finding]:
    """Compare all cases with each other, by input and expected output."""
    outputs: dict[str, tuple[str, str]] = {}
    by_suite: dict[SuiteName, dict[Key, str]] = {}
    for suite in SUITES:
        seen = by_suite.setdefault(suite, {})
        for file, where, key in _cases(parts, suite):
            place = f"{file} {where}"
            if key in seen:
                yield error(file, f"is the same case as {seen[key]}", where=where, mend="remove one of the two")
            seen.setdefault(key, place)
            output, first = outputs.setdefault(key[0], (key[1], place))
            if output != key[1]:
                message = f"has the input of {first}, but another expected output"
                mend = "find out which one is right; one input can have one output only"
                yield error(file, message, where=where, mend=mend)
    for file, where, key in _cases(parts, "public"):
        if key not in by_suite["native"]:
            mend = "add it to the native suite; public cases are a part of it"
            yield error(file, "is no native case", where=where, mend=mend)
    for file, where, key in _cases(parts, "enhanced"):
        if key in by_suite["native"]:
            message = f"is the native case {by_suite['native'][key]}"
            yield error(file, message, where=where, mend="remove it from one of the two suites")
