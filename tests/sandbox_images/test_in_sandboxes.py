"""A made image in sandboxes: its tree is the root, read-only and root's, and the machine's own is nowhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox_images.small import NAME, make_small_image
from underspec.errors import EnvironmentLacksError, StoreError
from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Mount, Owner, Sandbox, SandboxSpec

pytestmark = pytest.mark.sandbox
OWNER = Owner(run="tests", purpose="images")


def inside(test: Callable[[Sandbox], Awaitable[None]], **spec: Any) -> None:
    async def run() -> None:
        sandbox = load_backend("bubblewrap").create(SandboxSpec(owner=OWNER, image=NAME, **spec))
        try:
            await sandbox.start()
            await test(sandbox)
        finally:
            await sandbox.close()

    asyncio.run(run())


async def said(sandbox: Sandbox, script: str) -> str:
    result = await sandbox.exec(["/bin/sh", "-c", script])
    assert result.ok, result
    return result.stdout.decode().strip()


def test_the_root_is_the_images(image_home: Path) -> None:
    make_small_image(env={"MODE": "fast"})

    async def test(sandbox: Sandbox) -> None:
        assert await said(sandbox, "cat /etc/word") == "first"
        assert await said(sandbox, "cat /etc/hostname /etc/resolv.conf") == "sandbox"
        shown = {path.name for path in (image_home / NAME / "root").iterdir()} | {"dev", "proc"}
        assert set((await said(sandbox, "ls /")).split()) | {"sys"} == shown
        assert await said(sandbox, 'echo "$MODE $PATH"') == "fast /usr/bin:/bin"
        assert not (await sandbox.exec(["python3", "-c", ""])).ok  # the machine has one, the image none

    inside(test)


def test_it_is_read_only_and_the_writable_places_are_writable(image_home: Path) -> None:
    made = make_small_image()

    async def test(sandbox: Sandbox) -> None:
        for place in ("/etc/word", "/usr/bin/new", "/opt/new", "/new"):
            assert not (await sandbox.exec(["touch", place])).ok, place
        for place in ("/tmp", "/var/tmp", "/root", "/run", "/workspace", "/dev/shm"):
            assert (await sandbox.exec(["touch", f"{place}/new"])).ok, place

    inside(test)
    assert load_backend("bubblewrap").image_digest(NAME) == made.digest  # and nothing reached the tree


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to map owners")
def test_its_files_are_roots_inside_and_private_ones_can_be_read(image_home: Path) -> None:
    make_small_image()
    private = image_home / NAME / "root/etc/passwd"
    assert private.stat().st_uid == 0

    async def test(sandbox: Sandbox) -> None:
        assert await said(sandbox, "stat -c %u:%g /etc/word /usr/bin/bash /etc /tmp /workspace") == "\n".join(
            ["0:0"] * 5
        )

    inside(test)


def test_the_environment_of_a_sandbox_and_of_a_command_come_before_the_images(image_home: Path) -> None:
    make_small_image(env={"A": "image", "B": "image", "C": "image"})

    async def test(sandbox: Sandbox) -> None:
        result = await sandbox.exec(["/bin/sh", "-c", 'echo "$A $B $C"'], env={"C": "command"})
        assert result.stdout == b"image sandbox command\n"

    inside(test, env={"B": "sandbox", "C": "sandbox"})


def test_inputs_can_be_shown_at_new_and_at_empty_places(image_home: Path, tmp_path: Path) -> None:
    make_small_image()
    (tmp_path / "input").write_text("shown")
    targets = ("/inputs/one", "/opt/one", "/workspace/one")

    async def test(sandbox: Sandbox) -> None:
        assert await said(sandbox, f"cat {' '.join(targets)}") == "shown" * 3

    inside(test, mounts=tuple(Mount(tmp_path / "input", target) for target in targets))


def test_results_on_it_are_comparable_and_on_the_host_are_not(image_home: Path) -> None:
    make_small_image()
    backend = load_backend("bubblewrap")
    assert backend.image_digest(NAME).startswith("sha256:")
    assert backend.image_digest("host").startswith("host:")


def test_an_image_that_was_not_made_or_was_changed_starts_nothing(image_home: Path) -> None:
    backend = load_backend("bubblewrap")
    with pytest.raises(EnvironmentLacksError, match="not on this machine"):
        backend.create(SandboxSpec(owner=OWNER, image=NAME))
    make_small_image()
    (image_home / NAME / "root/usr/bin/new").write_text("#!/bin/sh\n")
    with pytest.raises(StoreError, match="changed"):
        backend.create(SandboxSpec(owner=OWNER, image=NAME))
