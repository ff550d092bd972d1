"""Where sessions are minted, asked, read and closed; knows tasks and credentials, and nothing of HTTP."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

from underspec.artifact.session import SessionLog, Turn
from underspec.errors import StakeholderError, UsageError
from underspec.stakeholder.journal import SessionHeader
from underspec.stakeholder.router import Router, Routing
from underspec.stakeholder.service.credentials import hashed, new_token
from underspec.stakeholder.service.store import GroupRow, SessionRow, SessionStore, StoredTurns
from underspec.stakeholder.session import DEFAULT_BUDGET, Answer, Refusal, Session, session_header
from underspec.task.model import LevelRecords

MAX_BUDGET = 10_000
_MOST_OPEN = 512
_MOST_KNOWN = 16_384


@dataclass(frozen=True)
class Minted:
    """A new session, and the credential that is told once."""

    name: str
    credential: str
    header: SessionHeader


@dataclass(frozen=True)
class ServedTask:
    """One task's records by level. Nothing else of a task comes here."""

    id: str
    levels: Mapping[str, LevelRecords]


class _Timed:
    """A router with a limit of time. The limit ends routing only: a turn that is being stored is never cut off.

    Where routing runs is the router's choice. ``lexical`` needs a millisecond of the interpreter and stays in the
    event loop: in threads, which share the interpreter, `python -m bench.stakeholder lexical` counted fewer questions
    a second (784 against 891) and no better p99. ``embedded`` goes into threads by itself.
    """

    def __init__(self, router: Router, seconds: float) -> None:
        self.name, self.version = router.name, router.version
        self._router, self._seconds = router, seconds

    async def route(self, question: str, records: LevelRecords, history: Sequence[Turn]) -> Routing:
        """See :class:`underspec.stakeholder.router.Router`."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._router.route(question, records, history)
        except TimeoutError as error:
            raise StakeholderError(f"the router {self.name!r} gave no answer within {self._seconds:g} s") from error


class Desk:
    """All sessions of one database. Histories are isolated: a session's router call sees its own turns only."""

    def __init__(
        self,
        store: SessionStore,
        tasks: Sequence[ServedTask],
        router: Router,
        *,
        exposure: str,
        budget: int = DEFAULT_BUDGET,
        answer_seconds: float = 120.0,
    ) -> None:
        self.store = store
        self.tasks = {task.id: task for task in tasks}
        self.router = _Timed(router, answer_seconds)
        self.exposure = exposure
        self.budget = budget
        # Headers without budget: digests of records are made once.
        self._headers = {
            (task.id, level): session_header(task.id, level, records, router, budget)
            for task in tasks
            for level, records in task.levels.items()
        }
        # Whoever asks holds its session, so one that is in use is always found again; others go when there are many.
        self._live: WeakValueDictionary[int, Session] = WeakValueDictionary()
        self._recent: OrderedDict[int, Session] = OrderedDict()
        self._loading: dict[int, asyncio.Task[Session]] = {}
        self._known: OrderedDict[bytes, int] = OrderedDict()
        self._joining: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    async def mint(self, task: str, exposure: str | None = None, budget: int | None = None) -> Minted:
        """Begin a session.

        Raises:
            UsageError: there is no such task or exposure here, or no such budget can be had.
        """
        header = self._header(task, exposure or self.exposure, self.budget if budget is None else budget)
        name, credential = secrets.token_hex(16), new_token()
        await self.store.mint(name, hashed(credential), header)
        return Minted(name, credential, header)

    def _header(self, task: str, exposure: str, budget: int) -> SessionHeader:
        if task not in self.tasks:
            raise UsageError("no such task is served here", where="task")
        if (task, exposure) not in self._headers:
            known = ", ".join(self.tasks[task].levels)
            raise UsageError(f"this task has records for {known} only", where="exposure")
        if not 0 <= budget <= MAX_BUDGET:
            raise UsageError(f"a budget is 0 to {MAX_BUDGET} questions", where="budget")
        return self._headers[task, exposure].model_copy(update={"budget": budget})

    async def session_of(self, credential: str) -> int | None:
        """The row id of the session that this credential opens."""
        digest = hashed(credential)
        known = self._known.get(digest)
        if known is None:
            row = await self.store.by_credential(digest)
            if row is None:
                return None
            known = self._known[digest] = row.id
        self._known.move_to_end(digest)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return known

    async def ask(self, session: int, question: str, request_id: str | None = None) -> Answer | Refusal:
        """Ask in one session; see :meth:`underspec.stakeholder.session.Session.ask`.

        Raises:
            StakeholderError: the router failed or took too long, or the session was begun with other records or
                another router. Not charged.
        """
        return await (await self._open(session)).ask(question, request_id)

    async def close(self, row: SessionRow) -> None:
        """Take no more questions in a session. What is being asked is answered first."""
        await self.store.close_session(row.id)
        if row.id in self._live or row.id in self._loading:
            await (await self._open(row.id)).retire()

    async def join(self, group: GroupRow, task: str, exposure: str) -> int:
        """The row id of a group's session about one task; begins it when it is first asked for.

        Raises:
            UsageError: no such task or exposure is served here.
        """
        header = self._header(task, exposure, group.budget)
        async with self._joining.setdefault((group.id, task), asyncio.Lock()):
            row = await self.store.in_group(group.id, task)
            if row is not None:
                return row.id
            return await self.store.mint(secrets.token_hex(16), None, header, group.id)

    def task_named(self, name: str) -> str | None:
        """The served task that the published data calls ``name`` (``realcode@001`` is ``realcode-001`` here)."""
        if name in self.tasks:
            return name
        made = re.sub(r"[^a-z0-9]+", "-", name[:200].lower()).strip("-")
        return made if made in self.tasks else None

    async def logs(self, summarised: Callable[[SessionLog], None], task: str | None = None) -> None:
        """Hand every session's log to ``summarised``, one at a time, oldest first."""
        last = 0
        while rows := await self.store.page(last, 200, task):
            for row in rows:
                summarised(await self.store.log(row))
            last = rows[-1].id

    async def _open(self, session: int) -> Session:
        live = self._live.get(session)
        if live is None:
            loading = self._loading.get(session)
            if loading is None:
                loading = asyncio.ensure_future(self._load(session))
                self._loading[session] = loading
                loading.add_done_callback(lambda _: self._loading.pop(session, None))
            live = await asyncio.shield(loading)
        self._recent[session] = live
        self._recent.move_to_end(session)
        while len(self._recent) > _MOST_OPEN:
            self._recent.popitem(last=False)
        return live

    async def _load(self, session: int) -> Session:
        row = await self.store.by_id(session)
        if row is None:
            raise StakeholderError("there is no such session")
        header = row.header
        known = self._headers.get((header.task, header.level))
        if known is None or known.model_copy(update={"budget": header.budget}) != header:
            raise StakeholderError(
                f"session {row.name} was begun about {header.task} at {header.level} with router {header.router}: "
                "its records, or its router, are not those that are served now"
            )
        records = self.tasks[header.task].levels[header.level]
        opened = Session(StoredTurns(self.store, row, await self.store.turns(session)), records, self.router)
        if row.closed:
            await opened.retire()
        self._live[session] = opened
        return opened
