"""The page about clarifying shows what happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, console_blocks, file_blocks
from underspec.artifact.condition import Condition
from underspec.artifact.labels import ManualLabels

PAGE = ROOT / "docs" / "clarify-first.md"


@pytest.mark.sandbox
def test_the_pages_example_prints_what_the_page_prints(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    for name, text in file_blocks(PAGE).items():
        (tmp_path / name).write_text(text)
    commands = [line.removeprefix("$ ") for line in console_blocks(PAGE)[0].splitlines() if line.startswith("$ ")]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-ec", "\n".join(commands)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = PAGE.read_text()
    shown = page[page.index("clarified in 1 rounds") : page.index("## Conditions")].split("```")[0]
    for line in shown.splitlines():
        assert line in done.stdout.splitlines(), f"{line}\n---\n{done.stdout}"


def test_every_field_that_the_page_names_is_one_of_a_condition() -> None:
    page = PAGE.read_text()
    for field in ("most_rounds", "most_revisions", "native_history", "judge_reviews", "information", "protocol"):
        assert field in Condition.model_fields
        assert field in page or f"--{field.replace('_', '-')}" in page


def test_the_pages_labels_are_ones_that_can_be_imported() -> None:
    page = PAGE.read_text()
    document = page[page.index("```json") + 8 :].split("```")[0]
    labels = ManualLabels.model_validate(json.loads(document))
    assert len(labels.adjudications) == len(labels.replies) == len(labels.disclosures) == 1
