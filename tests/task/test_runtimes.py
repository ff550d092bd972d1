"""What deliverables need on this machine, said by name and with the mend."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from underspec.cli.validation import validate
from underspec.task.catalog import bundled_tasks
from underspec.task.load import load_task
from underspec.task.runtimes import RUNTIMES, Runtime, missing_runtime


def test_every_language_of_a_bundled_task_is_known() -> None:
    assert {load_task(folder).toml.language for folder in bundled_tasks("repository")} <= set(RUNTIMES)


@pytest.mark.parametrize("language", RUNTIMES)
def test_a_missing_program_is_named_with_its_package(language: str, tmp_path: Path) -> None:
    missing = missing_runtime(language, "host", tmp_path)
    assert missing == RUNTIMES[language]
    assert missing.package in missing.mend


@pytest.mark.parametrize("language", RUNTIMES)
def test_a_program_that_is_there_is_not_missing(language: str, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / RUNTIMES[language].program).touch()
    assert missing_runtime(language, "host", tmp_path) is None


def test_of_other_images_and_languages_nothing_is_said(tmp_path: Path) -> None:
    assert missing_runtime("Ruby", "ruby", tmp_path) is None
    assert missing_runtime("Cobol", "host", tmp_path) is None


@pytest.mark.sandbox
def test_validating_a_golden_implementation_says_which_program_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(RUNTIMES, "Ruby", Runtime("no-such-ruby", "ruby"))
    [folder] = [folder for folder in bundled_tasks("repository") if folder.name == "sample-dates"]
    [result] = asyncio.run(
        validate([folder], golden=True, variants=False, backend_name="bubblewrap", progress=lambda line: None)
    )
    assert result["valid"] is False
    assert result["golden"] is None
    [finding] = result["findings"]
    assert "/usr/bin/no-such-ruby is missing" in finding["message"]
    assert "apt-get install ruby" in finding["mend"]
