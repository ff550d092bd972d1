from __future__ import annotations

import asyncio
import contextlib
import ensurepip
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.egress.packages import registry
from tests.egress.world import lists, resolver, server
from tests.sandbox.boxes import needs_bubblewrap
from underspec.errors import HarnessError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.egress.log import NetworkLog
from underspec.sandbox.egress.networked import Grant, NetworkedBackend
from underspec.sandbox.egress.policy import Policy
from underspec.sandbox.protocol import ExecResult, Mount, Owner, Sandbox, SandboxSpec

pytestmark = pytest.mark.sandbox
OWNER = Owner(run="tests", purpose="network")
NPM = Path("/usr/lib/node_modules/npm")
PIP = "/opt/pip.whl"
needs_npm = pytest.mark.skipif(
    not (NPM / "bin/npm-cli.js").is_file() or not Path("/usr/bin/node").exists(), reason="npm is not installed in /usr"
)


def pips_wheel() -> Path:
    """The pip that comes with Python: the image ``host`` has none."""
    return next((Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))


@dataclass
class Place:
    """A sandbox with a network, and the only registry in the world."""

    sandbox: Sandbox
    port: int
    asked: list[str]
    log: Path

    async def bash(self, script: str, **options: Any) -> ExecResult:
        return await self.sandbox.exec(["bash", "-c", script], timeout=60, **options)


@contextlib.asynccontextmanager
async def place(folder: Path, backend: str = "bubblewrap", mounts: tuple[Mount, ...] = ()) -> AsyncIterator[Place]:
    asked: list[str] = []
    ports: list[int] = []
    async with server(registry(lambda: ports[0], asked)) as port:
        ports.append(port)
        with NetworkLog(folder / "network.jsonl") as log:
            grant = Grant(Policy("registries", lists(port)), log, resolver=resolver())
            networked = NetworkedBackend(load_backend(backend), grant)
            sandbox = networked.create(SandboxSpec(owner=OWNER, mounts=mounts, network="registries"))
            try:
                await sandbox.start()
                yield Place(sandbox, port, asked, folder / "network.jsonl")
            finally:
                await sandbox.close()


def pip(port: int, package: str) -> str:
    index = f"--index-url http://registry.test:{port}/simple --trusted-host registry.test"
    options = "--no-cache-dir --disable-pip-version-check --no-compile --target /workspace/lib"
    return f"python3 {PIP}/pip install {options} {index} {package}"


async def installs_with_pip(there: Place) -> None:
    done = await there.bash(pip(there.port, "greetings-pkg"))
    assert done.ok, (done.stdout + done.stderr).decode()
    shown = await there.bash("python3 -c 'import greetings_pkg; print(greetings_pkg.WORD)'", env={"PYTHONPATH": "lib"})
    assert shown.stdout == b"hello from a wheel\n"
    assert there.asked == ["/simple/greetings-pkg/", "/files/greetings_pkg-1.0-py3-none-any.whl"]
    assert there.log.read_text().count('"registry:test"') == 2


@needs_bubblewrap
def test_pip_installs_from_a_registry(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path, mounts=(Mount(pips_wheel(), PIP),)) as there:
            await installs_with_pip(there)
            refused = await there.sandbox.exec(["python3", "-c", FETCH, "https://elsewhere.test/"], timeout=60)
            assert b"elsewhere.test:443 is none of the package registries" in refused.stdout
            assert '"no-registry"' in there.log.read_text()

    asyncio.run(run())


@pytest.mark.usefixtures("container_engine")
def test_pip_installs_from_a_registry_in_a_container(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path, "docker", mounts=(Mount(pips_wheel(), PIP),)) as there:
            await installs_with_pip(there)

    asyncio.run(run())


@needs_bubblewrap
@needs_npm
def test_npm_installs_from_a_registry(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path, mounts=(Mount(NPM, "/opt/npm"),)) as there:
            options = f"--registry http://registry.test:{there.port}/ --no-audit --no-fund --no-update-notifier"
            done = await there.bash(f"node /opt/npm/bin/npm-cli.js install {options} greetings-pkg")
            assert done.ok, (done.stdout + done.stderr).decode()
            shown = await there.bash("node -p \"require('greetings-pkg')\"")
            assert shown.stdout == b"hello from a tarball\n"
            assert there.asked == ["/greetings-pkg", "/greetings-pkg/-/greetings-pkg-1.0.0.tgz"]

    asyncio.run(run())


FETCH = """
import sys, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1]).read())
except OSError as error:
    print(error)
"""
WAYS_OUT = """
import socket
def tries(what, address):
    try:
        socket.create_connection(address, 3).close()
    except OSError as error:
        print(what, "no")
    else:
        print(what, "YES")
tries("registry", ("127.0.0.1", {port}))
tries("internet", ("1.1.1.1", 443))
tries("metadata", ("169.254.169.254", 80))
tries("name", ("registry.test", 80))
tries("proxy", ("127.0.0.1", 8078))
print(sorted(name for _, name in socket.if_nameindex()))
"""


@needs_bubblewrap
def test_the_proxy_is_the_only_way_out(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path) as there:
            looked = await there.sandbox.exec(["python3", "-c", WAYS_OUT.format(port=there.port)], timeout=60)
            assert looked.stdout.decode().splitlines() == [
                "registry no",
                "internet no",
                "metadata no",
                "name no",
                "proxy YES",
                "['lo']",
            ]
            refused = await there.bash(
                "exec 3<>/dev/tcp/127.0.0.1/8078; printf 'CONNECT github.com:443 HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
            )
            assert refused.stdout.startswith(
                b"HTTP/1.1 403 Forbidden: github.com:443 is none of the package registries"
            )

    asyncio.run(run())


@needs_bubblewrap
def test_every_process_is_told_of_the_proxy(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path) as there:
            shown = (
                await there.bash("(env) & wait; cat ~/.m2/settings.xml ~/.gradle/gradle.properties")
            ).stdout.decode()
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
            assert f"\n{name}=http://127.0.0.1:8078\n" in f"\n{shown}"
        for name in ("NO_PROXY", "no_proxy"):
            assert f"\n{name}=localhost,127.0.0.1,::1\n" in f"\n{shown}"
        assert shown.count("<port>8078</port>") == 2
        assert "systemProp.https.proxyPort=8078\n" in shown
        assert "JAVA_TOOL_OPTIONS" not in shown  # or every Java program would print that it has read it

    asyncio.run(run())


@needs_bubblewrap
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_loopback_is_reached_without_the_proxy(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path) as there:
            listener = await there.sandbox.listen(8099)
            heard = bytearray()

            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                heard.extend(await reader.readuntil(b"\r\n\r\n"))
                writer.write(b"HTTP/1.0 200 OK\r\n\r\ninside")
                writer.close()

            async with await asyncio.start_server(answer, sock=listener):
                done = await there.bash("curl -sS http://127.0.0.1:8099/x")
            assert done.stdout == b"inside"
            assert heard.startswith(b"GET /x HTTP/1.1")
            assert there.log.read_text() == ""

    asyncio.run(run())


@needs_bubblewrap
def test_a_sandbox_that_asks_for_no_network_has_none(tmp_path: Path) -> None:
    async def run() -> None:
        with NetworkLog(tmp_path / "network.jsonl") as log:
            networked = NetworkedBackend(load_backend("bubblewrap"), Grant(Policy("open", lists(80)), log))
            with pytest.raises(HarnessError, match="registries"):
                networked.create(SandboxSpec(owner=OWNER, network="registries"))
            sandbox = networked.create(SandboxSpec(owner=OWNER))
            try:
                await sandbox.start()
                done = await sandbox.exec(["bash", "-c", "env | grep -i proxy; exec 3<>/dev/tcp/127.0.0.1/8078"])
                assert done.exit_code == 1
                assert done.stdout == b""
            finally:
                await sandbox.close()

    asyncio.run(run())


@needs_bubblewrap
def test_nothing_is_let_out_once_everything_inside_was_killed(tmp_path: Path) -> None:
    async def run() -> None:
        async with place(tmp_path) as there:
            waiting = "import socket, time; s = socket.create_connection(('127.0.0.1', 8078)); print(1, flush=True)"
            await there.bash(f'python3 -c "{waiting}; time.sleep(600)" & sleep 0.5')
            await there.sandbox.kill_all()
            await there.sandbox.archive(tmp_path / "deliverable.tar")
            assert there.log.read_text() == ""

    asyncio.run(run())


@needs_bubblewrap
def test_a_proxy_that_fails_fails_what_was_done_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        def broken(*_: object) -> None:
            raise OSError("no log")

        async with place(tmp_path) as there:
            monkeypatch.setattr(NetworkLog, "add", broken)
            await there.sandbox.exec(["python3", "-c", FETCH, f"http://registry.test:{there.port}/"], timeout=60)
            with pytest.raises(HarnessError, match="no log"):
                await there.sandbox.kill_all()

    asyncio.run(run())
