# canary underspec-canary-2c675f5d-7f49-5045-bf39-18d8f88e47d1
"""When a loan is due."""

from desk import Desk


def due(delivery, on):
    desk = Desk(delivery)
    return desk.lend(desk.item(), on=on)["due"]


def test_a_loan_is_due_after_two_weeks(delivery):
    assert due(delivery, "2024-03-04") == "2024-03-18"


def test_a_leap_day_counts(delivery):
    assert due(delivery, "2024-02-16") == "2024-03-01"


def test_what_would_be_due_on_a_sunday_is_due_on_monday(delivery):
    assert due(delivery, "2024-03-03") == "2024-03-18"


def test_a_saturday_is_an_open_day(delivery):
    assert due(delivery, "2024-03-02") == "2024-03-16"


def test_what_would_be_due_on_a_holiday_is_due_on_the_day_after(delivery):
    assert due(delivery, "2024-12-11") == "2024-12-26"
    # 18 December 2024 + 14 days is 1 January 2025, a Wednesday.


def test_new_year_is_a_holiday_of_the_next_year_too(delivery):
    assert due(delivery, "2024-12-18") == "2025-01-02"


def test_closed_days_that_follow_each_other_are_all_passed(delivery):
    # 24 December 2023 is a Sunday and 25 December a holiday; 31 December 2023 and 1 January 2024 likewise.
    assert due(delivery, "2023-12-10") == "2023-12-26"
