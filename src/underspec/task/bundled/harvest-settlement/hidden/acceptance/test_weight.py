# canary underspec-canary-3adacc63-2e63-55a0-b352-36dab51b9db5
"""The weight that is counted."""

from month import Month


def counted(delivery, *deliveries):
    lines = (f"{n};2024-08-02;G{n};wheat;{weight};{moisture}" for n, (weight, moisture) in enumerate(deliveries))
    return [int(line.split(";")[2]) for line in sorted(Month(delivery, *lines).settled[:-1])]


def test_up_to_the_limit_the_weight_counts_as_it_is(delivery):
    assert counted(delivery, ("1000 kg", "9"), ("1000 kg", "14,0"), ("86 kg", "13,99")) == [1000, 1000, 86]


def test_wet_grain_is_reduced_to_what_dry_grain_would_weigh(delivery):
    assert counted(delivery, ("860 kg", "24"), ("8,6 t", "15"), ("1000 kg", "20")) == [760, 8500, 930]


def test_halves_are_rounded_up(delivery):
    # 43 kg at 15 % are 42.5 kg, 129 kg at 15 % are 127.5 kg.
    assert counted(delivery, ("0,5 kg", "14"), ("43 kg", "15"), ("129 kg", "15"), ("2,5 kg", "1")) == [1, 43, 128, 3]


def test_what_is_below_a_half_is_rounded_down(delivery):
    assert counted(delivery, ("100,49 kg", "14"), ("2,499 kg", "3")) == [100, 2]


def test_each_delivery_is_rounded_by_itself(delivery):
    lines = (f"{n};2024-08-02;Ada;wheat;10,5 kg;14" for n in range(4))
    assert Month(delivery, *lines).settled[0] == "Ada;4;44;8,80"
