# canary underspec-canary-e8ab89a5-875e-5190-84ac-83a12042f926
"""The house rules: days, fees and who may borrow."""

import datetime

LOAN = datetime.timedelta(days=14)
DAY = datetime.timedelta(days=1)
HOLIDAYS = ((12, 25), (1, 1))
SUNDAY = 6

GRACE_DAYS = 2
DAY_CENTS = 50
MOST_CENTS = 2000

MOST_OPEN = 3
KINDS = ("hand", "power", "garden")


def is_closed(day):
    return day.weekday() == SUNDAY or (day.month, day.day) in HOLIDAYS


def due_date(on):
    day = on + LOAN
    while is_closed(day):
        day += DAY
    return day


def fee_cents(due, returned):
    late = (returned - due).days
    if late <= GRACE_DAYS:
        return 0
    return min(late * DAY_CENTS, MOST_CENTS)


def member_key(name):
    return name.strip().casefold()


def is_overdue(due, on):
    return due < on


def in_order(loans):
    """Open loans by due date, then returned ones from the last return backwards."""
    waiting = sorted((loan for loan in loans if not loan["returned"]), key=lambda loan: (loan["due"], loan["id"]))
    done = sorted((loan for loan in loans if loan["returned"]), key=lambda loan: (loan["returned"], loan["id"]))
    return waiting + done[::-1]
