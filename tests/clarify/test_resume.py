"""``kill -9`` at every boundary between phases and in every phase, then the same command: the same artifacts, once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.toy_agents import attempts_that_published, published
from underspec.artifact.condition import Condition
from underspec.run.protocols import steps_of

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

from tests.clarify import victim  # noqa: E402  # needs the engine

PHASES = {
    protocol: [step.phase for step in steps_of(Condition(agent="x", protocol=protocol))]
    for protocol in ("clarify-first", "continued")
}
CALLS = [*range(1, 12), 1, 2, 3, 1, 2, 3, 1, 2]
"""Calls of models at which processes die one after the other. Ten are made in clarify, two each in implement, answer
and judge; a phase that is over is not begun again, so that counting begins anew."""


def killed(folder: Path, protocol: str, *how: str) -> bool:
    """Run in a process of its own; whether it was killed."""
    environment = {**os.environ, "TMPDIR": str(folder / "temporary")}
    (folder / "temporary").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.clarify.victim", str(folder), protocol, *how]
    done = subprocess.run(command, timeout=300, env=environment, stderr=subprocess.PIPE, check=False)
    assert done.returncode in (0, -9), done.stderr.decode(errors="replace")[-3000:]
    return done.returncode == -9


def same_as_calm(stormy: Path, calm: Path) -> None:
    assert published(stormy / "run") == published(calm / "run")
    assert set(attempts_that_published(stormy / "run").values()) == {1}
    assert list((stormy / "run").rglob("claim")) == []
    assert list((stormy / "run").rglob("scratch")) == []
    # What a killed sandbox leaves is removed by the next command; its own folder for state stays.
    assert [path for path in (stormy / "temporary").rglob("*") if path.parent != stormy / "temporary"] == []


def storm(tmp_path: Path, protocol: str, kills: list[tuple[str, str]]) -> None:
    """Each kill in its turn, on one run; then the end, compared with a run that nobody killed."""
    calm, stormy = tmp_path / "calm", tmp_path / "stormy"
    calm.mkdir()
    stormy.mkdir()
    victim.work(calm, protocol)
    finished: set[str] = set()
    for how in kills:
        assert killed(stormy, protocol, *how), how
        now = set(published(stormy / "run"))
        assert finished <= now, "the finished set shrank"
        finished = now
    assert not killed(stormy, protocol)
    same_as_calm(stormy, calm)


@pytest.mark.proof
def test_a_run_killed_in_the_middle_of_building_ends_like_a_calm_one(tmp_path: Path) -> None:
    storm(tmp_path, "clarify-first", [("call", "12")])


@pytest.mark.proof
@pytest.mark.parametrize("protocol", sorted(PHASES))
def test_a_run_killed_in_every_phase_ends_like_a_calm_one(tmp_path: Path, protocol: str) -> None:
    storm(tmp_path, protocol, [("amid", phase) for phase in PHASES[protocol]])


@pytest.mark.proof
@pytest.mark.parametrize("protocol", sorted(PHASES))
def test_a_run_killed_at_every_boundary_ends_like_a_calm_one(tmp_path: Path, protocol: str) -> None:
    kills = [(moment, phase) for phase in PHASES[protocol] for moment in ("before", "after")]
    storm(tmp_path, protocol, kills)


@pytest.mark.proof
def test_a_run_killed_at_every_call_of_a_model_ends_like_a_calm_one(tmp_path: Path) -> None:
    storm(tmp_path, "clarify-first", [("call", str(number)) for number in CALLS])
