from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

import pytest

from tests.egress.world import lists
from underspec.errors import UsageError
from underspec.sandbox.egress.lists import load_lists, packaged_lists
from underspec.sandbox.egress.policy import Policy, Target
from underspec.sandbox.egress.source import Source

SOURCE = Source("https://code.example/owner/quux", "pypi", "Quux_Lib", ("quuxproject.example", "make_quux"))
REGISTRIES = Policy("registries", packaged_lists(), SOURCE)
OPEN = Policy("open", packaged_lists(), SOURCE)


def tunnel(host: str, port: int = 443) -> Target:
    return Target("https", host, port)


def test_registries_are_reached_and_nothing_else() -> None:
    assert REGISTRIES.decide(tunnel("pypi.org")).rule == "registry:python"
    assert REGISTRIES.decide(tunnel("registry.npmjs.org")).allowed
    assert REGISTRIES.decide(Target("http", "deb.debian.org", 80, "/debian/dists/stable/Release")).allowed
    assert REGISTRIES.decide(tunnel("example.org")).rule == "no-registry"
    assert OPEN.decide(tunnel("example.org")).rule == "open"


@pytest.mark.parametrize("policy", [REGISTRIES, OPEN], ids=["registries", "open"])
@pytest.mark.parametrize(
    "host",
    [
        "github.com",
        "API.GitHub.com",
        "raw.githubusercontent.com.",
        "codeload.github.com",
        "gist.github.com",
        "huggingface.co",
        "cdn-lfs.huggingface.co",
        "web.archive.org",
        "gitlab.com",
        "cdn.jsdelivr.net",
        "arxiv.org",
        "archive.softwareheritage.org",
        "r.jina.ai",
        "proxy.translate.goog",
    ],
)
def test_what_publishes_sources_or_benchmarks_is_blocked_whatever_is_granted(policy: Policy, host: str) -> None:
    decision = policy.decide(tunnel(host))
    assert not decision.allowed
    assert decision.rule.startswith("blocked:")


def test_no_registry_of_the_packaged_list_is_blocked_by_it() -> None:
    given = packaged_lists()
    hosts = [host.replace("*", "any") for each in given.allow.values() for host in each.hosts]
    assert [host for host in hosts if given.blocked(host)] == []
    assert len(hosts) == len(set(hosts))


@pytest.mark.parametrize("policy", [REGISTRIES, OPEN], ids=["registries", "open"])
def test_only_the_ports_of_the_web_are_reached(policy: Policy) -> None:
    assert policy.decide(tunnel("pypi.org", 22)).rule == "port"
    assert policy.decide(tunnel("pypi.org", 80)).rule == "port"
    assert policy.decide(Target("http", "pypi.org", 443, "/")).rule == "port"
    assert policy.decide(Target("http", "pypi.org", 8080, "/")).rule == "port"
    assert OPEN.decide(tunnel("example.org", 8443)).rule == "port"


@pytest.mark.parametrize("host", ["151.101.0.223", "2130706433", "0x7f.1", "[::1]", "[2606:4700::1111]"])
def test_addresses_are_never_asked_for(host: str) -> None:
    assert OPEN.decide(tunnel(host)).rule == "address"


@pytest.mark.parametrize("host", ["", "a b", "user@pypi.org", "pypi.org/", "*.org"])
def test_what_is_no_host_is_refused(host: str) -> None:
    assert OPEN.decide(tunnel(host)).rule == "host-name"


@pytest.mark.parametrize(
    "path",
    [
        "/simple/quux-lib/",
        "/simple/Quux.Lib",
        "/simple/QUUX__lib/",
        "/pypi/quux-lib/json",
        "/simple/q%75ux-lib/",
        "/simple/q%2575ux-lib/",
        "/packages/ab/cd/quux_lib-1.0-py3-none-any.whl",
        "/x/quux_lib-1.0.tar.gz?a=b",
        "/pool/main/q/python-quux-lib/python3-quux-lib_1.0-1_all.deb",
        "/search?q=quux-lib",
        "/get?u=a/quux-lib/b",
        "/github.com/owner/quux/@v/list",
        "/x/owner/quux.git/info/refs",
        "//simple//quux-lib//",
    ],
)
def test_the_tasks_own_package_is_refused_where_its_path_is_seen(path: str) -> None:
    decision = REGISTRIES.decide(Target("http", "pypi.org", 80, path))
    assert (decision.allowed, decision.rule) == (False, "task-source")


@pytest.mark.parametrize(
    "path",
    [
        "/simple/quux/",
        "/simple/quux-library/",
        "/simple/quux-lib-tools/",
        "/simple/requests/",
        "/",
        "/simple/my-quux-lib/",
    ],
)
def test_other_packages_are_not(path: str) -> None:
    assert REGISTRIES.decide(Target("http", "pypi.org", 80, path)).allowed


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("/@scope/name", True),
        ("/@scope%2fname", True),
        ("/@scope/name/-/name-1.0.0.tgz", True),
        ("/name", False),
        ("/@scope/other", False),
        ("/@scope-name", False),
    ],
)
def test_a_package_of_a_scope_is_its_scope_and_its_name(path: str, refused: bool) -> None:
    policy = Policy("registries", packaged_lists(), Source("https://code.example/x", "npm", "@scope/name"))
    assert policy.decide(Target("http", "registry.npmjs.org", 80, path)).allowed is not refused


@pytest.mark.parametrize(
    "host", ["code.example", "www.code.example", "quux-lib.readthedocs.io", "quux.example.org", "quuxproject.example"]
)
def test_the_tasks_own_hosts_are_blocked_where_the_network_is_open(host: str) -> None:
    assert OPEN.decide(tunnel(host)).rule == "task-source"


def test_a_registry_stays_reachable_when_the_source_is_described_there() -> None:
    policy = Policy("registries", packaged_lists(), Source("https://pypi.org/project/quux", "pypi", "pypi"))
    assert policy.decide(tunnel("pypi.org")).allowed


def test_those_inside_are_not_told_which_blocked_host_is_the_tasks_own() -> None:
    assert OPEN.decide(tunnel("code.example")).reason == OPEN.decide(tunnel("github.com")).reason


def test_only_a_file_of_lists_lets_anything_private_be_reached() -> None:
    mirror = Policy("registries", lists(80, "registry.test"))
    loopback, metadata = ip_address("127.0.0.1"), ip_address("169.254.169.254")
    assert mirror.may_connect("registry.test", loopback)
    assert not mirror.may_connect("other.test", loopback)
    assert not mirror.may_connect("registry.test", ip_address("127.0.0.2"))
    assert not OPEN.may_connect("pypi.org", loopback)
    assert not OPEN.may_connect("pypi.org", metadata)
    assert OPEN.may_connect("pypi.org", ip_address("151.101.0.223"))


def test_a_policys_digest_says_what_it_grants() -> None:
    base = packaged_lists()
    policies = [
        Policy("registries", base),
        Policy("open", base),
        Policy("registries", base, SOURCE),
        Policy("registries", lists(80)),
        Policy("registries", lists(81)),
    ]
    assert len({each.digest for each in policies}) == len(policies)
    assert Policy("registries", load_lists()).digest == policies[0].digest


def write(folder: Path, text: str) -> Path:
    path = folder / "registries.toml"
    path.write_text(text)
    return path


def test_a_users_file_extends_the_packaged_lists(tmp_path: Path) -> None:
    given = load_lists(
        write(
            tmp_path,
            '[allow.ours]\nhosts = ["packages.corp.example"]\naddresses = ["10.0.0.0/8"]\nhttp_ports = [8081]\n'
            '[allow.python]\nhosts = []\n[block.more]\nhosts = ["*.bad.example"]\n',
        )
    )
    policy = Policy("registries", given)
    assert policy.decide(Target("http", "packages.corp.example", 8081, "/simple/")).allowed
    assert policy.may_connect("packages.corp.example", ip_address("10.2.3.4"))
    assert not policy.decide(tunnel("pypi.org")).allowed
    assert policy.decide(tunnel("registry.npmjs.org")).allowed
    assert policy.decide(tunnel("github.com")).rule == "blocked:code-hosting"
    assert policy.decide(tunnel("x.bad.example")).rule == "blocked:more"
    assert given.digest != packaged_lists().digest


def test_a_users_file_may_stand_alone(tmp_path: Path) -> None:
    given = load_lists(write(tmp_path, 'extends = "nothing"\n[allow.ours]\nhosts = ["packages.corp.example"]\n'))
    assert list(given.allow) == ["ours"]
    assert given.block == {}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[allow", None),
        ('[allow.x]\nhosts = ["http://pypi.org"]', "$.allow.x.hosts[0]"),
        ('[allow.x]\nhosts = ["*"]', "$.allow.x.hosts[0]"),
        ('[allow.x]\nhosts = ["pypi.org"]\naddresses = ["10.0.0.1/8"]', "$.allow.x.addresses"),
        ('[allow.x]\nhosts = ["pypi.org"]\nhttp_ports = [0]', "$.allow.x.http_ports[0]"),
        ('[block.x]\nhosts = ["pypi.org"]\naddresses = []', "$.block.x.addresses"),
        ("schema_version = 2", "$.schema_version"),
    ],
)
def test_a_users_mistake_is_named(tmp_path: Path, text: str, where: str | None) -> None:
    path = write(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        load_lists(path)
    assert caught.value.file == str(path)
    assert where is None or (caught.value.where or "").startswith(where)


def test_a_users_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="absent"):
        load_lists(tmp_path / "absent.toml")
