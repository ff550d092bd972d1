"""Maps between the inside's ids and the host's."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from underspec.sandbox.keeper.identity import INSIDE_IDS, owner_first_map, plain_map

BASE = 100000


def translate(map_text: str, number: int) -> int | None:
    """The host id of an id on disk."""
    found = []
    for line in map_text.splitlines():
        first, host, count = map(int, line.split())
        assert count > 0
        if first <= number < first + count:
            found.append(host + number - first)
    assert len(found) <= 1
    return found[0] if found else None


@settings(max_examples=100, deadline=None)
@given(owner=st.integers(0, 2**32 - 3) | st.integers(0, 70_000))
def test_the_owner_of_a_folder_is_root_inside_and_nobody_else_is(owner: int) -> None:
    text = owner_first_map(owner, BASE)
    assert translate(text, owner) == BASE
    edges = {0, 1, owner - 1, owner, owner + 1, INSIDE_IDS - 1, INSIDE_IDS, 1000}
    hosts = [translate(text, number) for number in edges if 0 <= number < INSIDE_IDS]
    seen = [host for host in hosts if host is not None]
    assert len(set(seen)) == len(seen)
    assert all(BASE <= host < BASE + INSIDE_IDS for host in seen)
    assert sum(host == BASE for host in seen) == (owner < INSIDE_IDS)


def test_ids_stay_as_they_are_where_root_owns_a_folder() -> None:
    assert owner_first_map(0, BASE) == plain_map(BASE)
    assert [translate(plain_map(BASE), number) for number in (0, 1, 65535, 65536)] == [
        BASE,
        BASE + 1,
        BASE + 65535,
        None,
    ]
