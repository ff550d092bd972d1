# canary underspec-canary-992c0d7f-42f9-5cce-98ec-a56fb2f71569
"""What is paid, to the cent."""

from month import Month

PRICES = "variety;from;price\nwheat;2024-08-01;0,1234\nrye;2024-08-01;0,005\noats;2024-08-01;0,0149\n"


def settled(delivery, *lines):
    return Month(delivery, *lines, prices=PRICES).settled


def test_a_sum_is_rounded_once(delivery):
    # Three times 0.1234 is 0.3702; rounded one by one it would be 0.36.
    lines = (f"{n};2024-08-02;Ada;wheat;1 kg;14" for n in range(3))
    assert settled(delivery, *lines)[0] == "Ada;3;3;0,37"


def test_small_amounts_add_up_before_they_are_rounded(delivery):
    lines = (f"{n};2024-08-02;Ada;oats;1 kg;14" for n in range(10))
    assert settled(delivery, *lines)[0] == "Ada;10;10;0,15"


def test_half_a_cent_is_rounded_up(delivery):
    assert settled(
        delivery, "1;2024-08-02;Ada;rye;1 kg;14", "2;2024-08-02;Bo;rye;3 kg;14", "3;2024-08-02;Cy;rye;5 kg;14"
    ) == ["Cy;1;5;0,03", "Bo;1;3;0,02", "Ada;1;1;0,01", "TOTAL;3;9;0,06"]


def test_the_total_is_the_sum_of_what_is_paid(delivery):
    # Each gets 0.1234, so 0.12; together 0.3702 would be 0.37.
    lines = (f"{n};2024-08-02;G{n};wheat;1 kg;14" for n in range(3))
    assert settled(delivery, *lines)[-1] == "TOTAL;3;3;0,36"


def test_large_amounts_are_exact(delivery):
    lines = (f"{n};2024-08-02;Ada;wheat;99.999,0 t;14" for n in range(9))
    assert settled(delivery, *lines)[0] == "Ada;9;899991000;111058889,40"
