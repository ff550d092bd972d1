"""Rules that hold for label-texts alone."""

from __future__ import annotations

import re

from tests.bundled.shared import TASKS, cases
from underspec.artifact.outcomes import SUITES
from underspec.task.load import load_task

LABEL_TEXTS = TASKS / "label-texts"
REFERENCE = LABEL_TEXTS / "hidden/variants/reference"


def test_no_case_asks_for_a_character_that_stands_for_damage() -> None:
    """What the library makes of U+FFFD, which it takes for invalid UTF-8, is outside the contract."""
    for case in cases(load_task(LABEL_TEXTS), *SUITES):
        assert "\ufffd" not in str(case.input), case


def test_building_fetches_nothing_and_writes_below_the_repository() -> None:
    script = (REFERENCE / "rcb_tests/test.sh").read_text()
    for needed in ("GOPROXY=off", "GOTOOLCHAIN=local", 'GOCACHE="$PWD/', 'GOPATH="$PWD/', 'GOTMPDIR="$PWD/'):
        assert needed in script
    assert re.search(r"^replace .* => \./vendor/golden$", (REFERENCE / "go.mod").read_text(), re.MULTILINE)


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    text = (REFERENCE / "dispatcher.go").read_text()
    assert text.count("xstrings.") >= 12
    assert not re.search(r"0x(?:2000|ff61)|'z'|LastIndex|unicode\.IsLetter|repeats|carry", text, re.IGNORECASE)
