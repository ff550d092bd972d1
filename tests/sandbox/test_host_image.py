"""The image made of the machine's own /usr, the backend that offers it, and how a backend is found."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.sandbox.boxes import OWNER, in_sandbox, needs_bubblewrap, output
from underspec.errors import EnvironmentLacksError, UsageError
from underspec.sandbox import backends
from underspec.sandbox.backends import load_backend
from underspec.sandbox.bubblewrap import host
from underspec.sandbox.bubblewrap.backend import BubblewrapBackend
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.protocol import SandboxSpec


def test_a_backend_is_found_by_name() -> None:
    assert isinstance(load_backend("bubblewrap"), BubblewrapBackend)
    with pytest.raises(UsageError, match="bubblewrap"):
        load_backend("no-such-backend")


def test_a_backend_that_cannot_be_loaded_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    broken = EntryPoint("broken", "no.such.module:Backend", backends.GROUP)
    monkeypatch.setattr(backends, "entry_points", lambda **_: [broken])
    with pytest.raises(EnvironmentLacksError, match="broken"):
        load_backend("broken")


def test_unknown_images_and_networks_are_refused_before_anything_starts() -> None:
    backend = BubblewrapBackend()
    with pytest.raises(EnvironmentLacksError, match="debian"):
        backend.create(SandboxSpec(owner=OWNER, image="debian"))
    with pytest.raises(EnvironmentLacksError):
        backend.image_digest("../host")
    for network in ("registries", "open"):
        with pytest.raises(UsageError, match=network):
            backend.create(SandboxSpec(owner=OWNER, network=network))


def test_the_digest_is_stable_and_says_that_it_is_the_hosts() -> None:
    digest = BubblewrapBackend().image_digest("host")
    assert digest.startswith("host:")
    assert len(digest) == 5 + 64
    host.host_digest.cache_clear()
    assert BubblewrapBackend().image_digest("host") == digest


def test_nothing_of_the_hosts_etc_is_shown_but_the_listed() -> None:
    shown = {entry[1] for entry in host.host_entries() if entry[0] == "show" and entry[1].startswith("/etc")}
    assert all(path in host._SHOWN_ETC or path.startswith("/etc/java") for path in shown)
    for path in ("/etc/passwd", "/etc/shadow", "/etc/ssh", "/etc/hostname", "/etc/ssl/private", "/etc"):
        assert path not in shown


@pytest.mark.sandbox
@needs_bubblewrap
def test_the_running_python_is_shown_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    host.host_entries.cache_clear()
    monkeypatch.setattr(host, "needs_own_python", lambda: True)
    try:

        @in_sandbox()
        async def test(sandbox: BubblewrapSandbox) -> None:
            script = "import sys, json, ssl, ctypes, sqlite3; print(sys.version, sys.prefix)"
            said = await output(sandbox, f"/opt/python/bin/python3 -c '{script}'; echo $PATH")
            assert said.splitlines() == [
                f"{sys.version} /opt/python",
                "/usr/local/bin:/usr/bin:/bin:/opt/python/bin",
            ]
            packages = (
                "import pkgutil; print([m.name for m in pkgutil.iter_modules() if m.name in ('pip', 'pydantic')])"
            )
            assert await output(sandbox, f'/opt/python/bin/python3 -c "{packages}"') == "[]\n"

        test()
    finally:
        host.host_entries.cache_clear()


@pytest.mark.sandbox
@needs_bubblewrap
@in_sandbox()
async def test_the_usual_tools_work(sandbox: BubblewrapSandbox) -> None:
    script = """
    set -e
    python3 -c 'import ssl, sqlite3, json, venv; print("python")'
    printf 'b\\na\\n' | sort | awk '{print $1}' | tr '\\n' ' '
    mkdir -p /tmp/t && tar -cf /tmp/t.tar -C /tmp/t . && find /tmp/t.tar | sed s/t.tar/found/
    touch -d '2001-01-01' /tmp/t && date -u -r /tmp/t +%Y
    whoami; id -gn; getent hosts localhost | tr -s ' ' | cut -d' ' -f2
    """
    expected = ["python", "a", "b", "/tmp/found", "2001", "root", "root", "localhost"]
    assert (await output(sandbox, script)).split() == expected


@pytest.mark.sandbox
@needs_bubblewrap
@pytest.mark.parametrize("tool", ["node", "java", "gcc", "git", "perl", "make"])
def test_a_language_that_the_machine_has_works_inside(tool: str) -> None:
    if not any(os.access(folder / tool, os.X_OK) for folder in (Path("/usr/bin"), Path("/bin"))):
        pytest.skip(f"this machine has no {tool}")
    scripts = {
        "node": "node -e 'console.log([1, 2].map(x => x + 1).join())'",
        "java": "java -version 2>&1 | grep -ci version",
        "gcc": "echo 'int main(){return 3;}' > a.c && gcc a.c -o a && { ./a; echo $?; }",
        "git": "git init -q && git config user.email x && git commit -qm x --allow-empty && git log | grep -c ^Author",
        "perl": "perl -MPOSIX -e 'print floor(2.5)'",
        "make": "printf 'a:\\n\\t@echo made\\n' > Makefile && make",
    }
    expected = {"node": "2,3", "java": "1", "gcc": "3", "git": "1", "perl": "2", "make": "made"}

    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        assert (await output(sandbox, scripts[tool])).split()[-1] == expected[tool]

    test()
