# canary underspec-canary-a2a9fc7e-b1ad-5721-9f55-bae7ad6c33bc
"""The order of sending."""

from carrier import Carrier, line


def sequence(delivery, *lines):
    carrier = Carrier(delivery)
    carrier.run(*lines)
    return carrier.orders()


def test_express_comes_first(delivery):
    lines = (line("A", promised="2024-05-01"), line("B", "express", promised="2024-05-09"))
    assert sequence(delivery, *lines) == ["B", "A"]


def test_the_earlier_promise_comes_first(delivery):
    days = {"A": "2024-05-10", "B": "2024-05-09", "C": "2023-12-31", "D": "2024-04-30"}
    assert sequence(delivery, *(line(order, promised=day) for order, day in days.items())) == ["C", "D", "B", "A"]


def test_without_a_promise_an_order_comes_last(delivery):
    lines = (line("A", promised=""), line("B", promised="2031-01-01"), line("C", "express", promised=""), line("D"))
    assert sequence(delivery, *lines) == ["C", "D", "B", "A"]


def test_digits_of_order_numbers_count_as_numbers(delivery):
    orders = ["A-10", "B-1", "A-9", "A-100", "A-9b", "A-2"]
    assert sequence(delivery, *map(line, orders)) == ["A-2", "A-9", "A-9b", "A-10", "A-100", "B-1"]
