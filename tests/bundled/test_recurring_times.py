"""Rules that hold for recurring-times alone."""

from __future__ import annotations

import re

from tests.bundled.shared import TASKS, cases
from underspec.artifact.outcomes import SUITES
from underspec.task.load import load_task

RECURRING_TIMES = TASKS / "recurring-times"


def test_no_case_depends_on_a_named_zone_or_on_a_year_without_end() -> None:
    """Zones depend on the machine's data; days that never come in years without end are out of scope."""
    for case in cases(load_task(RECURRING_TIMES), *SUITES):
        if "offset" in case.input and isinstance(case.input["offset"], str):
            bad = case.expected_output == "error=bad_offset\n"
            assert bad or re.fullmatch(r"[+-]?\d\d(?::?\d\d)?", case.input["offset"]), case
        if re.search(r" 3[01] 2 | 31 (?:4|6|9|11) ", str(case.input.get("line"))):
            assert re.search(r"\d{4}-\d{4}\s*$", case.input["line"]), case


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    text = (RECURRING_TIMES / "hidden/variants/reference/dispatcher.js").read_text()
    assert '"vendor", "golden"' in text
    assert not re.search(r"jan|mon,|split\(|\b59, |@daily|getUTCDay\(", text)
