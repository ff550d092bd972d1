# canary underspec-canary-d07b8832-af65-5cbd-93e9-b40587edcf81
"""Sizes that people typed by hand, read in the relaxed way."""

from program import amount, check, error


def typed(text, **more):
    return {"action": "parse", "mode": "loose", "text": text, **more}


def test_a_number_alone_is_bytes(delivery):
    check(
        delivery,
        (typed("1500"), amount("1500", "B")),
        (typed(2.5), amount("2.5", "B")),
        (typed(" 1e3 "), amount("1000", "B")),
        (typed("12", system="decimal"), amount("12", "B")),
    )


def test_one_letter_is_a_prefix_of_the_chosen_system(delivery):
    check(
        delivery,
        (typed("3k"), amount("3", "KiB")),
        (typed("3 K", system="decimal"), amount("3", "kB")),
        (typed("2 Mi", system="decimal"), amount("2", "MiB")),
        (typed("7 tB"), amount("7", "TiB")),
    )


def test_everything_is_bytes_even_where_bits_are_written(delivery):
    check(delivery, (typed("16 Mb"), amount("16", "MiB")), (typed("9 gb", system="decimal"), amount("9", "GB")))


def test_bytes_and_bits_may_be_written_out(delivery):
    check(
        delivery,
        (typed("5 BYTES"), amount("5", "B")),
        (typed("6 bit"), amount("6", "b")),
        (typed("8 b"), amount("8", "b")),
    )


def test_what_is_no_size_is_refused(delivery):
    check(
        delivery,
        (typed("5 Kio"), error("unknown_unit")),
        (typed("5 KIB"), error("unknown_unit")),
        (typed("7.5 %"), error("missing_unit")),
        (typed("1.2.3 kB"), error("bad_number")),
    )
