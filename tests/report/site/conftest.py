"""Sites that the tests of this folder look at, each made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.site.site_sample import Sample
from underspec.report.exhibits.catalogue import exhibits
from underspec.report.runs import read_runs
from underspec.report.site.plan import Audience, plan_site
from underspec.report.site.write import write_site
from underspec.run.plan import Tasks
from underspec.task.load import load_task


def make_site(
    sample: Sample, out: Path, audience: Audience, *, workers: int = 1, tasks: bool = True, drawn: bool = False
) -> Path:
    """Write the site of the sample's run and return its folder; exhibits only where they are to be ``drawn``, since
    that takes most of the time."""
    paths = sample.tasks if tasks else {}
    plan = plan_site([sample.run], paths, audience, version="9.8.7")
    find = Tasks(dict(paths), load_task)
    write_site(
        plan,
        lambda: read_runs([sample.run]),
        out,
        exhibits=lambda runs: exhibits(runs, find.__getitem__) if drawn else (),
        workers=workers,
    )
    return out


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def operator_site(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_site(sample, tmp_path_factory.mktemp("operator") / "site", "operator", drawn=True)


@pytest.fixture(scope="session")
def public_site(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_site(sample, tmp_path_factory.mktemp("public") / "site", "public", drawn=True)


@pytest.fixture(scope="session")
def plain_site(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The operator's, without exhibits."""
    return make_site(sample, tmp_path_factory.mktemp("plain") / "site", "operator")
