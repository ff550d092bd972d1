"""Case folders, and the public cases that stand in ``TC_`` records where there are no folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from underspec.artifact.outcomes import SuiteName
from underspec.errors import TaskError
from underspec.task.cases import value_key
from underspec.task.embedded import embedded_json
from underspec.task.finding import stop_at_errors
from underspec.task.icae.checkout import Checkout
from underspec.task.icae.notes import Notes, list_at, object_at, wrong
from underspec.task.icae.records import LevelPart
from underspec.task.layout import stem_problem
from underspec.task.model import Case, CaseFile, Level, RecordKind
from underspec.task.strict import quoted, read_document

SUBDIRS: dict[SuiteName, str] = {
    "public": "public_test_cases",
    "native": "test_cases",
    "enhanced": "enhanced_test_cases",
}
_MISSING = object()


def case_folder(key: str, suite: SuiteName) -> str:
    """Where a suite lies in the checkout."""
    return f"rcb_tests_repos/{key}/rcb_tests/{SUBDIRS[suite]}"


def expectation_text(expected: Any) -> str:
    """What an expectation is compared as: a string is itself, anything else is dumped as JSON, as published."""
    return expected if isinstance(expected, str) else json.dumps(expected)


def read_suite(checkout: Checkout, key: str, suite: SuiteName, notes: Notes) -> dict[str, CaseFile]:
    """The case files of one suite by stem; none when the folder is absent or holds no case.

    Raises:
        TaskError: a file is damaged, of another shape, or has a name that outputs cannot have.
    """
    folder = case_folder(key, suite)
    found: dict[str, CaseFile] = {}
    for stem in checkout.names(folder, ".json"):
        file = f"{folder}/{stem}.json"
        if problem := stem_problem(stem):
            raise TaskError(problem, file=f"{folder}/{quoted(stem)}.json", mend="rename it, in plain characters")
        cases = case_file(checkout.json(file, notes), file, "$", notes)
        if cases is not None:
            found[stem] = cases
    return found


def case_file(document: Any, file: str, where: str, notes: Notes) -> CaseFile | None:
    """One case file; None, and a note, when it holds no case.

    Raises:
        TaskError: it is of another shape, or a case lacks its input or its expected output.
    """
    whole = object_at(document, file, where)
    notes.keep_unknown(whole, ("description", "cases"), file, where)
    description = whole.get("description", "")
    if not isinstance(description, str):
        raise wrong(file, f"{where}.description", "must be a string", "say in words what the cases show")
    cases = [
        _case(value, file, f"{where}.cases[{place}]", notes)
        for place, value in enumerate(list_at(whole, "cases", file, where))
    ]
    if not cases:
        notes.warn(file, "holds no case and was left out", where=f"{where}.cases", mend="nothing need be done")
        notes.keep(file, where, whole)
        return None
    return CaseFile(description=description, cases=tuple(cases))


def _case(value: Any, file: str, where: str, notes: Notes) -> Case:
    case = object_at(value, file, where)
    notes.keep_unknown(case, ("input", "expected_output"), file, where)
    expected = case.get("expected_output", _MISSING)
    if expected is _MISSING:
        mend = "add it; without it no output could be right"
        raise wrong(file, f"{where}.expected_output", "is missing", mend)
    if "input" not in case:
        raise wrong(file, f"{where}.input", "is missing", "add it; null if the program gets nothing")
    if not isinstance(expected, str):
        notes.keep(file, f"{where}.expected_output", expected)
        message = f"is no string; outputs are compared with {quoted(expectation_text(expected))}"
        notes.warn(file, message, where=f"{where}.expected_output", mend="nothing need be done")
    return Case(input=case["input"], expected_output=expectation_text(expected))


def recover_public(levels: Mapping[Level, LevelPart], notes: Notes) -> dict[str, CaseFile]:
    """The public case files that ``TC_<feature>`` records give, by feature, of the first level that gives any.

    What only another level gives is said and not taken: ids differ between levels, so that nobody could tell whether
    it is the same file in another wording.
    """
    chosen: dict[str, CaseFile] = {}
    known: set[str] = set()
    for level, part in levels.items():
        quiet = Notes() if chosen else notes
        files = _given(part, quiet)
        if not chosen:
            chosen = files
            known = {_content(file) for file in files.values()}
            continue
        others = [stem for stem, file in files.items() if _content(file) not in known]
        if others:
            message = f"{len(others)} case files of {level} are not those recovered, the first TC_{others[0]}"
            notes.warn(part.file, message, mend="add the case folders, which say which are the public ones")
    return chosen


def _content(file: CaseFile) -> str:
    return value_key([[case.input, case.expected_output] for case in file.cases])


def _given(part: LevelPart, notes: Notes) -> dict[str, CaseFile]:
    found: dict[str, CaseFile] = {}
    for record in part.known.records:
        if record.kind is not RecordKind.CASE_FILE:
            continue
        where = f"record {record.id}"
        stem = record.id.removeprefix("TC_")
        document = _embedded_file(record.response)
        if document is None or stem_problem(stem):
            problem = "gives no case file that can be read" if document is None else "has no feature's name in its id"
            notes.warn(part.file, f"{record.id} {problem}", where=where, mend="add the case folders")
            continue
        try:
            cases = case_file(_strict(document, part.file), part.file, where, notes)
        except TaskError as damage:
            message = f"{record.id} gives no case file that can be read: {damage.message}"
            notes.warn(part.file, message, where=damage.where, mend="add the case folders")
            continue
        if cases is not None:
            found[stem] = cases
    return found


def _embedded_file(response: str) -> Any:
    """The case file that stands in a response; None when none does."""
    for document in embedded_json(response):
        if isinstance(document, dict) and "cases" in document:
            return document
    # Some responses have a backslash and an n where a line should end, between the tokens of the JSON too. Within its
    # strings both spellings mean the same, once a string may hold line ends.
    text = response.replace("\\n", "\n")
    try:
        document, _ = json.JSONDecoder(strict=False).raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and "cases" in document else None


def _strict(document: Any, file: str) -> Any:
    """The same, refused when it holds what no task may (half a surrogate pair, NaN)."""
    return read_document(json.dumps(document).encode(), file, stop_at_errors)
