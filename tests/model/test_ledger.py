"""The ledger: one synced line a call, whole after a kill, and its sums."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.artifact.ledger import (
    ModelCall,
    by_role,
    mean_task_cost,
    parse_ledger,
    read_ledger,
    spending,
    task_cost,
)
from underspec.errors import StoreError
from underspec.model.ledger import Ledger


def line(number: int = 1, **fields: object) -> ModelCall:
    given = {"role": "builder", "phase": "build", "model": "p/m", "outcome": "ok", "seconds": 1.0, **fields}
    return ModelCall.model_validate({"number": number, **given})


def store(ledger: Ledger, **fields: object) -> None:
    ledger.store_now(**{"role": "builder", "phase": "build", "model": "p/m", "outcome": "ok", "seconds": 0.5, **fields})


def test_lines_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        store(ledger, input=3, output=4, cost=0.25, price_source="packaged 2026-01-01")
        store(ledger, outcome="error", error="rate_limit", retries=2)
        assert read_ledger(path) == ledger.calls
    assert [call.number for call in read_ledger(path)] == [1, 2]


def test_a_torn_last_line_is_no_call_and_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        store(ledger)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    assert len(read_ledger(path)) == 1
    with Ledger.open(path) as ledger:
        store(ledger)
    assert [call.number for call in read_ledger(path)] == [1, 2]


def test_damage_elsewhere_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line().to_bytes() + b'{"cost": "much"}\n' + line(2).to_bytes())
    with pytest.raises(StoreError, match="line 2"):
        read_ledger(path)


def test_one_process_holds_it(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.jsonl"), pytest.raises(StoreError, match="another process"):
        Ledger.open(tmp_path / "ledger.jsonl")


def test_many_threads_leave_every_line_whole(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"

    def write(ledger: Ledger) -> None:
        for _ in range(25):
            store(ledger)

    with Ledger.open(path) as ledger:
        threads = [threading.Thread(target=write, args=(ledger,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [call.number for call in read_ledger(path)] == list(range(1, 101))


_WRITER = """
import sys
from pathlib import Path
from underspec.model.ledger import Ledger
with Ledger.open(Path(sys.argv[1])) as ledger:
    while True:
        call = ledger.store_now(role="builder", phase="build", model="p/m", outcome="ok", seconds=0.0, cost=0.5)
        print(call.number, flush=True)
"""


def test_what_was_stored_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    child = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    told = [int(child.stdout.readline()) for _ in range(20)]
    os.kill(child.pid, signal.SIGKILL)
    told += [int(number) for number in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    kept = read_ledger(path)
    assert told == list(range(1, len(told) + 1))
    assert len(kept) in (len(told), len(told) + 1)


def test_an_unknown_cost_is_unknown_and_not_nothing() -> None:
    both = spending([line(cost=0.5), line(2, cost=None)])
    assert both.cost is None
    assert (both.known_cost, both.uncosted) == (0.5, 1)
    assert spending([]).cost == 0.0


def test_a_cancelled_call_stands_beside_the_sum() -> None:
    sums = spending([line(cost=0.5), line(2, outcome="cancelled")])
    assert sums.cost == 0.5
    assert sums.interrupted == 1


def test_what_our_own_cache_answered_costs_what_it_cost_and_is_not_billed() -> None:
    sums = spending([line(cost=0.5), line(2, cost=0.5, local_cache=True)])
    assert sums.cost == 1.0
    assert sums.billed == 0.5


def test_a_tasks_cost_is_the_builders_in_the_phases_of_table_5() -> None:
    calls = [
        line(1, cost=1.0),
        line(2, cost=2.0, phase="clarify"),
        line(3, cost=4.0, phase="implement"),
        line(4, cost=8.0, phase="answer"),
        line(5, cost=16.0, role="client", phase="clarify"),
        line(6, cost=32.0, role="router"),
    ]
    assert task_cost(calls).cost == 7.0
    assert {role: sums.cost for role, sums in by_role(calls).items()} == {
        "builder": 15.0,
        "client": 16.0,
        "router": 32.0,
    }
    assert mean_task_cost([calls, [line(cost=1.0)]]) == 4.0
    assert mean_task_cost([calls, [line(cost=None)]]) is None
    assert mean_task_cost([]) is None


_CALLS = st.lists(
    st.builds(
        lambda cost, tokens, role: line(cost=cost, input=tokens, role=role),
        st.floats(0, 1e6),
        st.integers(0, 10**9),
        st.sampled_from(["builder", "router", "judge"]),
    ),
    max_size=30,
)


@given(_CALLS)
def test_sums_depend_on_no_order_and_roles_make_up_the_whole(calls: list[ModelCall]) -> None:
    shuffled = sorted(calls, key=lambda call: (call.role, call.cost))
    assert spending(shuffled) == spending(calls)
    parts = by_role(calls).values()
    assert sum(part.input for part in parts) == spending(calls).input
    assert sum(part.known_cost for part in parts) == pytest.approx(spending(calls).known_cost)


@given(_CALLS)
def test_any_cut_of_a_ledger_reads_as_its_whole_lines(calls: list[ModelCall]) -> None:
    data = b"".join(call.to_bytes() for call in calls)
    for cut in range(0, len(data) + 1, max(1, len(data) // 7)):
        assert parse_ledger(data[:cut], file="x") == tuple(calls[: data[:cut].count(b"\n")])
