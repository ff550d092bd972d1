"""Killing by number kills members of a group, and nobody who has got the number since."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator

import pytest

from underspec.sandbox.keeper import groups
from underspec.sandbox.keeper.groups import drop_folder, find_place, kill_members, make_folder, members

pytestmark = pytest.mark.sandbox


@pytest.fixture
def folder() -> Iterator[str]:
    """An empty control group."""
    place = find_place()
    parents = list(dict.fromkeys(place.parents.values()))
    if not parents:
        pytest.skip("this machine grants no control groups")
    folder = f"{parents[0]}/underspec-test-{uuid.uuid4().hex[:8]}"
    make_folder(folder)
    yield folder
    drop_folder(folder)


def _sleeper(folder: str | None = None) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sleep", "60"])
    if folder is not None:
        groups._write(f"{folder}/cgroup.procs", str(process.pid))
    return process


def test_a_member_is_killed_and_a_bystander_with_a_listed_number_is_not(folder: str) -> None:
    with _sleeper(folder) as member, _sleeper() as bystander:
        try:
            assert members(folder) == [member.pid]
            # As if the bystander had got the number of a member that was listed and then ended.
            assert kill_members([folder], [member.pid, bystander.pid]) == 1
            assert member.wait(10) == -9
            assert bystander.poll() is None
        finally:
            bystander.kill()


def test_numbers_of_nobody_are_passed_over(folder: str) -> None:
    with _sleeper() as ended:
        ended.kill()
        ended.wait()
        assert kill_members([folder], [ended.pid]) == 0
