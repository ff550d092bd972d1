# canary underspec-canary-8090532a-40d8-5576-b027-ee0f8f45c530
"""The price that was valid."""

from month import Month

PRICES = """variety;from;price
wheat;2024-08-15;0,30
wheat;2024-08-01;0,20
wheat;2024-09-01;0,50
rye;2024-08-10;0,1525
"""


def amounts(delivery, *days, variety="wheat"):
    lines = (f"{n};{day};G{n};{variety};100 kg;14" for n, day in enumerate(days))
    return [line.split(";")[3] for line in sorted(Month(delivery, *lines, prices=PRICES).settled[:-1])]


def test_the_latest_price_that_is_not_later_than_the_day_counts(delivery):
    assert amounts(delivery, "2024-08-02", "2024-08-20", "2025-01-31") == ["20,00", "30,00", "50,00"]


def test_a_price_is_valid_from_its_first_day_on(delivery):
    assert amounts(delivery, "2024-08-01", "2024-08-14", "2024-08-15", "2024-08-31", "2024-09-01") == [
        "20,00",
        "20,00",
        "30,00",
        "30,00",
        "50,00",
    ]


def test_before_the_first_price_there_is_none(delivery):
    month = Month(
        delivery, "1;2024-07-31;Ada;wheat;1 t;14", "2;2024-08-09;Ada;rye;1 t;14", "3;2024-08-10;Ada;rye;1 t;14", prices=PRICES
    )
    assert month.rejects == ["2;1;no_price", "3;2;no_price"]
    assert month.settled[0] == "Ada;1;1000;152,50"


def test_varieties_have_prices_of_their_own(delivery):
    assert amounts(delivery, "2024-08-20", variety="rye") == ["15,25"]
