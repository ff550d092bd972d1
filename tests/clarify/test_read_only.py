"""While one clarifies, the workspace shows the client's material and takes nothing, in any sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.commission_factory import make_commission
from underspec.errors import AgentError
from underspec.phase.materials import MOST_TEXT, Materials, read_only_copy
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import WORKSPACE, Mount, Owner, SandboxSpec
from underspec.task.load import load_task

TRIES = (
    "echo x > new; echo x >> README.md; rm -f README.md; mv README.md other; mkdir d; ln -s / l; chmod 777 .; "
    "mount -o remount,rw /workspace; cat README.md; ls -A; grep -o 'toy-tally' /proc/self/mountinfo; true"
)


@pytest.fixture(params=["bubblewrap", pytest.param("docker", marks=pytest.mark.proof)])
def backend(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("container_engine")
    return str(request.param)


@pytest.mark.sandbox
def test_nothing_can_be_written_and_the_mount_does_not_name_the_task(tmp_path: Path, backend: str) -> None:
    material = read_only_copy(load_task(make_commission(tmp_path)))

    async def attempt() -> str:
        mounts = (Mount(material, WORKSPACE),)
        sandbox = load_backend(backend).create(SandboxSpec(owner=Owner("test", "clarify"), mounts=mounts))
        await sandbox.start()
        try:
            with pytest.raises(AgentError):
                await sandbox.put(f"{WORKSPACE}/put", b"x")
            done = await sandbox.exec(["bash", "-c", TRIES])
            return done.stdout.decode()
        finally:
            await sandbox.close()

    before = {path.name: path.read_bytes() for path in material.iterdir()}
    assert asyncio.run(attempt()) == "# Tally\n\nNothing is here yet.\nREADME.md\n"
    assert {path.name: path.read_bytes() for path in material.iterdir()} == before


def test_material_is_read_and_never_left(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "sub" / "b.bin").write_bytes(b"\0\1")
    (tmp_path / "long.txt").write_text("x" * (MOST_TEXT + 5))
    (tmp_path / "secret").symlink_to("/etc/passwd")
    materials = Materials(tmp_path)
    assert materials.paths() == ("a.txt", "long.txt", "sub/b.bin")
    assert materials.read("a.txt") == materials.read("/workspace/a.txt") == "a"
    assert materials.read("sub/b.bin") == "(no text)"
    assert (materials.read("long.txt") or "").endswith("[... 5 characters more]")
    for path in ("secret", "../a.txt", "/etc/passwd", "sub", "", "sub/../../x", "nothing"):
        assert materials.read(path) is None
    assert Materials(None).texts() == {}


def test_a_task_without_material_shows_an_empty_workspace(tmp_path: Path) -> None:
    task = load_task(make_commission(tmp_path, files={"visible/workspace/README.md": None}))
    assert list(read_only_copy(task).iterdir()) == []
