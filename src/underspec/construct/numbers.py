"""Options of stages that are numbers, as somebody has written them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from underspec.errors import UsageError


def number_of(options: Mapping[str, Any], stage: str, name: str, default: float) -> float:
    """The option ``name`` as a number of 0 or more; ``default`` where it is not given.

    Raises:
        UsageError: it is something else; names the option.
    """
    given = options.get(name, default)
    try:
        found = math.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        found = math.nan
    if not 0 <= found < math.inf:
        mend = f"give a number of 0 or more, as --set {stage}.{name}=1"
        raise UsageError(f"{str(given)[:40]!a} is no number", where=f"$.options.{stage}.{name}", mend=mend)
    return found


def whole_of(options: Mapping[str, Any], stage: str, name: str, default: int) -> int:
    """The same as a whole number.

    Raises:
        UsageError: it is something else; names the option.
    """
    found = number_of(options, stage, name, default)
    if not found.is_integer():
        mend = f"give a whole number, as --set {stage}.{name}=1"
        raise UsageError(f"{found:g} is no whole number", where=f"$.options.{stage}.{name}", mend=mend)
    return int(found)
