"""Progress of a report on stderr: one line that changes on a terminal, and nothing elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status


class ReportProgress:
    """Called with what is being done."""

    def __init__(self) -> None:
        self._console = Console(file=sys.stderr)
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status = self._console.status("planning pages")
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, words: str) -> None:
        if self._status is not None:
            self._status.update(words)
