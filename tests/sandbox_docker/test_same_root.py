"""The image ``host`` is the same root tree on both backends, under the same digest."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from underspec.sandbox.backends import load_backend
from underspec.sandbox.protocol import Owner, SandboxSpec

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.usefixtures("container_engine"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]

# An engine's own additions, which hold nothing.
ADDED = ("/.dockerenv ", "/sys ", "/proc ")
LIST = r"""
find / -xdev -mindepth 1 -maxdepth 1 -printf '%p %y %m %U %G %l\n'
find /etc /home /mnt /opt /srv /var -printf '%p %y %m %U %G %l\n'
find /usr -maxdepth 2 -printf '%p %y %m %U %G %l\n'
find /usr/local /usr/src /usr/lib/python3/dist-packages -mindepth 1
find /etc -type f -size -64k -exec sha256sum {} +
stat -c '%n %F %t %T %a' /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty
cat /proc/self/limits; ulimit -a; env; id; hostname; pwd; locale
"""


def test_trees_files_owners_and_surroundings_are_equal() -> None:
    async def seen(backend_name: str) -> tuple[str, list[str]]:
        backend = load_backend(backend_name)
        sandbox = backend.create(SandboxSpec(owner=Owner("tests", "same root")))
        try:
            await sandbox.start()
            listed = await sandbox.exec(["bash", "-c", LIST])
            lines = listed.stdout.decode(errors="backslashreplace").splitlines()
            return sandbox.image_digest, sorted(line for line in lines if not line.startswith(ADDED))
        finally:
            await sandbox.close()

    async def run() -> None:
        (digest, root), (other_digest, other_root) = await asyncio.gather(seen("bubblewrap"), seen("docker"))
        assert digest == other_digest
        assert len(root) > 500
        assert sorted(set(root) ^ set(other_root)) == []

    asyncio.run(run())
