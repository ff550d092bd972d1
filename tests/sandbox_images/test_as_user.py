"""An image that root built serves an ordinary user as it serves root."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sandbox.boxes import needs_root
from tests.sandbox.test_as_user import as_user, interpreter
from tests.sandbox.test_as_user import home as user_home
from tests.sandbox_images.small import NAME, make_small_image

home = user_home  # the fixture: a folder that the user may enter

_USE = """
import asyncio, json
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.sandbox.protocol import Owner, SandboxSpec

async def main():
    backend = BubblewrapBackend()
    sandbox = backend.create(SandboxSpec(owner=Owner(run="tests", purpose="user"), image="small"))
    try:
        await sandbox.start()
        read = await sandbox.exec(["/bin/sh", "-c", "cat /etc/word; cat /etc/private/secret"])
        wrote = await sandbox.exec(["touch", "/etc/new"])
        print(json.dumps([backend.image_digest("small"), read.stdout.decode(), wrote.ok]))
    finally:
        await sandbox.close()

asyncio.run(main())
"""


@needs_root
@pytest.mark.sandbox
def test_an_ordinary_user_uses_an_image_that_root_built(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = home / "shared"
    shared.mkdir()
    monkeypatch.setenv("UNDERSPEC_HOME", str(shared))
    made = make_small_image(private=True)
    python = interpreter(home)
    ran = as_user(["/usr/bin/env", f"UNDERSPEC_HOME={shared}", python, "-c", _USE], home)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [made.digest, "first", False]
    assert made.name == NAME
