"""Runs unittest modules and leaves a JUnit report: ``python3 unittests.py REPORT MODULE...`` (none: whatever is found).

Run in the repository's own folder, in a sandbox.
"""

from __future__ import annotations

import sys
import time
import unittest
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

Bad = tuple[str, str]
ROWS: list[tuple[str, Bad | None]] = []


class Result(unittest.TextTestResult):
    """Remembers what became of each test, in :data:`ROWS`."""

    bad: Bad | None = None

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        self.bad = None

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().stopTest(test)
        ROWS.append((test.id(), self.bad))

    def _note(self, kind: str, error: object = None) -> None:
        if self.bad is None or self.bad[0] == "skipped":
            self.bad = (kind, "" if error is None else str(error)[:500])

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self._note("error", err[1])
        if not hasattr(test, "_testMethodName"):
            ROWS.append((test.id(), self.bad))  # a module or class that could not be set up has no test

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self._note("failure", err[1])

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note("failure", err[1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self._note("skipped", reason)

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addUnexpectedSuccess(test)
        self._note("failure", "passes, and was expected to fail")


def clean(text: str) -> str:
    """Text that XML may hold."""
    return "".join(letter if letter >= " " and letter.isprintable() else " " for letter in text)


def main(report: str, modules: list[str]) -> int:
    """Run, and write the report."""
    sys.path.insert(0, ".")
    loader = unittest.TestLoader()
    suite = (
        loader.loadTestsFromNames(modules) if modules else loader.discover(".", pattern="test*.py", top_level_dir=".")
    )
    runner = unittest.TextTestRunner(resultclass=Result, verbosity=2)  # type: ignore[arg-type]
    result = runner.run(suite)
    with Path(report).open("w", encoding="utf-8") as stream:
        stream.write(f'<?xml version="1.0" encoding="utf-8"?>\n<testsuite time="{time.process_time():.3f}">\n')
        for name, bad in ROWS:
            owner, _, test = name.rpartition(".")
            stream.write(f"<testcase classname={quoteattr(clean(owner))} name={quoteattr(clean(test))}")
            stream.write("/>\n" if bad is None else f"><{bad[0]} message={quoteattr(clean(bad[1]))}/></testcase>\n")
        stream.write("</testsuite>\n")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
