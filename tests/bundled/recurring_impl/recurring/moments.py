"""Moments as counts of seconds since 1970 in UTC, and as texts (section 3.2); clocks (section 5.10)."""

from __future__ import annotations

import re

from . import failures
from .days import Month

DAY = 86_400
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:Z|([+-])(\d\d):(\d\d)))?", re.ASCII
)  # fmt: skip
_CLOCK = re.compile(r"([+-]?)(0[1-9]|1[0-4])(?::?([0-5][0-9]))?")
_FURTHEST = 840


def days_before(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to that date."""
    past = year - 1
    whole = past * 365 + past // 4 - past // 100 + past // 400
    return whole - 719_162 + sum(Month.of(year, before).length for before in range(1, month)) + day - 1


def seconds_at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    return days_before(year, month, day) * DAY + hour * 3600 + minute * 60 + second


def date_of(days: int) -> tuple[int, int, int]:
    cycles, days = divmod(days, 146_097)
    year = 1970 + 400 * cycles + days // 366
    while days_before(year + 1, 1, 1) - 146_097 * cycles <= days:
        year += 1
    month = 12
    while days_before(year, month, 1) - 146_097 * cycles > days:
        month -= 1
    return year, month, days - (days_before(year, month, 1) - 146_097 * cycles) + 1


def written(seconds: int) -> str:
    days, rest = divmod(seconds, DAY)
    year, month, day = date_of(days)
    return f"{year:04}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


def read_moment(text: str) -> int:
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise failures.BadTime(text)
    year, month, day, hour, minute, second = (int(found[place] or 0) for place in range(1, 7))
    hours, minutes = int(found[8] or 0), int(found[9] or 0)
    if not 1 <= month <= 12 or not 1 <= day <= Month.of(year, month).length:
        raise failures.BadTime(text)
    if max(hour, hours) > 23 or max(minute, second, minutes) > 59:
        raise failures.BadTime(text)
    distance = (hours * 60 + minutes) * 60 * (-1 if found[7] == "-" else 1)
    return seconds_at(year, month, day, hour, minute, second) - distance


def read_clock(offset: int | str) -> int:
    """How many seconds the clock is ahead of UTC."""
    if isinstance(offset, int):
        if abs(offset) > _FURTHEST:
            raise failures.BadOffset(offset)
        return offset * 60
    found = _CLOCK.fullmatch(offset)
    if found is None:
        raise failures.BadOffset(offset)
    return (int(found[2]) * 60 + int(found[3] or 0)) * 60 * (-1 if found[1] == "-" else 1)
