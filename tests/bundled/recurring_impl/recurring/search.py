"""Finding the moments of a line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from .lines import Line
from .moments import DAY, date_of, seconds_at


def _days_from(line: Line, year: int, month: int, day: int) -> Iterator[tuple[int, int, int]]:
    """Days on which the line comes due, from that day on."""
    start = (year, month, day)
    found = line.year_from(year)
    while found is not None:
        for each in line.values("month"):
            for chosen in line.days.of(found, each) if (found, each) >= start[:2] else ():
                if (found, each, chosen) >= start:
                    yield found, each, chosen
        found = line.year_from(found + 1)


def moments_after(line: Line, after: int, ahead: int) -> Iterator[int]:
    """All moments later than ``after``, ascending, for a clock that is ``ahead`` seconds ahead of UTC."""
    clock = after + ahead
    seconds, minutes, hours = line.values("second"), line.values("minute"), line.values("hour")
    for year, month, day in _days_from(line, *date_of(clock // DAY)):
        for hour in hours:
            if seconds_at(year, month, day, hour, 59, 59) <= clock:
                continue
            for minute in minutes:
                for second in seconds:
                    moment = seconds_at(year, month, day, hour, minute, second)
                    if moment > clock:
                        yield moment - ahead


def first_after(line: Line, after: int, ahead: int) -> int | None:
    return next(moments_after(line, after, ahead), None)


def several_after(line: Line, after: int, ahead: int, count: int) -> list[int]:
    return list(islice(moments_after(line, after, ahead), count))


def matches(line: Line, moment: int, ahead: int) -> bool:
    return first_after(line, moment - 1, ahead) == moment


def due_days(line: Line, year: int, month: int) -> list[int]:
    named = line.year_from(year) == year and month in line.values("month")
    return line.days.of(year, month) if named else []
