"""Moments as they are given."""

import re
from datetime import datetime, timedelta, timezone

from samples.failures import BadMoment

_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:Z|([+-])(\d\d):(\d\d))?)?", re.ASCII)


def moment(text: str) -> datetime:
    """Read a moment on its own clock."""
    found = _FORM.fullmatch(text)
    if not found:
        raise BadMoment
    numbers = [int(part or 0) for part in found.groups()[:6]]
    hours, minutes = int(found[8] or 0), int(found[9] or 0)
    if hours > 23 or minutes > 59:
        raise BadMoment
    distance = timedelta(hours=hours, minutes=minutes) * (-1 if found[7] == "-" else 1)
    try:
        return datetime(*numbers, tzinfo=timezone(distance))
    except ValueError as problem:
        raise BadMoment from problem
