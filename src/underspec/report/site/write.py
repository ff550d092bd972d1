"""Writing a site: whole or not at all, and never over anything that is no site."""

from __future__ import annotations

import errno
import json
import os
import secrets
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from importlib import resources
from multiprocessing import get_context
from pathlib import Path

from underspec.artifact.files import host_exhaustion
from underspec.errors import HarnessError, UsageError
from underspec.report.exhibits.draw import STYLE
from underspec.report.runs import Run
from underspec.report.site.overview import Exhibits, write_overview
from underspec.report.site.plan import SitePlan
from underspec.report.site.render import Pages
from underspec.report.site.work import write_task_pages
from underspec.run.removal import remove_tree

MARK = "site.json"
"""Tells that a folder is a site of ours, which may be written anew."""
SITE, PUBLIC_SITE = "site", "site-public"
_ASSETS = ("site.css", "site.js", "icon.svg")
_FEW_TASKS = 12
_TASKS_AT_ONCE = 4


@dataclass(frozen=True)
class Written:
    """What was written: the way in, and how many pages and bytes."""

    index: Path
    pages: int
    bytes: int


class _Folder:
    """Writes files below a folder that is not yet in its place, without waiting for the disk."""

    def __init__(self, root: Path):
        self.root = root
        self.pages = 0
        self.bytes = 0
        self._made: set[Path] = set()

    def write(self, address: str, data: bytes) -> None:
        path = self.root / address
        with host_exhaustion(path):
            if path.parent not in self._made:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._made.add(path.parent)
            path.write_bytes(data)
        self.pages += address.endswith(".html")
        self.bytes += len(data)


def write_site(
    plan: SitePlan,
    read: Callable[[], Sequence[Run]],
    out: Path,
    *,
    exhibits: Exhibits = lambda runs: (),
    workers: int | None = None,
    progress: Callable[[str], None] = lambda words: None,
) -> Written:
    """Write the site of ``plan`` to the folder ``out``, in place of an earlier one.

    ``read`` reads the plan's runs, in their order; it is called once workers have begun on pages of tasks and items.

    Raises:
        UsageError: something else than a site lies at ``out``, or nothing can be made there.
        StoreError: names the file of a run that is damaged; then nothing is written.
        HostExhaustedError: no space is left.
    """
    refuse_foreign(out)
    out = out.absolute()
    making = out.with_name(f".{out.name}.{secrets.token_hex(6)}.tmp")
    folder = _Folder(making)
    _make(making, out)
    try:
        pages = Pages(plan, out, folder.write)
        for name in _ASSETS:
            pages.add_bytes(f"assets/{name}", _asset(name))
        with _TaskWriters(plan, making, out, workers) as writers:
            progress("reading runs")
            runs = read()
            progress("writing pages of runs and conditions")
            write_overview(pages, runs, exhibits)
            number, size = writers.finish(pages, progress)
        mark = {"site": 1, "audience": plan.audience, "underspec": plan.version}
        pages.add_bytes(MARK, json.dumps(mark).encode() + b"\n")
        _put_in_place(making, out)
    finally:
        if making.exists():
            remove_tree(making)
    return Written(out / "index.html", folder.pages + number, folder.bytes + size)


def _make(making: Path, out: Path) -> None:
    with host_exhaustion(out):
        try:
            making.mkdir(parents=True)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            mend = "give a folder in which you may write"
            raise UsageError(
                f"no site can be made here: {os.strerror(error.errno or 0)}", file=str(out), mend=mend
            ) from error


def _asset(name: str) -> bytes:
    data = (resources.files("underspec.report.site") / "assets" / name).read_bytes()
    return data + STYLE.encode() + b"\n" if name.endswith(".css") else data


def refuse_foreign(out: Path) -> None:
    """Refuse to write where something else lies.

    Raises:
        UsageError: ``out`` is a file, or a folder with something in it that is no site.
    """
    mend = "give a folder that is new or empty, or that `underspec report` made"
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise UsageError("this is no folder", file=str(out), mend=mend)
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).is_file():
        raise UsageError("this folder holds something else than a site", file=str(out), mend=mend)


def _put_in_place(made: Path, out: Path) -> None:
    if out.exists():
        old = out.with_name(f".{out.name}.{secrets.token_hex(6)}.old")
        out.replace(old)
        made.replace(out)
        remove_tree(old)
    else:
        made.replace(out)


class _TaskWriters:
    """Pages of tasks and items, made in processes beside this one where there are many."""

    def __init__(self, plan: SitePlan, making: Path, out: Path, workers: int | None):
        self._plan, self._making, self._out = plan, making, out
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._workers = min(8, cores) if workers is None else workers
        self._pool: ProcessPoolExecutor | None = None
        self._running: list[Future[tuple[int, int]]] = []

    def __enter__(self) -> _TaskWriters:
        tasks = range(len(self._plan.tasks))
        if self._workers > 1 and len(tasks) > _FEW_TASKS:
            # Spawned: a fork of a process with threads (numpy's, the drawing engine's) may stand still.
            self._pool = ProcessPoolExecutor(
                self._workers,
                mp_context=get_context("spawn"),
                initializer=_begin,
                initargs=(self._plan, self._making, self._out),
            )
            parts = [tasks[start : start + _TASKS_AT_ONCE] for start in range(0, len(tasks), _TASKS_AT_ONCE)]
            self._running = [self._pool.submit(_write_part, part) for part in parts]
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def finish(self, pages: Pages, progress: Callable[[str], None]) -> tuple[int, int]:
        """Wait for all pages, or make them here; pages and bytes that others have written."""
        if self._pool is None:
            for place in self._plan.tasks:
                write_task_pages(self._plan, place, pages)
            return 0, 0
        number, size = 0, 0
        for done, future in enumerate(self._running, 1):
            try:
                more, bytes_ = future.result()
            except BrokenProcessPool as error:
                mend = "free some memory and run the same command again"
                raise HarnessError("a process that wrote pages was killed", mend=mend) from error
            number, size = number + more, size + bytes_
            progress(f"writing pages of tasks and items: {100 * done // len(self._running)} %")
        return number, size


_begun: list[tuple[SitePlan, Path, Path]] = []


def _begin(plan: SitePlan, making: Path, out: Path) -> None:
    # An interrupt reaches the whole group; whoever began this one ends it in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _begun[:] = [(plan, making, out)]


def _write_part(tasks: range) -> tuple[int, int]:
    ((plan, making, out),) = _begun
    folder = _Folder(making)
    pages = Pages(plan, out, folder.write)
    for number in tasks:
        write_task_pages(plan, plan.tasks[number], pages)
    return folder.pages, folder.bytes
