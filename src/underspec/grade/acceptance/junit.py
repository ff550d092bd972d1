"""Reads JUnit XML: which tests there were, and what became of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.parsers import expat

from underspec.artifact.acceptance import TestVerdict
from underspec.errors import TaskError

MOST_BYTES = 16 * 1024**2
_MOST_TEXT = 4000
_NOT_PASSED = {
    "failure": TestVerdict.FAILED,
    "error": TestVerdict.ERROR,
    "skipped": TestVerdict.SKIPPED,
}


class DamagedReportError(ValueError):
    """What was read is no whole JUnit report."""


@dataclass(frozen=True)
class Reported:
    """One test of a report; ``message`` is what was said when it did not pass."""

    verdict: TestVerdict
    message: str = ""


class _Reader:
    """Collects ``testcase`` elements, wherever they are nested."""

    def __init__(self) -> None:
        self.tests: dict[str, Reported] = {}
        self.twice: list[str] = []
        self._case: str | None = None
        self._verdict = TestVerdict.PASSED
        self._within: str | None = None
        self._said: list[str] = []
        self._message = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            self._case = f"{attributes.get('classname', '')}::{attributes.get('name', '')}"
            self._verdict, self._said, self._message = TestVerdict.PASSED, [], ""
        elif self._case is not None and name in _NOT_PASSED and self._verdict is TestVerdict.PASSED:
            # A test that fails and whose tidying up fails too has both; what is first stays.
            self._verdict = _NOT_PASSED[name]
            self._message, self._said = attributes.get("message", "").strip(), []
            self._within = name

    def text(self, data: str) -> None:
        if self._within is not None:
            self._said.append(data)

    def end(self, name: str) -> None:
        if name == self._within:
            self._within = None
        elif name == "testcase" and self._case is not None:
            if self._case in self.tests:
                self.twice.append(self._case)
            text = "".join(self._said).strip()
            if not text.startswith(self._message):
                text = f"{self._message}\n{text}"
            self.tests[self._case] = Reported(self._verdict, text.strip()[:_MOST_TEXT])
            self._case = None


def _refuse(*words: object) -> None:
    raise DamagedReportError("it holds a document type, which no report needs")


def read_report(data: bytes) -> dict[str, Reported]:
    """Tests by ``<classname>::<name>``.

    Raises:
        DamagedReportError: it is no JUnit XML, or not all of it.
        TaskError: it names a test twice, so that nobody knows which one counts.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    handlers: dict[str, Callable[..., None]] = {
        "StartElementHandler": reader.start,
        "EndElementHandler": reader.end,
        "CharacterDataHandler": reader.text,
        "StartDoctypeDeclHandler": _refuse,  # entities could make it grow without end
    }
    for name, handler in handlers.items():
        setattr(parser, name, handler)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise DamagedReportError(f"it is not XML: {error}") from error
    if reader.twice:
        raise TaskError(
            f"the acceptance tests report {reader.twice[0]!a} twice",
            file="hidden/acceptance",
            mend="give each test a name of its own",
        )
    return reader.tests
