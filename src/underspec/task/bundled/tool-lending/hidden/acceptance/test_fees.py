# canary underspec-canary-f934860a-3dad-5dfd-8163-c2a5c3429c31
"""What a late return costs."""

from desk import Desk


def fee(delivery, *days):
    """Fees for returns on these days of loans that are due on 2024-03-18."""
    desk = Desk(delivery)
    loans = [desk.lend(desk.item(), member=f"Member {number}") for number in range(len(days))]
    return [desk.back(loan, day)["fee_cents"] for loan, day in zip(loans, days)]


def test_early_and_punctual_returns_cost_nothing(delivery):
    assert fee(delivery, "2024-03-04", "2024-03-17", "2024-03-18") == [0, 0, 0]


def test_up_to_two_days_late_cost_nothing(delivery):
    assert fee(delivery, "2024-03-19", "2024-03-20") == [0, 0]


def test_from_the_third_day_on_every_day_counts(delivery):
    assert fee(delivery, "2024-03-21", "2024-03-22") == [150, 200]


def test_a_fee_has_an_upper_limit(delivery):
    assert fee(delivery, "2024-04-26", "2024-04-27", "2024-04-28", "2025-04-28") == [1950, 2000, 2000, 2000]


def test_an_open_loan_has_no_fee_and_a_returned_one_keeps_its_own(delivery):
    desk = Desk(delivery)
    loan = desk.lend(desk.item())
    assert (loan["returned"], loan["fee_cents"]) == (None, 0)
    desk.back(loan, "2024-03-21")
    [kept] = desk.get("/members/Anna/loans").json()["loans"]
    assert (kept["returned"], kept["fee_cents"]) == ("2024-03-21", 150)
