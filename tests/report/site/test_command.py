"""``underspec report`` as it is used: where the site goes, what is said, what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.command import underspec
from tests.report.site.site_sample import Sample


@pytest.fixture(scope="module")
def run(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of its own, since the command writes into it."""
    return Path(shutil.copytree(sample.run, tmp_path_factory.mktemp("runs") / "a-run"))


def test_a_single_runs_site_lies_in_its_folder(run: Path, sample: Sample) -> None:
    ran = underspec("report", run, *(word for path in sample.tasks.values() for word in ("--task", path)))
    assert ran.code == 0
    assert f"as a site, for the operator alone: {run / 'site' / 'index.html'}" in ran.out
    assert (run / "site" / "index.html").is_file()
    assert (run / "report.json").is_file()
    assert (run / "report.html").is_file()


def test_a_public_site_has_a_place_of_its_own(run: Path) -> None:
    (run / "site-public").mkdir()
    (run / "site-public" / "note.txt").write_text("mine")
    ran = underspec("report", run, "--public")
    assert ran.code == 2
    assert f"{run / 'site-public'}: this folder holds something else than a site" in ran.err


def test_several_runs_want_a_place(run: Path, sample: Sample, tmp_path: Path) -> None:
    ran = underspec("report", run, sample.run)
    assert ran.code == 2
    assert "--out" in ran.err
    ran = underspec("report", run, sample.run, "--out", tmp_path / "both", "--public", "--json")
    assert ran.code == 0
    document = ran.json()
    assert [each["planned"] for each in document["runs"]] == [5, 5]
    assert document["site"] == str(tmp_path / "both" / "index.html")
    assert "For the operator" not in (tmp_path / "both" / "index.html").read_text("utf-8")
    assert not (sample.run / "report.json").exists(), "a site of several runs writes into none of them"


def test_what_is_no_site_is_not_written_over(run: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to-grandmother.txt").write_text("dear")
    ran = underspec("report", run, "--out", tmp_path / "letters")
    assert ran.code == 2
    assert "something else than a site" in ran.err
    assert (tmp_path / "letters" / "to-grandmother.txt").read_text() == "dear"


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    ran = underspec("report", tmp_path, "--out", tmp_path / "site")
    assert ran.code == 2
    assert "this is no run" in ran.err
    assert not (tmp_path / "site").exists()


def test_a_place_where_nothing_can_be_made_is_named(run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file" / "site", Path("/proc/nowhere/site")):
        ran = underspec("report", run, "--out", place)
        assert ran.code == 2
        assert f"{place}: no site can be made here" in ran.err
