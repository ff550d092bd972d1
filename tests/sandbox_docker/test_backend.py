"""What only the docker backend has: an engine, its images, its containers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox_docker.engine_images import import_image, remove_image
from underspec.errors import EnvironmentLacksError, SandboxError, SandboxGoneError, UsageError
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.bubblewrap.state import state_home
from underspec.sandbox.docker import DockerBackend
from underspec.sandbox.docker.connection import ask, engine
from underspec.sandbox.docker.leftovers import container_name
from underspec.sandbox.docker.sandbox import DockerSandbox
from underspec.sandbox.images.build import build_from_docker
from underspec.sandbox.protocol import Mount, Owner, SandboxBackend, SandboxSpec

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("container_engine")]

OWNER = Owner(run="tests", purpose="docker tests")


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)


@contextlib.asynccontextmanager
async def started(**spec: Any) -> AsyncIterator[DockerSandbox]:
    sandbox = DockerSandbox(SandboxSpec(owner=OWNER, **spec))
    try:
        await sandbox.start()
        yield sandbox
    finally:
        await sandbox.close()


def container(sandbox_id: str) -> dict[str, Any]:
    found: dict[str, Any] = ask(f"/containers/{container_name(sandbox_id)}/json")
    return found


def containers() -> set[str]:
    """Of these tests, and without a label that says whose they are."""
    everything = ask("/containers/json", all="1")
    mine = [each for each in everything if each["Labels"].get("underspec.purpose") in (None, OWNER.purpose)]
    return {name.lstrip("/") for each in mine for name in each["Names"]}


@contextlib.contextmanager
def strange_container(name: str, labels: dict[str, str]) -> Iterator[str]:
    """A container that no sandbox of this process made."""
    import_image("underspec-test-plain")
    body = {"Image": "underspec-test-plain", "Cmd": ["/bin/bash", "-c", "sleep 600"], "Labels": labels}
    with engine() as connected:
        connected.checked("POST", f"/containers/create?name={name}", json.dumps(body).encode())
    try:
        yield name
    finally:
        with engine() as connected:
            connected.request("DELETE", f"/containers/{name}?force=1")
        remove_image("underspec-test-plain")


def test_the_container_is_locked_down_before_anything_runs_in_it() -> None:
    async def run() -> None:
        async with started() as sandbox:
            found = container(sandbox.id)
            host = found["HostConfig"]
            assert host["NetworkMode"] == "none"
            assert host["CapDrop"] == ["ALL"]
            assert "no-new-privileges" in host["SecurityOpt"]
            assert not any("unconfined" in option for option in host["SecurityOpt"])
            assert (host["Privileged"], host["ReadonlyRootfs"], host["PidMode"], host["UsernsMode"]) == (
                False,
                True,
                "",
                "",
            )
            assert all(mount["RW"] is False for mount in found["Mounts"])
            assert not any(mount["Source"].endswith(".sock") for mount in found["Mounts"])
            assert found["Config"]["Labels"]["underspec.sandbox"] == sandbox.id
            assert found["Config"]["Labels"]["underspec.run"] == "tests"

    asyncio.run(run())


def test_nothing_is_mounted_where_the_host_could_see_it(tmp_path: Path) -> None:
    async def run() -> None:
        lower = tmp_path / "lower"
        lower.mkdir()
        async with started(lower=lower):
            mounts = Path("/proc/self/mountinfo").read_text()
            assert str(tmp_path) not in mounts
            assert "/workspace" not in mounts

    asyncio.run(run())


def test_closing_leaves_no_container_and_no_state() -> None:
    async def run() -> None:
        async with started() as sandbox:
            name = container_name(sandbox.id)
            assert name in containers()
        assert name not in containers()
        assert list(state_home().iterdir()) == []

    asyncio.run(run())


def test_a_container_that_is_killed_or_removed_from_outside_is_told() -> None:
    async def run() -> None:
        async with started() as sandbox:
            running = asyncio.ensure_future(sandbox.exec(["sleep", "60"]))
            await asyncio.sleep(0.3)
            with engine() as connected:
                connected.checked("DELETE", f"/containers/{container_name(sandbox.id)}?force=1")
            with pytest.raises(SandboxGoneError):
                await running
            with pytest.raises(SandboxError):
                await sandbox.exec(["true"])
        assert list(state_home().iterdir()) == []

    asyncio.run(run())


def test_a_killed_keeper_leaves_a_container_that_closing_removes() -> None:
    async def run() -> None:
        async with started() as sandbox:
            running = asyncio.ensure_future(sandbox.exec(["sleep", "60"]))
            await asyncio.sleep(0.3)
            os.kill(sandbox._running().pid, signal.SIGKILL)
            with pytest.raises(SandboxGoneError):
                await running
            name = container_name(sandbox.id)
            assert name in containers()
        assert name not in containers()
        assert list(state_home().iterdir()) == []

    asyncio.run(run())


def test_containers_that_cannot_be_judged_from_here_are_left_alone() -> None:
    async def run() -> None:
        async with started() as living:
            document = json.loads(container(living.id)["Config"]["Labels"]["underspec.owner"])
            dead = document | {"owner": {"pid": 2**22, "started": 1}, "keeper": None}
            user = str(os.geteuid())

            def labels(owner: dict[str, Any], sandbox: str = "0123456789abcdef", **more: str) -> dict[str, str]:
                given = {"underspec.sandbox": sandbox, "underspec.user": user, "underspec.owner": json.dumps(owner)}
                return given | {name.replace("_", "."): value for name, value in more.items()}

            for strange in (
                {},
                labels(dead | {"machine": "another"}),
                labels(dead | {"processes": "pid:[1]"}),
                labels(dead, underspec_user="12345"),
                labels(dead, sandbox="another-name"),
                labels(document),
                labels(dead) | {"underspec.owner": "{ not json"},
            ):
                with strange_container("underspec-0123456789abcdef", strange) as name:
                    assert DockerBackend().reap() == []
                    assert name in containers()
            with strange_container("underspec-0123456789abcdef", labels(dead)) as name:
                assert DockerBackend().reap() == ["0123456789abcdef"]
                assert name not in containers()
            assert (await living.exec(["echo", "alive"])).stdout == b"alive\n"

    asyncio.run(run())


def test_an_image_is_the_same_root_on_both_backends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    import_image("underspec-test-own:1", files={"/etc/passwd": b"root:x:0:0::/root:/bin/bash\n", "/data": b"own\n"})
    try:
        build_from_docker("own", "underspec-test-own:1", on_progress=lambda line: None)
    finally:
        remove_image("underspec-test-own:1")
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown/file").write_text("shown\n")
    mounts = (Mount(tmp_path / "shown", "/opt/deep/shown"), Mount(tmp_path / "shown/file", "/mnt/file"))
    script = """
    cat /data /opt/deep/shown/file /mnt/file file /etc/hostname /etc/hosts; echo > /tmp/x; ls -A /root /run /var/tmp
    ls -lnd /usr /etc /data /bin/bash /opt/deep /mnt/file /var/tmp | cut -d' ' -f1,3,4; id -u; pwd; type -p ls
    echo > /data || echo > /etc/x || echo > /opt/deep/shown/x || echo refused
    """

    async def seen(backend: SandboxBackend) -> tuple[str, str, bytes]:
        spec = SandboxSpec(owner=OWNER, image="own", mounts=mounts, lower=tmp_path / "shown")
        sandbox = backend.create(spec)
        try:
            await sandbox.start()
            said = await sandbox.exec(["bash", "-c", script])
            assert said.ok, said
            return sandbox.image_digest, backend.image_digest("own"), said.stdout
        finally:
            await sandbox.close()

    there, here = asyncio.run(seen(BubblewrapBackend())), asyncio.run(seen(DockerBackend()))
    assert there == here
    assert here[0] == here[1]
    assert here[2].startswith(b"own\nshown\nshown\nshown\nsandbox\n127.0.0.1")
    assert here[2].endswith(b"refused\n")


def test_an_image_without_bash_is_refused_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    import_image("underspec-test-bare", programs=("/usr/bin/true",))
    try:
        build_from_docker("bare", "underspec-test-bare", on_progress=lambda line: None)
    finally:
        remove_image("underspec-test-bare")

    async def run() -> None:
        before = containers()
        with pytest.raises(SandboxError, match="bash"):
            async with started(image="bare"):
                pass
        assert containers() == before
        assert list(state_home().iterdir()) == []

    asyncio.run(run())


def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EnvironmentLacksError, match="underspec image build no-such-image"):
        DockerBackend().create(SandboxSpec(owner=OWNER, image="no-such-image"))
    with pytest.raises(UsageError, match="network"):
        DockerBackend().create(SandboxSpec(owner=OWNER, network="open"))
    assert all(check.ok for check in DockerBackend().checks() if check.required)
    for host, said in (
        (f"unix://{tmp_path}/docker.sock", "no engine answers"),
        (f"unix://{tmp_path}/nowhere/docker.sock", "no engine listens"),
        ("tcp://192.0.2.1:2375", "tcp://"),
        ("ssh://somewhere", "ssh://"),
        ("unix://relative", "relative"),
    ):
        monkeypatch.setenv("DOCKER_HOST", host)
        (check,) = DockerBackend().checks()
        assert (check.ok, check.required) == (False, True)
        assert said in check.detail
        assert check.mend
        with pytest.raises(EnvironmentLacksError):
            asyncio.run(DockerSandbox(SandboxSpec(owner=OWNER)).start())
        with pytest.raises(EnvironmentLacksError):
            DockerBackend().reap()


def test_an_ordinary_user_is_told_what_to_use_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.sandbox.docker.sandbox.os.geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLacksError, match="bubblewrap"):
        asyncio.run(DockerSandbox(SandboxSpec(owner=OWNER)).start())


def test_a_command_that_hangs_costs_no_cpu_meanwhile() -> None:
    async def run() -> None:
        async with started() as sandbox:
            keeper = Path(f"/proc/{sandbox._running().pid}/stat")
            running = asyncio.ensure_future(sandbox.exec(["sleep", "1.5"]))
            await asyncio.sleep(0.3)
            before = keeper.read_text().split()[13:15]
            began = time.monotonic()
            await running
            ticks = sum(map(int, keeper.read_text().split()[13:15])) - sum(map(int, before))
            assert ticks / os.sysconf("SC_CLK_TCK") < 0.2 * (time.monotonic() - began)

    asyncio.run(run())
