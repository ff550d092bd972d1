"""Progress of a run on stderr: a live view on a terminal, a line for each finished item elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from underspec.report.terminal import plain
from underspec.run.item import Item

_SHOWN = 8


class RunProgress:
    """Called with an item and what it is doing: nothing where it is empty; ``done`` and ``unscored`` end it, and
    ``reviewed`` what was found out about it after that."""

    def __init__(self, planned: int):
        self.planned = planned
        self.started = time.monotonic()
        self.working: dict[str, str] = {}
        self.done = 0
        self.unscored = 0
        self.console = Console(file=sys.stderr)
        self.live = Live(console=self.console, transient=True, refresh_per_second=4, get_renderable=self._view)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.stop()

    def __call__(self, item: Item, what: str) -> None:
        if what in ("done", "unscored"):
            self.working.pop(item.folder, None)
            self.done += 1
            self.unscored += what == "unscored"
            if not self.console.is_terminal:
                print(f"[{self.done}/{self.planned}] {item.folder}: {what}", file=sys.stderr, flush=True)
        elif what and what != "reviewed":
            self.working[item.folder] = what
        else:
            self.working.pop(item.folder, None)
            if what and not self.console.is_terminal:
                print(f"{item.folder}: {what}", file=sys.stderr, flush=True)

    def _view(self) -> Group:
        elapsed = int(time.monotonic() - self.started)
        head = f"{self.done}/{self.planned} items, {self.unscored} unscored, {elapsed // 60}:{elapsed % 60:02}"
        lines = [Text(head, style="bold")]
        lines += [Text(plain(f"  {name}: {what}")) for name, what in list(self.working.items())[:_SHOWN]]
        if len(self.working) > _SHOWN:
            lines.append(Text(f"  and {len(self.working) - _SHOWN} more"))
        return Group(*lines)
