"""Every line of the threat model names a test, and every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda part: str(part).rpartition("/")[2])
def test_a_named_test_is_there(path: str, name: str) -> None:
    assert re.search(rf"^(?:async )?def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_row_names_one() -> None:
    rows = [
        line
        for line in PAGE.splitlines()
        if line.startswith("| ") and not re.match(r"\| (?:---|it wants|they want|what happens)", line)
    ]
    assert len(rows) > 25
    assert [row for row in rows if not re.search(r"`tests/[\w/]+\.py::\w+`", row)] == []
