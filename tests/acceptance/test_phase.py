"""The accept phase reads a sealed deliverable and publishes verdicts; its key changes when they may."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.toy import HONEST, OWNER, deliver
from tests.commission_factory import TESTS_SUM, canary, commission_files, make_commission
from tests.sandbox.boxes import needs_bubblewrap
from underspec.artifact.acceptance import Acceptance, AcceptanceFailures
from underspec.artifact.condition import Condition
from underspec.errors import StoreError
from underspec.phase.accept import ACCEPTANCE_FAILURES_FILE, ACCEPTANCE_FILE, AcceptInputs, accept
from underspec.phase.build import DELIVERABLE_FILE, DELIVERABLE_TAR
from underspec.phase.work import Work
from underspec.sandbox.backends import load_backend
from underspec.sandbox.deliverable import seal_folder
from underspec.task.load import load_task

CONDITION = Condition(agent="nop")


def sealed(folder: Path, text: str = HONEST) -> Path:
    """A published artifact that holds a deliverable."""
    artifact = folder / "artifact"
    artifact.mkdir(parents=True)
    deliverable = seal_folder(deliver(folder / "delivered", {"tally.py": text}), artifact / DELIVERABLE_TAR)
    (artifact / DELIVERABLE_FILE).write_bytes(deliverable.to_bytes())
    return artifact


def inputs(folder: Path, delivered: Path, *, condition: Condition = CONDITION, **task: Any) -> AcceptInputs:
    return AcceptInputs(load_task(make_commission(folder, **task)), condition, delivered, "host", "host:1")


@pytest.mark.sandbox
@needs_bubblewrap
def test_a_sealed_deliverable_becomes_verdicts(tmp_path: Path) -> None:
    events: list[tuple[str, dict[str, Any]]] = []
    for folder in ("attempt", "out", "scratch"):
        (tmp_path / folder).mkdir()
    said: list[str] = []
    work = Work(
        backend=load_backend("bubblewrap"),
        owner=OWNER,
        attempt=tmp_path / "attempt",
        artifact=tmp_path / "out",
        scratch=tmp_path / "scratch",
        log=lambda event, **fields: events.append((event, fields)),
        progress=said.append,
    )
    one = inputs(tmp_path / "task", sealed(tmp_path, HONEST.replace("exit(2)", "exit(1)")))
    asyncio.run(accept(one, work))
    verdicts = Acceptance.read(tmp_path / "out" / ACCEPTANCE_FILE)
    failures = AcceptanceFailures.read(tmp_path / "out" / ACCEPTANCE_FAILURES_FILE)
    assert verdicts.deliverable == failures.deliverable == one.deliverable().sha256
    assert (verdicts.test_rate.passed, verdicts.unit_rate.passed, verdicts.passed) == (4, 1, False)
    assert [test.id for test in failures.tests] == ["test_sum::test_what_is_no_number_is_an_error"]
    assert said == ["4 of 5 tests pass, 1 of 2 units"]
    assert events == [("rejected", {"passed": 4, "total": 5, "units_passed": 1, "units_total": 2})]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [ACCEPTANCE_FAILURES_FILE, ACCEPTANCE_FILE]


def test_the_key_changes_when_the_verdicts_may(tmp_path: Path) -> None:
    delivered = sealed(tmp_path / "one")
    first = inputs(tmp_path / "a", delivered).key()
    assert inputs(tmp_path / "b", delivered).key() == first
    units = commission_files()["hidden/units.json"]
    fewer = {**units, "units": [{**units["units"][0], "tests": units["units"][0]["tests"][:1]}, units["units"][1]]}
    changes: list[dict[str, Any]] = [
        {"files": {"hidden/acceptance/test_sum.py": TESTS_SUM.format(canary=canary(5)) + "\n# more\n"}},
        {"files": {"hidden/acceptance/helper.py": "# more\n"}},
        {"files": {"hidden/units.json": fewer}},
        {"toml": {"limits": {"memory_mb": 128}}},
        {"toml": {"acceptance": {"seconds": 5}}},
        {"condition": Condition(agent="nop", grade_network="open")},
    ]
    keys = {inputs(tmp_path / f"c{number}", delivered, **change).key() for number, change in enumerate(changes)}
    keys.add(inputs(tmp_path / "d", sealed(tmp_path / "other", HONEST + "\n")).key())
    assert len(keys) == len(changes) + 1
    assert first not in keys


def test_the_key_does_not_change_with_what_no_test_reads(tmp_path: Path) -> None:
    delivered = sealed(tmp_path / "one")
    first = inputs(tmp_path / "a", delivered).key()
    units = commission_files()["hidden/units.json"]
    files = {
        "hidden/requests/ground.md": f"<!-- canary {canary(2)} -->\n# Other words\n",
        "hidden/units.json": {**units, "question": "And {topic}?"},
        "hidden/acceptance/test_sum.py": TESTS_SUM.format(canary="underspec-canary-another-one"),
        "hidden/variants/reference/tally.py": f"# canary {canary(7)}\n",
    }
    assert inputs(tmp_path / "b", delivered, files=files).key() == first


def test_a_damaged_deliverable_has_no_key(tmp_path: Path) -> None:
    delivered = sealed(tmp_path)
    (delivered / DELIVERABLE_FILE).write_text("{}")
    with pytest.raises(StoreError):
        inputs(tmp_path / "a", delivered).key()
