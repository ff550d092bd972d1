"""Dollars spent by a whole run, over all its workers: an append-only file of amounts, and a limit."""

from __future__ import annotations

import math
import os
from pathlib import Path

from underspec.artifact.files import host_exhaustion
from underspec.errors import StoreError


class CostCounter:
    """Adds up what all holders of one file have spent.

    Each amount is one short line, appended in one write, so that workers neither wait for nor overwrite each other;
    each reads on from where it has read to. Calls under way when the limit is reached still end, and cost: with
    ``n`` calls at once a run may exceed its limit by what these ``n`` cost.

    Args:
        limit: dollars, or None to count only.
        path: the shared file; None for a counter of this process alone.
    """

    def __init__(self, limit: float | None = None, path: Path | None = None) -> None:
        self.limit = limit
        self._path = path
        self._amounts: list[float] = []
        self._read_to = 0

    @property
    def spent(self) -> float:
        """Dollars so far, by everybody.

        Raises:
            StoreError: the file is damaged.
        """
        self._catch_up()
        return math.fsum(self._amounts)

    @property
    def reached(self) -> bool:
        """Whether nothing may be spent any more."""
        return self.limit is not None and self.spent >= self.limit

    def add(self, dollars: float) -> None:
        """Count an amount.

        Raises:
            HostExhaustedError, StoreError: it could not be written.
        """
        if self._path is None:
            self._amounts.append(dollars)
            return
        try:
            with host_exhaustion(self._path):
                handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    os.write(handle, f"{dollars!r}\n".encode())
                finally:
                    os.close(handle)
        except OSError as error:
            raise StoreError(f"cannot be written: {error.strerror}", file=str(self._path)) from error

    def _catch_up(self) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("rb") as stream:
                stream.seek(self._read_to)
                data = stream.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.split():
            try:
                amount = float(line)
            except ValueError as error:
                raise StoreError("not an amount of dollars", file=str(self._path)) from error
            self._amounts.append(amount)
        self._read_to += len(whole)
