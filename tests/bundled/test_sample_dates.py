"""Rules that hold for sample-dates alone."""

from __future__ import annotations

import re

from tests.bundled.shared import TASKS, cases
from underspec.artifact.outcomes import SUITES
from underspec.task.load import load_task

SAMPLE_DATES = TASKS / "sample-dates"


def test_no_case_depends_on_how_scripts_other_than_latin_are_cut() -> None:
    """What counts as a letter or digit elsewhere differs between languages, so that only plain accents are asked."""
    for case in cases(load_task(SAMPLE_DATES), *SUITES):
        assert re.fullmatch(r"[\x00-\x7fé]*", str(case.input.get("sample"))), case


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    text = (SAMPLE_DATES / "hidden/variants/reference/dispatcher.rb").read_text()
    assert '"vendor", "golden"' in text
    assert not re.search(r"January|Monday|strftime|\b1[23]\b|% ?12|\[ap\]m|CEST", text)
