"""Acceptance is the same for an ordinary user, in containers, and leaves nothing when it is given up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.acceptance.toy import HONEST, OWNER, accept, deliver
from tests.sandbox.boxes import needs_bubblewrap, needs_root
from tests.sandbox.test_as_user import as_user, home, interpreter  # noqa: F401 - a fixture
from underspec.grade.acceptance.accept import accept_deliverable
from underspec.sandbox.backends import load_backend
from underspec.sandbox.bubblewrap.state import state_home
from underspec.sandbox.protocol import Check, Sandbox, SandboxSpec
from underspec.task.model import Task

HALF = HONEST.replace("Handler.total += int(", "Handler.total = int(")


class _Watched:
    """The real backend, which tells what it made."""

    name = "watched"

    def __init__(self) -> None:
        self._real = load_backend("bubblewrap")
        self.made: list[Sandbox] = []

    def checks(self) -> list[Check]:
        return self._real.checks()

    def create(self, spec: SandboxSpec) -> Sandbox:
        self.made.append(self._real.create(spec))
        return self.made[-1]

    def image_digest(self, image: str) -> str:
        return self._real.image_digest(image)

    def reap(self) -> list[str]:
        return []


@pytest.mark.sandbox
@needs_bubblewrap
@pytest.mark.parametrize("made", [1, 2, 3])
def test_given_up_half_way_it_leaves_no_sandbox(made: int, toy: Task, tmp_path: Path) -> None:
    folder = deliver(tmp_path, {"tally.py": "import time\ntime.sleep(100)\n"})
    backend = _Watched()

    async def run() -> None:
        running = asyncio.ensure_future(accept_deliverable(toy, folder, backend, image="host", owner=OWNER))
        while len(backend.made) < made:
            await asyncio.sleep(0.001)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(asyncio.wait_for(run(), 60))
    assert [sandbox.id for sandbox in backend.made if (state_home() / sandbox.id).exists()] == []


@pytest.mark.proof
@pytest.mark.sandbox
@needs_bubblewrap
@needs_root
def test_an_ordinary_user_gets_the_same_verdicts(home: Path) -> None:  # noqa: F811
    here = Path(__file__).parent
    arguments = [interpreter(home), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=200"]
    arguments += [f"--basetemp={home}/tmp", "-c", str(here.parents[1] / "pyproject.toml"), f"--rootdir={home}"]
    result = as_user([*arguments, str(here / "test_forgery.py"), str(here / "test_ends.py")], home)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert " passed" in result.stdout
    assert "skipped" not in result.stdout


@pytest.mark.proof
@pytest.mark.sandbox
@needs_root
def test_in_containers_the_verdicts_are_the_same(container_engine: str, toy: Task, tmp_path: Path) -> None:
    folder = deliver(tmp_path, {"tally.py": HALF})
    one, other = accept(toy, folder), accept(toy, folder, load_backend("docker"))
    assert one.acceptance.tests == other.acceptance.tests
    assert one.acceptance.units == other.acceptance.units
    assert one.acceptance.test_rate.passed == 4
