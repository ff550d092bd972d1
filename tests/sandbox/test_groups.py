"""Control groups of both versions, against a fake tree: limits, membership, killing, evidence and removal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.fake_groups import FakeGroups
from underspec.sandbox.keeper import kernel
from underspec.sandbox.keeper.groups import Group, Place, find_place, members


@pytest.fixture(params=[1, 2])
def fake(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGroups:
    return FakeGroups(tmp_path, request.param, monkeypatch)


def created(fake: FakeGroups, name: str = "underspec-x") -> Group:
    group = Group(fake.place(), name)
    group.create(memory=1000, disk=500, processes=7, cpus=1.5)
    return group


def test_limits_of_version_1_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGroups(tmp_path, 1, monkeypatch, own="/nested/place")
    created(fake)
    memory = fake.root / "memory/nested/place/underspec-x"
    assert (memory / "memory.limit_in_bytes").read_text() == "1500"
    assert (memory / "memory.memsw.limit_in_bytes").read_text() == "1500"
    assert (fake.root / "pids/nested/place/underspec-x/pids.max").read_text() == "7"
    cpu = fake.root / "cpu/nested/place/underspec-x"
    assert ((cpu / "cpu.cfs_quota_us").read_text(), (cpu / "cpu.cfs_period_us").read_text()) == ("150000", "100000")


def test_limits_of_version_2_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGroups(tmp_path, 2, monkeypatch)
    created(fake)
    folder = fake.root / "underspec-x"
    files = ("memory.max", "memory.swap.max", "pids.max", "cpu.max")
    assert [(folder / name).read_text() for name in files] == ["1500", "0", "7", "150000 100000"]
    assert set((fake.root / "cgroup.subtree_control").read_text().split()) == {"memory", "pids", "cpu"}


def test_a_user_gets_a_neighbour_of_the_delegated_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGroups(tmp_path, 2, monkeypatch, own="/user/app/shell")
    for name in ("user", "user/app", "user/app/shell"):
        fake.make(fake.root / name)
    (fake.root / "user/app/cgroup.controllers").write_text("memory pids")
    (fake.root / "cgroup.type").write_text("domain")  # as in a container: not the machine's root group
    (fake.root / "user/app/shell/cgroup.procs").write_text("1\n")
    place = fake.place()
    assert place.version == 2
    assert place.parents == dict.fromkeys(("memory", "pids"), str(fake.root / "user/app"))


def test_a_group_with_processes_of_its_own_cannot_be_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeGroups(tmp_path, 2, monkeypatch, own="/app/shell")
    for name in ("app", "app/shell"):
        fake.make(fake.root / name)
    (fake.root / "app/cgroup.controllers").write_text("memory pids cpu")
    (fake.root / "app/cgroup.procs").write_text("1\n")
    (fake.root / "cgroup.type").write_text("domain")
    assert fake.place().version == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_without_the_right_to_write_there_is_no_place(fake: FakeGroups) -> None:
    for folder, _, _ in os.walk(fake.root):
        Path(folder).chmod(0o555)
    assert fake.place().version == 0


def test_no_control_groups_at_all(tmp_path: Path) -> None:
    assert find_place(str(tmp_path), str(tmp_path / "missing")).parents == {}
    (tmp_path / "self").write_text("0::/\n")
    assert find_place(str(tmp_path), str(tmp_path / "self")).parents == {}
    nothing = Group(Place(0, {}), "x")
    nothing.create(memory=1, disk=1, processes=1, cpus=1.0)
    nothing.join()
    assert nothing.sub("e1") is None
    assert (nothing.counters(), nothing.members(), nothing.counts_memory, nothing.remove()) == ((0, 0), [], False, True)


def test_a_process_joins_the_group_and_the_commands_part_of_it(fake: FakeGroups) -> None:
    group = created(fake)
    group.join()
    assert group.members() == [os.getpid()]
    sub = group.sub("e1")
    assert sub is not None
    group.join(sub)
    assert (group.members(), sub.members()) == ([os.getpid()], [os.getpid()])
    assert os.getpid() in members(group.folders["memory"] if fake.version == 1 else sub.folder)


def _signals(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Stand in for process descriptors of numbers that no process has; returns who is signalled, as it happens."""
    signalled: list[int] = []
    holders: dict[int, int] = {}

    def pin(pid: int) -> int:
        handle = os.open(os.devnull, os.O_RDONLY)
        holders[handle] = pid
        return handle

    monkeypatch.setattr(os, "pidfd_open", pin)
    monkeypatch.setattr(kernel, "signal_process", lambda handle, _: signalled.append(holders[handle]))
    return signalled


def test_killing_a_command_kills_its_members_alone(fake: FakeGroups, monkeypatch: pytest.MonkeyPatch) -> None:
    group = created(fake)
    one, two = group.sub("e1"), group.sub("e2")
    assert one is not None
    assert two is not None
    Path(one.folder, "cgroup.procs").write_text("11\n12\n")
    Path(two.folder, "cgroup.procs").write_text("21\n")
    signalled = _signals(monkeypatch)
    if fake.version == 2:
        assert one.kill()
        assert fake.killed == [Path(one.folder)]
    else:
        assert not one.kill()  # they are told, and not gone before they are reaped
        assert sorted(signalled) == [11, 12]
        assert Path(one.folder, "pids.max").read_text() == "0"  # none can fork away meanwhile
        Path(one.folder, "cgroup.procs").write_text("")
        assert one.kill()
    assert two.members() == [21]


def test_an_old_version_2_without_a_kill_file_is_killed_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeGroups(tmp_path, 2, monkeypatch)
    sub = created(fake).sub("e1")
    assert sub is not None
    Path(sub.folder, "cgroup.kill").unlink()
    Path(sub.folder, "cgroup.procs").write_text("11\n")
    signalled = _signals(monkeypatch)
    assert not sub.kill()
    assert signalled == [11]


def test_counters_are_evidence_of_kills_and_refusals(fake: FakeGroups) -> None:
    group = created(fake)
    assert group.counters() == (0, 0)
    memory, pids = Path(group.folders["memory"]), Path(group.folders["pids"])
    if fake.version == 1:
        (memory / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
    else:
        (memory / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 4\noom_kill 3\n")
    (pids / "pids.events").write_text("max 5\n")
    assert group.counters() == (3, 5)


def test_memory_use_is_read(fake: FakeGroups) -> None:
    group = created(fake)
    memory = Path(group.folders["memory"])
    if fake.version == 1:
        (memory / "memory.usage_in_bytes").write_text("100\n")
        (memory / "memory.stat").write_text("rss 1\nshmem 2\ntotal_rss 30\ntotal_shmem 20\n")
    else:
        (memory / "memory.current").write_text("100\n")
        (memory / "memory.stat").write_text("anon 30\nfile 9\nshmem 20\n")
    assert group.memory_use() == (100, 30, 20)


def test_a_group_is_removed_when_nothing_lives_in_it(fake: FakeGroups) -> None:
    group = created(fake)
    sub = group.sub("e1")
    assert sub is not None
    Path(sub.folder, "cgroup.procs").write_text("11\n")
    assert not group.remove()
    Path(sub.folder, "cgroup.procs").write_text("")
    assert group.remove()
    assert group.all_folders() == []
    assert group.remove()


def test_parts_of_ended_commands_are_removed_as_soon_as_they_are_empty(fake: FakeGroups) -> None:
    group = created(fake)
    busy = group.sub("e1")
    assert busy is not None
    Path(busy.folder, "cgroup.procs").write_text("11\n")
    group.retire(busy)
    assert Path(busy.folder).exists()
    Path(busy.folder, "cgroup.procs").write_text("")
    group.sub("e2")
    assert not Path(busy.folder).exists()
