"""What docs/network.md shows and says is so."""

from __future__ import annotations

import re
from ipaddress import ip_address
from pathlib import Path

from tests.docs.pages import ROOT, file_blocks
from underspec.sandbox.egress.environment import PROXY_PORT, environment, files
from underspec.sandbox.egress.limits import Limits
from underspec.sandbox.egress.lists import load_lists, packaged_lists
from underspec.sandbox.egress.policy import Policy, Target

PAGE = ROOT / "docs" / "network.md"


def test_the_file_that_it_shows_does_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "registries.toml"
    path.write_text(file_blocks(PAGE)["registries.toml"])
    policy = Policy("registries", load_lists(path))
    private = ip_address("10.20.3.4")
    assert policy.decide(Target("http", "packages.corp.example", 8081, "/simple/")).allowed
    assert policy.may_connect("packages.corp.example", private)
    assert not policy.may_connect("pypi.org", private)
    assert policy.decide(Target("https", "pypi.org", 443)).allowed
    assert not policy.decide(Target("https", "www.cpan.org", 443)).allowed
    assert policy.decide(Target("https", "x.benchmarks.corp.example", 443)).rule == "blocked:ours"


def test_every_rule_that_can_stand_in_a_log_is_explained() -> None:
    page = PAGE.read_text()
    sources = "\n".join(path.read_text() for path in (ROOT / "src/underspec/sandbox/egress").glob("*.py"))
    found = re.findall(r'(?:_refused\(|_Refused\([^"]*|NotAllowedError\()\s*f?"([a-z-]+)', sources)
    rules = {rule for rule in found if rule != "blocked"}
    assert len(rules) > 12
    assert [rule for rule in sorted(rules) if f"`{rule}`" not in page and rule != "proxy-failed"] == []


def test_names_and_numbers_are_those_of_the_code() -> None:
    page = PAGE.read_text()
    assert f"port {PROXY_PORT}" in page
    for name in environment():
        assert name.upper() in page
    for path in files():
        assert path.replace("/root", "~") in page
    limits = Limits()
    assert f"nothing moves {limits.idle:.0f} seconds" in page
    assert f"16 KiB and {limits.head:.0f} seconds" in page
    groups = re.search(r"registries for (.*?); and", page, re.DOTALL)
    assert groups is not None
    assert len(re.split(r",| and ", groups[1])) == len(packaged_lists().allow)
