"""Which node works on what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from underspec.run.cluster.placing import Need, Node, choose_node

IMAGES = [("host", "a"), ("python", "b"), ("python", "c")]
needs = st.builds(
    Need,
    cores=st.sampled_from([0.5, 1.0, 2.0, 64.0]),
    memory_mb=st.integers(0, 4000),
    images=st.frozensets(st.sampled_from(IMAGES), max_size=2),
)
nodes = st.lists(
    st.tuples(st.sampled_from([1.0, 2.0, 8.0]), st.integers(500, 8000), st.frozensets(st.sampled_from(IMAGES))),
    max_size=4,
).map(lambda found: [Node(str(place), *each) for place, each in enumerate(found)])


@given(nodes, st.lists(needs, max_size=30))
def test_no_node_is_given_more_than_it_has(nodes: list[Node], wanted: list[Need]) -> None:
    for place, need in enumerate(wanted):
        node = choose_node(need, nodes)
        if node is not None:
            node.give(place, need)
    for node in nodes:
        assert sum(each.memory_mb for each in node.given.values()) <= node.memory_mb
        assert sum(each.cores for each in node.given.values()) <= node.cores
        assert all(each.images <= node.images for each in node.given.values())


@given(nodes, st.lists(needs, max_size=12))
def test_what_some_node_can_take_is_taken_in_the_end(nodes: list[Node], wanted: list[Need]) -> None:
    waiting = dict(enumerate(wanted))
    done: set[int] = set()
    while True:
        given_now = []
        for place, need in waiting.items():
            node = choose_node(need, nodes)
            if node is not None:
                node.give(place, need)
                given_now.append((place, node))
        if not given_now:
            break
        for place, node in given_now:
            del node.given[place]
            del waiting[place]
            done.add(place)
    for place, need in enumerate(wanted):
        assert (place in done) == any(node.lacks(need) is None for node in nodes)


def test_an_item_that_wants_more_cores_than_there_are_has_a_node_for_itself() -> None:
    node = Node("only", cores=2.0, memory_mb=1000, images=frozenset())
    large = Need(cores=8.0, memory_mb=10)
    assert choose_node(large, [node]) is node
    node.give("large", large)
    assert choose_node(Need(cores=0.5, memory_mb=10), [node]) is None


def test_the_node_with_most_room_is_chosen() -> None:
    busy, idle = Node("a", 8.0, 1000, frozenset()), Node("b", 4.0, 1000, frozenset())
    busy.give("work", Need(6.0, 10))
    assert choose_node(Need(1.0, 10), [busy, idle]) is idle


def test_what_a_node_lacks_is_said() -> None:
    node = Node("only", cores=2.0, memory_mb=1000, images=frozenset({("python", "b")}))
    assert node.lacks(Need(1.0, 2000)) == "has 1000 MB of memory, and 2000 are needed"
    assert node.lacks(Need(1.0, 10, frozenset({("python", "c")}))) == (
        "has not the image python as it was planned with"
    )
    assert node.lacks(Need(1.0, 10, frozenset({("python", "b")}))) is None
