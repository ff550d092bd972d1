"""Rules that hold for data-sizes alone."""

from __future__ import annotations

import re

from tests.bundled.shared import TASKS

DATA_SIZES = TASKS / "data-sizes"


def test_the_dispatcher_calls_the_library_and_brings_none_of_its_code() -> None:
    text = (DATA_SIZES / "hidden/variants/reference/dispatcher.py").read_text()
    assert "vendor" in text
    assert not re.search(r"1024|1000\b|\*\* ?\d|log\(", text)
