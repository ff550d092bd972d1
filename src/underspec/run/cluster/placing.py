"""Which node works on what: by cores, memory and images, with nothing of Ray in it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Need:
    """What a piece of work needs of its node. ``images`` are names with digests, as the run's manifest has them."""

    cores: float
    memory_mb: int
    images: frozenset[tuple[str, str]] = frozenset()

    @staticmethod
    def together(needs: Iterable[Need]) -> Need:
        """What pieces need that are worked on at once."""
        every = list(needs)
        images = frozenset(image for need in every for image in need.images)
        return Need(sum(each.cores for each in every), sum(each.memory_mb for each in every), images)


@dataclass
class Node:
    """A node as the driver sees it, with what it has given to do there. ``images`` are those that were found on it."""

    id: str
    cores: float
    memory_mb: int
    images: frozenset[tuple[str, str]]
    given: dict[Hashable, Need] = field(default_factory=dict)

    def lacks(self, need: Need) -> str | None:
        """Why the node could not take this even if it had nothing else to do; None where it could.

        More cores than a node has are no reason: sandboxes share what there is.
        """
        if missing := sorted(name for name, _digest in need.images - self.images):
            return f"has not the image {missing[0]} as it was planned with"
        if need.memory_mb > self.memory_mb:
            return f"has {self.memory_mb} MB of memory, and {need.memory_mb} are needed"
        return None

    def takes(self, need: Need) -> bool:
        """Whether there is room for this now."""
        cores = sum(each.cores for each in self.given.values()) + min(need.cores, self.cores)
        memory = sum(each.memory_mb for each in self.given.values()) + need.memory_mb
        return self.lacks(need) is None and cores <= self.cores + 1e-9 and memory <= self.memory_mb

    @property
    def free(self) -> float:
        """Cores that nothing was given to."""
        return self.cores - sum(each.cores for each in self.given.values())

    def give(self, work: Hashable, need: Need) -> None:
        """Count ``work`` as given."""
        self.given[work] = Need(min(need.cores, self.cores), need.memory_mb, need.images)


def choose_node(need: Need, nodes: Sequence[Node]) -> Node | None:
    """The node with most free cores among those that have room; None when all are full, or none can take it at all."""
    able = [node for node in nodes if node.takes(need)]
    return max(able, key=lambda node: (node.free, node.id), default=None)
