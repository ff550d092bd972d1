"""Do cases speak neutral words, and does the reference hold none of the golden code?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from underspec.construct.findings import GateFinding
from underspec.construct.materials import Contract, Selection
from underspec.construct.sources_shown import source_paths
from underspec.grade.text import printable
from underspec.task.identity import term_pattern
from underspec.task.model import CaseFile

# Names of exceptions and traces, as languages print them: a word of this form ties an output to an implementation.
_EXCEPTION = re.compile(
    r"\b(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning)\b|Traceback \(most recent|^\s+at \S+ \(", re.M
)
_ERROR_LINE = re.compile(r"^error[=:] ?(\S+)", re.MULTILINE)
_LEAST_LINE = 30
_LEAST_SHARED = 3


def error_findings(
    files: Mapping[str, CaseFile], contract: Contract, golden: Path, selection: Selection, suite: str
) -> list[GateFinding]:
    """Outputs that name exceptions, error categories that are not in the contract, and identifying words in cases."""
    known = {error.category for error in contract.errors}
    identity = term_pattern(selection.identity)
    findings: list[GateFinding] = []

    def found(kind: str, message: str, stem: str, index: int, seen: str, mend: str) -> None:
        place = f"$.cases[{index}]"
        file = f"{suite}/{stem}.json"
        findings.append(GateFinding(kind=kind, message=message, file=file, where=place, evidence=seen[:300], mend=mend))

    for stem, file in files.items():
        for index, case in enumerate(file.cases):
            output = case.expected_output
            if match := _EXCEPTION.search(output):
                mend = "let the dispatcher turn it into a neutral error category"
                found("not_neutral", "the output names an exception", stem, index, printable(match[0]), mend)
            for category in _ERROR_LINE.findall(output):
                if category not in known:
                    mend = "add the category to the contract, or use one that is there"
                    message = "the output has an error category that the contract does not name"
                    found("unknown_category", message, stem, index, printable(category), mend)
            text = f"{case.input!r}\n{output}"
            if identity is not None and (match := identity.search(text)):
                mend = "use another value"
                found("identity", "the case names where it comes from", stem, index, printable(match[0]), mend)
    return findings


def distinctive_lines(texts: Iterable[str]) -> frozenset[str]:
    """Lines of code long enough that nobody writes them twice by chance, without their indentation."""
    found = set()
    for text in texts:
        for line in text.splitlines():
            stripped = line.strip()
            if len(stripped) >= _LEAST_LINE and not stripped.startswith(("#", "//", "*", "import ", "from ", '"""')):
                found.add(stripped)
    return frozenset(found)


def reference_findings(reference: Path, golden: Path, selection: Selection) -> list[GateFinding]:
    """Files of the reference that hold golden code instead of calling it."""
    paths = source_paths(golden, selection.language)
    lines = distinctive_lines((golden / path).read_text(encoding="utf-8", errors="replace") for path in paths)
    findings = []
    for path in sorted(reference.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        name = f"reference/{path.relative_to(reference).as_posix()}"
        shared = distinctive_lines([path.read_text(encoding="utf-8", errors="replace")]) & lines
        if len(shared) >= _LEAST_SHARED:
            findings.append(
                GateFinding(
                    kind="golden_copied",
                    message=f"holds {len(shared)} lines of the golden implementation",
                    file=name,
                    evidence=printable(min(shared)),
                    mend="call the library under vendor/golden; its code is not kept in a task",
                )
            )
    return findings
