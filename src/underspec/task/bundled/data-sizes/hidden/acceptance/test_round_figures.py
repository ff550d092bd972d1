# canary underspec-canary-b7079936-7491-5dc1-848d-84ce44b371d4
"""How figures are rounded and written."""

from program import amount, check


def rounded(value, **more):
    return {"action": "round", "value": value, "unit": "GB", **more}


def converted(value, unit, to):
    return {"action": "convert", "value": value, "unit": unit, "to": to}


def test_a_tie_goes_to_the_even_digit(delivery):
    check(
        delivery,
        (rounded(2.5), amount("2", "GB")),
        (rounded(3.5), amount("4", "GB")),
        (rounded(0.125, digits=2), amount("0.12", "GB")),
        (rounded(25, digits=-1), amount("20", "GB")),
    )


def test_down_and_up_are_directions_and_not_towards_zero(delivery):
    check(delivery, (rounded(-2.5, how="down"), amount("-3", "GB")), (rounded(-2.5, how="up"), amount("-2", "GB")))


def test_figures_have_six_digits_at_most_and_no_idle_zeros(delivery):
    check(
        delivery,
        (converted(1, "MB", "MiB"), amount("0.953674", "MiB")),
        (converted(2.50, "KiB", "KiB"), amount("2.5", "KiB")),
        (converted(-1, "B", "GiB"), amount("0", "GiB")),
    )


def test_large_figures_are_written_out(delivery):
    check(delivery, (converted(1, "YiB", "B"), amount("1208925819614629174706176", "B")))
