"""What the tests of exhibits share: the set from which all of them are made, made once."""

from __future__ import annotations

import pytest

from tests.report.exhibits.whole import whole
from underspec.report.exhibits.catalogue import made
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Exhibit


@pytest.fixture(scope="session")
def everything() -> Evidence:
    return whole()


@pytest.fixture(scope="session")
def all_exhibits(everything: Evidence) -> list[Exhibit]:
    return list(made(everything))
