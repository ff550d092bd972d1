"""The Ray executor: gives items to nodes, takes back those of nodes that went, ends when all items have."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.errors import EnvironmentLacksError, HarnessError
from underspec.run.cluster import worker
from underspec.run.cluster.job import Job, make_job
from underspec.run.cluster.keys import served_keys
from underspec.run.cluster.placing import Need, Node, choose_node
from underspec.run.cluster.ray_engine import NodeGoneError, Ray, connected
from underspec.run.cluster.worker import Seen, Worked, restored
from underspec.run.context import RunContext, image_of
from underspec.run.executor import calls_models, choose, status
from underspec.run.item import Item
from underspec.run.prepare import Prepared

BATCH = 4
"""Items that call models are worked on by so many in one process: they wait more than they work, and an idle process
of the model engine takes 180 MB."""
MAX_LOST = 5
"""So often an item is given away again after the worker went that had it."""
HARNESS_MB = 256
NODES_EVERY = 1.0
NO_NODE_SECONDS = 60.0
ENDING_SECONDS = 30.0


@dataclass(frozen=True)
class _Piece:
    """What is given to one worker at once."""

    items: tuple[Item, ...]
    need: Need


@dataclass
class _Driver:
    context: RunContext
    job: Job
    ray: Ray
    keys: str | None
    waiting: deque[_Piece]
    nodes: dict[str, Node] = field(default_factory=dict)
    unfit: dict[str, str] = field(default_factory=dict)
    working: dict[asyncio.Task[Worked], tuple[_Piece, Node, Any]] = field(default_factory=dict)
    looking: dict[str, asyncio.Task[Seen]] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    given_up: list[str] = field(default_factory=list)

    async def run(self) -> None:
        nobody_since: float | None = None
        loop = asyncio.get_running_loop()
        try:
            while self.waiting or self.working:
                await self._meet_nodes()
                self._give()
                if self.working or self.looking or not self.waiting:
                    nobody_since = None
                elif nobody_since is None:
                    nobody_since = loop.time()
                elif self._hopeless() or loop.time() - nobody_since > NO_NODE_SECONDS:
                    raise self._nobody()
                tasks: set[asyncio.Task[Any]] = {*self.working, *self.looking.values()}
                if tasks:
                    await asyncio.wait(tasks, timeout=NODES_EVERY, return_when=asyncio.FIRST_COMPLETED)
                else:
                    await asyncio.sleep(NODES_EVERY)
                self._take_back()
        finally:
            await self._end()
        if self.given_up:
            raise HarnessError(
                f"the worker went {MAX_LOST} times while it was at {self.given_up[0]}"
                + (f", and {len(self.given_up) - 1} more" if len(self.given_up) > 1 else ""),
                file=str(self.context.store.path),
                mend="see the worker's logs in Ray's session folder; everything else of the run is finished",
            )

    async def _meet_nodes(self) -> None:
        alive = {node.id: node for node in await asyncio.to_thread(self.ray.nodes)}
        for gone in set(self.nodes) - set(alive):
            del self.nodes[gone]
        for id_ in alive:
            if id_ not in self.nodes and id_ not in self.unfit and id_ not in self.looking:
                reference = self.ray.send(id_, 0, 0, worker.look, self.job)
                self.looking[id_] = asyncio.ensure_future(self.ray.result(reference))
        for id_, task in list(self.looking.items()):
            if not task.done():
                continue
            del self.looking[id_]
            try:
                seen = task.result()
            except NodeGoneError:
                continue
            if seen.failure is not None:
                self.unfit[id_] = f"{alive[id_].address if id_ in alive else id_[:8]}: {restored(seen.failure)}"
            elif id_ in alive:
                found = alive[id_]
                self.nodes[id_] = Node(id_, found.cores, found.memory_mb, seen.images)

    def _give(self) -> None:
        for _ in range(len(self.waiting)):
            piece = self.waiting.popleft()
            node = choose_node(piece.need, list(self.nodes.values()))
            if node is None:
                self.waiting.append(piece)
                continue
            folders = [item.folder for item in piece.items]
            cores = min(piece.need.cores, node.cores)
            name = self.context.store.path.name
            reference = self.ray.send(
                node.id, cores, piece.need.memory_mb, worker.work, name, self.job, folders, self.keys
            )
            task = asyncio.ensure_future(self.ray.result(reference))
            node.give(task, piece.need)
            self.working[task] = (piece, node, reference)
            for item in piece.items:
                self.context.progress(item, f"on node {node.id[:8]}")

    def _take_back(self) -> None:
        for task in [task for task in self.working if task.done()]:
            piece, node, _reference = self.working.pop(task)
            node.given.pop(task, None)
            try:
                worked = task.result()
            except NodeGoneError:
                self._lost(piece, {})
                continue
            for item in piece.items:
                if item.folder in worked.ended:
                    self.context.progress(item, worked.ended[item.folder])
            if worked.failure is not None:
                raise restored(worked.failure)

    def _lost(self, piece: _Piece, ended: Mapping[str, str]) -> None:
        for item in piece.items:
            self.lost[item.folder] += 1
            if self.lost[item.folder] >= MAX_LOST:
                self.given_up.append(item.folder)
                self.context.progress(item, "unscored")
            else:
                self.context.progress(item, "its worker went; waiting for another")
                # Alone from now on: if it was the one that ended the worker, the others are rid of it.
                self.waiting.append(_Piece((item,), need_of(self.context, item)))

    def _hopeless(self) -> bool:
        """Whether there are nodes, all of them looked at, and none of them can take any piece that waits."""
        nodes = list(self.nodes.values())
        known = bool(nodes or self.unfit) and not self.looking
        return known and all(node.lacks(piece.need) for piece in self.waiting for node in nodes)

    def _nobody(self) -> EnvironmentLacksError:
        reasons = list(self.unfit.values())
        for node in self.nodes.values():
            reasons += [f"node {node.id[:8]} {lack}" for piece in self.waiting if (lack := node.lacks(piece.need))]
        said = "; ".join(dict.fromkeys(reasons)) or "no node is there"
        mend = "add a node that has what is needed, and give the same command again; what is finished stays"
        return EnvironmentLacksError(f"no node of the cluster can go on: {said}", mend=mend)

    async def _end(self) -> None:
        """Let workers that are still at it close what they have open, as Ctrl-C does; then kill them."""
        for looking in self.looking.values():
            looking.cancel()
        for force in (False, True):
            running = {task for task in self.working if not task.done()}
            for task in running:
                self.ray.cancel(self.working[task][2], force=force)
            if running:
                await asyncio.wait(running, timeout=ENDING_SECONDS)
        await asyncio.gather(*self.looking.values(), *self.working, return_exceptions=True)


def need_of(context: RunContext, item: Item) -> Need:
    """What one item needs of its node: a sandbox as its task's limits make it, and ourselves beside it."""
    task = context.tasks[item.task].toml
    names = [image_of(context, item)] + ([task.acceptance.image] if task.acceptance.image else [])
    images = frozenset((name, context.image_digests[name]) for name in names)
    return Need(task.limits.cpus, task.limits.memory_mb + HARNESS_MB, images)


def _pieces(context: RunContext, items: Sequence[Item]) -> Iterator[_Piece]:
    batch: list[Item] = []
    for item in items:
        if not calls_models(context, item):
            yield _Piece((item,), need_of(context, item))
            continue
        batch.append(item)
        if len(batch) == BATCH:
            yield _piece(context, batch)
            batch = []
    if batch:
        yield _piece(context, batch)


def _piece(context: RunContext, items: Sequence[Item]) -> _Piece:
    return _Piece(tuple(items), Need.together(need_of(context, item) for item in items))


@contextlib.contextmanager
def _keys(environment: Mapping[str, str], *, own_cluster: bool) -> Iterator[str | None]:
    """Where workers ask for keys: here, for a cluster of this machine's own; else at each node's usual place."""
    if not own_cluster:
        yield None
        return
    with (
        tempfile.TemporaryDirectory(prefix="underspec-keys-") as folder,
        served_keys(Path(folder) / "keys.sock", environment) as place,
    ):
        yield str(place)


async def execute_on_ray(
    prepared: Prepared, settings: Mapping[str, Any], *, address: str | None, environment: Mapping[str, str]
) -> None:
    """Bring every item of a run that has begun to its end, on a cluster.

    ``settings`` are what ``prepare`` was given. ``address`` is Ray's; None makes a cluster of this machine alone.

    Raises:
        EnvironmentLacksError: Ray, a cluster or a node that can do it is missing.
        UnderspecError: what ended a worker's part of the run; what is finished stays.
    """
    context = prepared.context
    to_do: list[Item] = []
    for item in prepared.items:
        await asyncio.to_thread(choose, context, item)
        state = await asyncio.to_thread(status, context, item)
        if state.done:
            context.progress(item, "done" if state.complete else "unscored")
        else:
            to_do.append(item)
    if not to_do:
        return
    job = make_job(prepared, settings)
    with _keys(environment, own_cluster=address is None) as keys, connected(address) as ray:
        driver = _Driver(context, job, ray, keys, deque(_pieces(context, to_do)))
        await driver.run()
