"""Runs unittest modules and leaves a JUnit report: ``python3 unittests.py REPORT MODULE...`` (none: whatever is found).

Run in the repository's own folder, in a sandbox.
"""

import sys
import time
import unittest
from xml.sax.saxutils import quoteattr


class Result(unittest.TextTestResult):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.rows = []
        self.bad = None

    def startTest(self, test):  # noqa: N802 - unittest's name
        super().startTest(test)
        self.bad = None

    def stopTest(self, test):  # noqa: N802
        super().stopTest(test)
        self.rows.append((test.id(), self.bad))

    def _note(self, kind, error=None):
        if self.bad is None or self.bad[0] == "skipped":
            self.bad = (kind, "" if error is None else str(error)[:500])

    def addError(self, test, err):  # noqa: N802
        super().addError(test, err)
        self._note("error", err[1])
        if not hasattr(test, "_testMethodName"):
            self.rows.append((test.id(), self.bad))  # a module or class that could not be set up has no test

    def addFailure(self, test, err):  # noqa: N802
        super().addFailure(test, err)
        self._note("failure", err[1])

    def addSubTest(self, test, subtest, err):  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note("failure", err[1])

    def addSkip(self, test, reason):  # noqa: N802
        super().addSkip(test, reason)
        self._note("skipped", reason)

    def addUnexpectedSuccess(self, test):  # noqa: N802
        super().addUnexpectedSuccess(test)
        self._note("failure", "passes, and was expected to fail")


def clean(text):
    return "".join(letter if letter >= " " and letter.isprintable() else " " for letter in text)


def main(report, modules):
    sys.path.insert(0, ".")
    loader = unittest.TestLoader()
    suite = (
        loader.loadTestsFromNames(modules) if modules else loader.discover(".", pattern="test*.py", top_level_dir=".")
    )
    result = unittest.TextTestRunner(resultclass=Result, verbosity=2).run(suite)
    with open(report, "w", encoding="utf-8") as stream:
        stream.write(f'<?xml version="1.0" encoding="utf-8"?>\n<testsuite time="{time.process_time():.3f}">\n')
        for name, bad in result.rows:
            owner, _, test = name.rpartition(".")
            stream.write(f"<testcase classname={quoteattr(clean(owner))} name={quoteattr(clean(test))}")
            stream.write("/>\n" if bad is None else f"><{bad[0]} message={quoteattr(clean(bad[1]))}/></testcase>\n")
        stream.write("</testsuite>\n")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
