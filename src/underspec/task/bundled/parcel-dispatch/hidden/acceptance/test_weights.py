# canary underspec-canary-374adaf1-84e5-5bf8-a074-cec4ed8bd0ba
"""Weights."""

from carrier import Carrier, line


def grams(delivery, *weights):
    carrier = Carrier(delivery)
    carrier.run(*(line(f"A-{number}", weight=weight) for number, weight in enumerate(weights, 1)))
    return [request.json()["grams"] for request in carrier.news()]


def test_grams_are_rounded_up_to_started_hundreds(delivery):
    assert grams(delivery, "1.01", "1.001", "0.3001", "0.001", "2.999") == [1100, 1100, 400, 100, 3000]


def test_full_hundreds_stay_as_they_are(delivery):
    assert grams(delivery, "1.1", "0.3", "2.3", "4.6", "8.2", "16.1", "31.5", "0.10") == [
        1100, 300, 2300, 4600, 8200, 16100, 31500, 100,
    ]


def test_a_decimal_comma_is_understood(delivery):
    assert grams(delivery, "1,1", "12", "0,25") == [1100, 12000, 300]


def test_no_weight_and_too_much_weight_are_not_sent(delivery):
    carrier = Carrier(delivery)
    weights = ["0", "-1", "", "heavy", "nan", "31.501", "31.5"]
    _, summary = carrier.run(*(line(f"A-{number}", weight=weight) for number, weight in enumerate(weights)))
    assert carrier.orders() == ["A-6"]
    assert summary["rejected"] == [
        *({"order": f"A-{number}", "reason": "bad_weight"} for number in range(5)),
        {"order": "A-5", "reason": "too_heavy"},
    ]
