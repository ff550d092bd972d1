from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from tests.egress.world import lists
from underspec.artifact.network import NetworkUse
from underspec.errors import HostExhaustedError
from underspec.sandbox.egress import log as module
from underspec.sandbox.egress.log import NetworkLog, Request
from underspec.sandbox.egress.policy import Policy

POLICY = Policy("registries", lists(80))


def request(host: str | None, outcome: str = "allowed", rule: str = "registry:test", **fields: object) -> Request:
    return Request("GET", "http", host, 80, outcome=outcome, rule=rule, **fields)  # type: ignore[arg-type]


def test_counts_do_not_depend_on_order_or_time(tmp_path: Path) -> None:
    given = [
        request("b.test", seconds=1.0, up=5),
        request("a.test", "refused", "no-registry"),
        request(None, "refused", "unfit"),
        request("b.test", seconds=2.0, down=7),
        request("b.test", "failed", "unreachable"),
    ]
    made = []
    for number, order in enumerate((given, given[::-1])):
        with NetworkLog(tmp_path / str(number)) as log:
            for each in order:
                log.add(each, "part")
            made.append(log.use(POLICY).to_bytes())
    assert made[0] == made[1]
    use = NetworkUse.from_bytes(made[0], file="network.json")
    assert [(each.host, each.outcome, each.rule, each.requests) for each in use.hosts] == [
        ("", "refused", "unfit", 1),
        ("a.test", "refused", "no-registry", 1),
        ("b.test", "allowed", "registry:test", 2),
        ("b.test", "failed", "unreachable", 1),
    ]
    assert use.lists == POLICY.lists.digest
    assert use.policy == POLICY.digest


def test_a_log_is_lines_of_json_whatever_is_logged(tmp_path: Path) -> None:
    with NetworkLog(tmp_path / "log") as log:
        log.add(request("a.test", path='/\x1b[2J"\n' + "x" * 10_000), "part\n")
    (line,) = (tmp_path / "log").read_bytes().splitlines()
    assert json.loads(line)["path"].startswith('/\x1b[2J"\n')
    assert len(line) < 2000
    assert b"\x1b" not in line


def test_what_is_counted_and_logged_is_bounded_and_nothing_goes_uncounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_HOSTS", 10)
    with NetworkLog(tmp_path / "log", max_bytes=2000) as log:
        for number in range(100):
            log.add(request(f"h{number}.test"), "part")
        use = log.use(POLICY)
    assert len(use.hosts) == 11
    assert {each.host: each.requests for each in use.hosts}["*"] == 90
    lines = (tmp_path / "log").read_text().splitlines()
    assert json.loads(lines[-1])["log"] == "full"
    assert (tmp_path / "log").stat().st_size < 2200


def test_a_full_disk_is_the_hosts_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space")

    with NetworkLog(tmp_path / "log") as log:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(HostExhaustedError):
            log.add(request("a.test"), "part")


def test_a_log_never_writes_into_what_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        NetworkLog(tmp_path / "log")
