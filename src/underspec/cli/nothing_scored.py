"""What is said of a run in which nothing at all could be scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from underspec.report.collect import Collected


def why_nothing_is_scored(collected: Sequence[Collected]) -> str | None:
    """A sentence, where there are items and none has a score: whose failure it was, and what the commonest said."""
    if not collected or any(each.scored for each in collected):
        return None
    whose = Counter(each.boundary or "" for each in collected)
    counts = ", ".join(f"{boundary} {number}" for boundary, number in whose.most_common())
    reasons = Counter(each.unscored.reason for each in collected if each.unscored)
    common = f"; mostly: {reasons.most_common(1)[0][0]}" if reasons else ""
    mend = "mend that and give the same command with --retry-unscored" if reasons else "give the same command to go on"
    return f"nothing was scored ({counts}){common}; {mend}"
