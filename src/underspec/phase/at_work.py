"""An agent at work in a phase, whatever the phase: asking, ending, failing, handing over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from underspec.agent.protocol import Agent, Answered, Assignment, Finish
from underspec.artifact.build import BuildEnd
from underspec.artifact.deliverable import Deliverable
from underspec.errors import AgentError, DeliverableTooLargeError, HarnessError, UnderspecError
from underspec.model.limits import LimitReachedError, PhaseWatch
from underspec.phase.work import Work
from underspec.sandbox.deliverable import seal_folder
from underspec.stakeholder.channel import ChannelServer
from underspec.stakeholder.session import Answer
from underspec.stakeholder.wire import Asked

T = TypeVar("T")


@dataclass(frozen=True)
class Finished:
    """Where an agent says that its phase is over. ``end`` is then the phase's, whatever else the agent does."""

    name: str
    says: str
    end: BuildEnd
    event: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def said(self) -> bool:
        """Whether it did."""
        return self.event.is_set()

    def tool(self) -> Finish:
        """The same for the agent."""
        return Finish(self.name, self.says, self.event.set)


def asker(session: Asked) -> Callable[[str], Awaitable[Answered]]:
    """The session for an agent whose loop runs in this process."""

    async def ask(question: str) -> Answered:
        answer = await session.ask(question)
        if isinstance(answer, Answer):
            return Answered(answer.reply, answer.remaining)
        return Answered(None, answer.remaining, answer.reason)

    return ask


async def let_work(
    agent: Agent,
    assignment: Assignment,
    watch: PhaseWatch,
    work: Work,
    *,
    channel: ChannelServer | None,
    finished: Finished | None = None,
) -> BuildEnd:
    """Let an agent work to its end. A limit that it reaches, and a failure of its own, are ends like others.

    Raises:
        UnderspecError: somebody else's failure.
    """
    ended = partial(BuildEnd, agent=agent.name, agent_version=agent.version)
    try:
        return await until_ended(work_of(agent, assignment), watch, channel=channel, finished=finished)
    except LimitReachedError as error:
        stop = error.stop
        work.log("limit", layer=stop.layer, limit=stop.limit, elapsed=round(stop.elapsed, 3), paused=stop.paused)
        return ended(ended="limit", limit=stop.limit, layer=stop.layer)
    except AgentError as error:
        return ended(ended="failed", detail=said_text(str(error)))


async def work_of(agent: Agent, assignment: Assignment) -> BuildEnd:
    """What the agent says of its end. An agent is a plug-in: that its program crashed, in whatever way, says nothing
    about the model or the script that it runs, and ends neither this process nor, in silence, its item."""
    task = asyncio.current_task()
    assert task is not None
    try:
        end: object = await agent.build(assignment)
    except (UnderspecError, OSError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and task.cancelling():
            raise  # by us; else by the agent, of itself
        raise HarnessError(said_text(f"the program of agent {agent.name!r} failed: {error!r}")) from error
    if not isinstance(end, BuildEnd):
        raise HarnessError(f"the program of agent {agent.name!r} returned {type(end).__name__} and not a BuildEnd")
    return end.model_copy(update={"detail": said_text(end.detail)})


def said_text(said: str) -> str:
    """What an artifact can hold: bytes that a file name or an output was made of are no Unicode."""
    return said.encode(errors="backslashreplace").decode()


async def until_ended(
    building: Coroutine[Any, Any, BuildEnd],
    watch: PhaseWatch,
    *,
    channel: ChannelServer | None,
    finished: Finished | None = None,
) -> BuildEnd:
    """The phase's end, or what ended it: the agent's own word, a limit, a provider of models that is down, or a
    stakeholder that broke down, since an agent that got no answer is not measured."""
    worker = asyncio.ensure_future(building)
    stopper = asyncio.ensure_future(watch.stopped())
    watchers: set[asyncio.Future[Any]] = {stopper}
    if channel is not None:
        watchers.add(asyncio.ensure_future(channel.failed()))
    if finished is not None:
        watchers.add(asyncio.ensure_future(finished.event.wait()))
    try:
        await asyncio.wait({worker, *watchers}, return_when=asyncio.FIRST_COMPLETED)
        if channel is not None and channel.failure is not None:
            raise channel.failure
        if finished is not None and finished.said:
            return finished.end
        if worker.done() and not worker.cancelled() and worker.exception() is None:
            return worker.result()
        # An agent whose model was taken away ends somehow. What took it away is what counts.
        if (stopped := watch.ended()) is not None:
            raise stopped
        return await worker
    finally:
        for each in (worker, *watchers):
            each.cancel()
        await asyncio.wait({worker, *watchers})


async def under_watch(work: Coroutine[Any, Any, T], watch: PhaseWatch) -> T:
    """The result of ``work``, or what ends its phase before: a limit, or a provider that is down.

    Raises:
        UnderspecError: what ended the phase, or what ``work`` raised.
    """
    worker, stopper = asyncio.ensure_future(work), asyncio.ensure_future(watch.stopped())
    try:
        await asyncio.wait({worker, stopper}, return_when=asyncio.FIRST_COMPLETED)
        if not worker.done() and (stopped := watch.ended()) is not None:
            raise stopped
        return await worker
    finally:
        for each in (worker, stopper):
            each.cancel()
        await asyncio.wait({worker, stopper})


def nothing_handed_over(end: BuildEnd, error: AgentError, work: Work, tar: str) -> tuple[BuildEnd, Deliverable]:
    """A workspace that cannot be sealed is the agent's failure: nothing is handed over, and nothing scores 0."""
    empty = work.scratch / "empty"
    empty.mkdir()
    deliverable = seal_folder(empty, work.artifact / tar)
    changed: dict[str, Any] = {"ended": "failed", "detail": error.message}
    if isinstance(error, DeliverableTooLargeError):
        changed |= {"ended": "limit", "limit": "disk", "layer": "archive"}
    return end.model_copy(update=changed), deliverable
