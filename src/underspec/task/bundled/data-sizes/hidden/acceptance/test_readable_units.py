# canary underspec-canary-9debc093-6feb-52b5-b20c-3f411a40b0ad
"""The unit in which an amount is pleasant to read."""

from program import amount, check


def best(value, unit, **more):
    return {"action": "best", "value": value, "unit": unit, **more}


def test_less_than_one_byte_is_told_in_bits(delivery):
    check(delivery, (best(0.5, "B"), amount("4", "b")), (best(0, "MiB"), amount("0", "b")))


def test_a_byte_amount_below_the_first_step_stays_as_it_is(delivery):
    check(delivery, (best(0.25, "KiB"), amount("0.25", "KiB")), (best(999, "B", system="decimal"), amount("999", "B")))


def test_bit_amounts_are_measured_by_their_bytes(delivery):
    check(
        delivery,
        (best(1000, "b"), amount("1000", "b")),
        (best(8191, "b"), amount("8191", "b")),
        (best(8192, "b"), amount("8", "Kib")),
    )


def test_the_system_is_the_amounts_own_unless_one_is_given(delivery):
    check(
        delivery,
        (best(1500, "kB"), amount("1.5", "MB")),
        (best(1500, "kB", system="binary"), amount("1.430511", "MiB")),
        (best(-2048, "B"), amount("-2", "KiB")),
    )
