"""How often one session may speak: a token bucket each, forgotten once full again."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import ceil

RATE = 100.0
BURST = 300
_MOST_KEPT = 8192


class RateLimit:
    """``burst`` requests at once, then ``rate`` a second.

    What a session costs is bounded by its budget; this bounds what refusals cost, which are free for the asker.
    """

    def __init__(self, rate: float = RATE, burst: int = BURST, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait(self, key: Hashable) -> int:
        """Take one request of ``key``. 0 when it may go on; else after how many whole seconds to come back."""
        now = self._clock()
        left, then = self._buckets.get(key, (float(self._burst), now))
        left = min(float(self._burst), left + (now - then) * self._rate)
        allowed = left >= 1
        self._buckets[key] = (left - 1 if allowed else left, now)
        self._buckets.move_to_end(key)
        while len(self._buckets) > _MOST_KEPT:
            self._buckets.popitem(last=False)
        return 0 if allowed else max(1, ceil((1 - left) / self._rate))
