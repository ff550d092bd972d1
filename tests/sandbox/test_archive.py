"""Deliverables taken from a sandbox."""

from __future__ import annotations

import asyncio
import hashlib
import tarfile
from pathlib import Path

import pytest

from tests.sandbox.boxes import MIB, bash, in_sandbox, needs_bubblewrap, started
from underspec.artifact.deliverable import Deliverable
from underspec.errors import AgentError, DeliverableTooLargeError, HostExhaustedError, SandboxError
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from underspec.sandbox.deliverable import extract_deliverable, seal_folder

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

BUILD = r"""
mkdir -p src/inner empty build .git/objects sub/.git
echo 'print(1)' > src/main.py; chmod 755 src/main.py
echo data > src/inner/data; chmod 000 src/inner/data; ln src/inner/data src/hard
ln -s ../inner/data src/soft; ln -s /etc/shadow outward; ln -s loop loop
echo x > .git/objects/x; echo gitdir > src/.git; ln -s elsewhere build/.git
mkfifo build/fifo; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('build/socket')"
printf odd > $'bad\xff\nname'; printf long > $(printf 'n%.0s' $(seq 200)); : > 'a-b'; mkdir a; : > a/b; : > a0
touch -d '2001-02-03 04:05:06.789012345 UTC' src/main.py
chmod 000 sub
"""


def test_a_workspace_is_sealed_from_outside_after_its_end(tmp_path: Path) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        result = await bash(sandbox, BUILD)
        assert result.ok, result
        with pytest.raises(SandboxError):
            await sandbox.archive(tmp_path / "early.tar")
        await sandbox.kill_all()
        deliverable = await sandbox.archive(tmp_path / "deliverable.tar")
        assert sorted((entry.path, entry.reason) for entry in deliverable.dropped) == [
            (".git", "git"),
            ("build/.git", "git"),
            ("build/fifo", "fifo"),
            ("build/socket", "socket"),
            ("src/.git", "git"),
            ("sub/.git", "git"),
        ]
        assert Deliverable.from_bytes(deliverable.to_bytes(), file="x") == deliverable
        assert [path.name for path in tmp_path.iterdir()] == ["deliverable.tar"]
        again = await sandbox.archive(tmp_path / "again.tar")
        assert again == deliverable
        assert (tmp_path / "again.tar").read_bytes() == (tmp_path / "deliverable.tar").read_bytes()

        with tarfile.open(tmp_path / "deliverable.tar") as tar:
            members = {member.name: member for member in tar}
            names = [name.encode(errors="surrogateescape") for name in members]
            assert names == sorted(names)
            assert {(member.uid, member.gid, member.uname, member.gname) for member in members.values()} == {
                (0, 0, "", "")
            }
            assert members["src/main.py"].mode == 0o755
            assert members["src/main.py"].mtime == pytest.approx(981173106.789012345)
            assert members["src/hard"].isreg()
            assert members["src/inner/data"].isreg()
            assert members["src/soft"].linkname == "../inner/data"
            assert members["outward"].linkname == "/etc/shadow"
            assert members["empty"].isdir()
        assert deliverable.files == sum(not member.isdir() for member in members.values())
        assert deliverable.bytes == sum(member.size for member in members.values())

        into = tmp_path / "out"
        extract_deliverable(tmp_path / "deliverable.tar", into)
        resealed = seal_folder(into, tmp_path / "resealed.tar")
        assert (resealed.sha256, resealed.files, resealed.bytes) == (
            deliverable.sha256,
            deliverable.files,
            deliverable.bytes,
        )
        assert (into / "src/main.py").stat().st_mtime_ns == 981173106789012345
        assert (into / "src/hard").read_text() == "data\n"
        assert resealed.dropped == ()

    test()


def test_the_hash_is_of_paths_kinds_executable_bits_and_contents_only(tmp_path: Path) -> None:
    def sealed(script: str) -> str:
        hashes = []

        @in_sandbox()
        async def test(sandbox: BubblewrapSandbox) -> None:
            assert (await bash(sandbox, script)).ok
            await sandbox.kill_all()
            hashes.append((await sandbox.archive(tmp_path / "d.tar")).sha256)

        test()
        return hashes[0]

    base = "echo a > f; mkdir d; echo b > d/g; ln -s f l"
    same = [f"{base}; touch -d 2001-01-01 f d", f"{base}; chmod 600 f; chmod 700 d", f"{base}; mkfifo p; mkdir .git"]
    other = [
        f"{base}; chmod +x f",
        f"{base}; echo c >> f",
        f"{base}; mv f F",
        f"{base}; ln -snf F l",
        f"{base}; rm l; echo f > l",
        f"{base}; mkdir e",
        f"{base}; rm -r d",
        f"{base}; mv d/g .",
    ]
    expected = sealed(base)
    assert [sealed(script) for script in same] == [expected] * len(same)
    found = [sealed(script) for script in other]
    assert expected not in found
    assert len(set(found)) == len(found)


def test_the_hash_follows_its_definition(tmp_path: Path) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        await bash(sandbox, "mkdir d; printf xy > d/f; printf run > e; chmod +x e; ln -s d/f l")
        await sandbox.kill_all()
        deliverable = await sandbox.archive(tmp_path / "d.tar")

        def entry(kind: bytes, path: bytes, content: bytes) -> bytes:
            return kind + len(path).to_bytes(4, "big") + path + len(content).to_bytes(8, "big") + content

        parts = [(b"d", b"d", b""), (b"f", b"d/f", b"xy"), (b"x", b"e", b"run"), (b"l", b"l", b"d/f")]
        assert deliverable.sha256 == hashlib.sha256(b"".join(entry(*part) for part in parts)).hexdigest()

    test()


def test_a_workspace_over_a_lower_folder_is_sealed_whole(tmp_path: Path) -> None:
    async def run() -> None:
        lower = tmp_path / "lower"
        (lower / "kept").mkdir(parents=True)
        (lower / "kept/file").write_text("kept")
        (lower / "gone").write_text("gone")
        (lower / "changed").write_text("before")
        async with started(lower=lower) as sandbox:
            assert (await bash(sandbox, "rm gone; echo after > changed; mkdir new; echo n > new/file")).ok
            await sandbox.kill_all()
            deliverable = await sandbox.archive(tmp_path / "d.tar")
        extract_deliverable(tmp_path / "d.tar", tmp_path / "out")
        found = {
            str(path.relative_to(tmp_path / "out")): path.read_text()
            for path in (tmp_path / "out").rglob("*")
            if path.is_file()
        }
        assert found == {"changed": "after\n", "kept/file": "kept", "new/file": "n\n"}
        assert deliverable.dropped == ()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("bounds", "fits"),
    [
        ({"max_files": 5, "max_bytes": 100}, True),
        ({"max_files": 4, "max_bytes": 100}, False),
        ({"max_files": 5, "max_bytes": 99}, False),
    ],
)
def test_a_deliverable_up_to_its_bounds_is_sealed_and_a_larger_one_refused(
    tmp_path: Path, bounds: dict[str, int], fits: bool
) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        await bash(sandbox, "for i in 1 2 3 4; do printf %025d 0 > $i; done; ln -s 1 5")
        await sandbox.kill_all()
        if fits:
            deliverable = await sandbox.archive_within(tmp_path / "d.tar", path="/workspace", **bounds)
            assert (deliverable.files, deliverable.bytes) == (5, 100)
        else:
            with pytest.raises(DeliverableTooLargeError):
                await sandbox.archive_within(tmp_path / "d.tar", path="/workspace", **bounds)
            assert list(tmp_path.iterdir()) == []

    test()


def test_a_path_that_is_no_folder_is_the_agents_failure(tmp_path: Path) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        await bash(sandbox, "ln -s /etc link; echo x > file")
        await sandbox.kill_all()
        for path in ("/workspace/link", "/workspace/file", "/workspace/missing"):
            with pytest.raises(AgentError):
                await sandbox.archive(tmp_path / "d.tar", path=path)
        assert list(tmp_path.iterdir()) == []

    test()


def test_paths_deeper_than_the_kernel_names_are_dropped_and_listed(tmp_path: Path) -> None:
    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        script = (
            "import os\nfor _ in range(60): os.mkdir('d' * 100); os.chdir('d' * 100)\nopen('bottom', 'w').write('x')"
        )
        assert (await sandbox.exec(["python3", "-c", script])).ok
        await bash(sandbox, "echo fine > file")
        await sandbox.kill_all()
        deliverable = await sandbox.archive(tmp_path / "d.tar")
        assert deliverable.files == 1
        assert [entry.reason for entry in deliverable.dropped] == ["unreadable"]

    test()


def test_a_full_host_disk_is_not_the_agents_failure(tmp_path: Path) -> None:
    """The tar goes to a device that is always full."""

    @in_sandbox()
    async def test(sandbox: BubblewrapSandbox) -> None:
        await bash(sandbox, "head -c 3000000 /dev/urandom > file")
        await sandbox.kill_all()
        from underspec.sandbox.bubblewrap.files import work

        order = {"work": "archive", "path": "/workspace", "max_bytes": 10 * MIB, "max_files": 10}
        with Path("/dev/full").open("wb") as full, pytest.raises(HostExhaustedError):
            await work(sandbox._running(), order, into=full.fileno())

    test()
