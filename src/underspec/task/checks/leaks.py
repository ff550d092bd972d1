"""Whether anything that an agent or a router reads names the golden library, or carries a canary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from underspec.task.canary import blank_markdown_canary, text_canaries
from underspec.task.finding import Finding, error, warning
from underspec.task.identity import identity_terms, literal_pattern, may_hold, term_pattern
from underspec.task.layout import INTERFACE, RECORDS, TASK_TOML, UNITS, WORKSPACE, case_path, request_path
from underspec.task.load import Parts
from underspec.task.model import LevelRecords
from underspec.task.strict import strings_of
from underspec.task.tree import read_file


class Seen(NamedTuple):
    """A text that somebody gets to see, and where it stands."""

    file: str
    where: str | None
    text: str


def check_leaks(parts: Parts) -> Iterator[Finding]:
    """Search every text that is seen for identity terms and canaries."""
    terms = identity_terms(parts.toml, parts.golden)
    everything = list(_everything_seen(parts))
    # Most tasks hold none of it: what stands nowhere in all of it together need not be sought in each text.
    whole = "\n".join(seen.text for seen in everything)
    names = (literal_pattern if parts.imported else term_pattern)(terms.names) if may_hold(terms.names, whole) else None
    versions = term_pattern(terms.versions) if may_hold(terms.versions, whole) else None
    words = term_pattern(terms.words) if may_hold(terms.words, whole) else None
    # Published data carries none, and a field of its cases may be called so.
    canaries = None if parts.imported else _exact(parts)
    if not (names or versions or words or canaries):
        return
    hints: dict[tuple[str, str], list[str]] = {}
    for seen in everything:
        for hint in words.finditer(seen.text) if words else ():
            hints.setdefault((seen.file, hint[0].lower()), []).append(_place(seen, hint))
        if names and (found := names.search(seen.text)):
            mend = "say it in other words; an agent could fetch or recall the library"
            yield error(seen.file, f"names the golden library: {found[0]!a}", where=_place(seen, found), mend=mend)
        if versions and (found := versions.search(seen.text)):
            mend = "make sure that it does not give the library away"
            yield warning(seen.file, f"holds its version number {found[0]}", where=_place(seen, found), mend=mend)
        if canaries and (found := canaries.search(seen.text)):
            mend = "take it out; what carries a canary is refused at release"
            yield error(seen.file, "carries a canary where it would be shown", where=_place(seen, found), mend=mend)
    for (file, word), places in hints.items():
        message = f"holds {word!a}, a part of the golden library's name, {len(places)} times"
        yield warning(file, message, where=places[0], mend="look whether it gives the library away there")


def _place(seen: Seen, found: re.Match[str]) -> str:
    return seen.where or f"line {seen.text.count(chr(10), 0, found.start()) + 1}"


def _exact(parts: Parts) -> re.Pattern[str] | None:
    known = {
        canary
        for entry in parts.entries
        if entry.path.startswith("hidden/") and entry.content is not None
        for canary in text_canaries(entry.path, entry.content.decode("utf-8", "replace"))
    }
    return re.compile("|".join(re.escape(canary) for canary in sorted(known))) if known else None


def _everything_seen(parts: Parts) -> Iterator[Seen]:
    if parts.toml:
        yield Seen(TASK_TOML, "$.id", parts.toml.id)
        yield Seen(TASK_TOML, "$.title", parts.toml.title)
    for name, text in parts.requests.items():
        yield Seen(request_path(name), None, blank_markdown_canary(text))
    if parts.interface is not None:
        yield Seen(INTERFACE, None, blank_markdown_canary(parts.interface))
    if parts.units is not None:
        for place, unit in enumerate(parts.units.units):
            yield Seen(UNITS, f"$.units[{place}].question", parts.units.question_of(unit))
    for level, known in parts.records.levels.items() if parts.records else ():
        yield from _records(f"$.levels.{level}", known)
    for stem, file in parts.cases["public"].items():
        path = case_path("public", stem)
        yield Seen(path, "its name", stem)
        yield Seen(path, "$.description", file.description)
        for index, case in enumerate(file.cases):
            yield Seen(path, f"$.cases[{index}].input", strings_of(case.input))
            yield Seen(path, f"$.cases[{index}].expected_output", case.expected_output)
    for entry in parts.below(WORKSPACE):
        yield Seen(entry.path, "its name", entry.path.removeprefix(WORKSPACE + "/"))
        read = read_file(parts.root, entry.path, lambda finding: None)
        if read and read.content:
            yield Seen(entry.path, None, read.content.decode("utf-8", "replace"))


def _records(where: str, known: LevelRecords) -> Iterator[Seen]:
    for place, record in enumerate(known.records):
        at = f"{where}.records[{place}]"
        for key, text in (("id", record.id), ("category", record.category), ("response", record.response)):
            yield Seen(RECORDS, f"{at}.{key}", text)
        for number, trigger in enumerate(record.triggers):
            yield Seen(RECORDS, f"{at}.triggers[{number}]", trigger)
    for place, pointer in enumerate(known.pointers):
        yield Seen(RECORDS, f"{where}.pointers[{place}].reference", pointer.reference)
        yield Seen(RECORDS, f"{where}.pointers[{place}].meaning", pointer.meaning)
    yield Seen(RECORDS, f"{where}.signature", known.signature or "")
    yield Seen(RECORDS, f"{where}.fallback", known.fallback)
