"""Which cases the requests show: none at L1 and L2, the public ones at L3 and ground, hidden ones nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from underspec.artifact.outcomes import SuiteName
from underspec.task.canary import strip_markdown_canary
from underspec.task.cases import Key, case_key
from underspec.task.embedded import ShownCases, Sought
from underspec.task.finding import Finding, error, warning
from underspec.task.layout import RECORDS, WORKSPACE, case_path, request_path
from underspec.task.load import Parts
from underspec.task.tree import read_file

_MAX_TEXT = 1024**2

Place = tuple[str, Sought]


def check_exposure(parts: Parts) -> Iterator[Finding]:
    """Look for cases in everything that an agent may read."""
    if parts.toml is None or parts.toml.family != "repository":
        return
    public = _sought(parts, ("public",), set())
    hidden = _sought(parts, ("native", "enhanced"), _public_keys(parts))
    for name, text in parts.requests.items():
        shown = ShownCases(strip_markdown_canary(text))
        given = [place for place, case in public if shown.shows(case)]
        if name in ("L1", "L2") and given:
            message = f"shows {len(given)} public cases, the first {given[0]}"
            yield error(request_path(name), message, mend="take them out; at this level they are asked for")
        if name in ("L3", "ground") and public and len(given) < len(public):
            missing = next(place for place, case in public if not shown.shows(case))
            message = f"shows {len(given)} of {len(public)} public cases; the first that is missing is {missing}"
            finding = warning if given else error
            yield finding(request_path(name), message, mend="show the public case files as JSON")
        yield from _leaks(request_path(name), shown, hidden)
    for level, known in parts.records.levels.items() if parts.records else ():
        yield from _leaks(RECORDS, ShownCases("\n\n".join(known.responses().values())), hidden, f"$.levels.{level}")
    for entry in parts.below(WORKSPACE):
        read = read_file(parts.root, entry.path, lambda finding: None) if entry.size <= _MAX_TEXT else None
        if read and read.content:
            yield from _leaks(entry.path, ShownCases(read.content.decode("utf-8", "replace")), hidden)


def _leaks(file: str, shown: ShownCases, hidden: list[Place], where: str | None = None) -> Iterator[Finding]:
    given = [place for place, case in hidden if shown.shows(case)]
    if given:
        message = f"shows {len(given)} hidden cases, the first {given[0]}"
        yield warning(file, message, where=where, mend="use an example that is no hidden case")


def _public_keys(parts: Parts) -> set[Key]:
    return {case_key(case) for file in parts.cases["public"].values() for case in file.cases}


def _sought(parts: Parts, suites: tuple[SuiteName, ...], but: set[Key]) -> list[Place]:
    return [
        (f"{case_path(suite, stem)} $.cases[{index}]", Sought(case))
        for suite in suites
        for stem, file in sorted(parts.cases[suite].items())
        for index, case in enumerate(file.cases)
        if case_key(case) not in but
    ]
