# canary underspec-canary-fb2f47cd-2c4b-51c5-82ad-4f5ded7d7135
"""Calculating with an amount and a plain number."""

from program import amount, check, error, number

KIB = {"value": 3, "unit": "KiB"}


def calc(op, left, right=None):
    request = {"action": "calc", "op": op, "left": left}
    return request if right is None else {**request, "right": right}


def test_an_amount_and_a_number_make_a_number(delivery):
    check(
        delivery,
        (calc("add", KIB, 4), number("7")),
        (calc("subtract", 10, KIB), number("7")),
        (calc("add", KIB, 0), number("3")),
    )


def test_zero_plus_an_amount_is_that_amount(delivery):
    check(delivery, (calc("add", 0, KIB), amount("3", "KiB")), (calc("add", 1, KIB), number("4")))


def test_whole_division_by_a_number_counts_bytes(delivery):
    check(
        delivery,
        (calc("whole", KIB, 1000), amount("0.00293", "KiB")),
        (calc("remainder", KIB, 1000), amount("0.070312", "KiB")),
    )


def test_a_number_is_not_divided_into_wholes_of_an_amount(delivery):
    check(delivery, (calc("whole", 7, KIB), error("unsupported")), (calc("divide", 12, KIB), number("4")))


def test_the_negative_of_a_negative_amount_stays_negative(delivery):
    owed = {"value": -3, "unit": "KiB"}
    check(delivery, (calc("negate", KIB), amount("-3", "KiB")), (calc("negate", owed), amount("-3", "KiB")))
