# canary underspec-canary-b75d5938-6a40-5499-9cbf-9b0f412665d3
"""Stretching."""

from bench import archive, cues_of, done, use


def stretched(delivery, factor, *cues):
    done(delivery, "stretch", "a.json", "out.json", "--factor", factor, a_json=archive(*cues))
    return [cue[:2] for cue in cues_of(delivery)]


def test_times_are_multiplied(delivery):
    assert stretched(delivery, "25/24", (2400, 4800, "a"), (9600, 12000, "b")) == [(2500, 5000), (10000, 12500)]


def test_a_whole_number_is_a_factor(delivery):
    assert stretched(delivery, "3", (1, 2, "a")) == [(3, 6)]


def test_halves_are_rounded_up(delivery):
    assert stretched(delivery, "1/2", (1, 5, "a"), (6, 9, "b")) == [(1, 3), (3, 5)]


def test_products_are_exact(delivery):
    # 2999999 x 1001 / 1000 = 3002998.999; 9500 x 1001 / 1000 = 9509.5
    assert stretched(delivery, "1001/1000", (9500, 2999999, "a")) == [(9510, 3002999)]


def test_rounding_takes_nobodys_whole_length(delivery):
    assert stretched(delivery, "1/100", (10, 40, "a"), (500, 600, "b")) == [(0, 1), (5, 6)]


def test_a_cue_that_had_no_length_has_none_afterwards(delivery):
    assert stretched(delivery, "1/100", (200, 200, "a")) == [(2, 2)]


def test_a_factor_is_above_zero(delivery):
    for factor in ("0", "-1", "1/0", "half"):
        end = use(delivery, "stretch", "a.json", "out.json", f"--factor={factor}", a_json=archive((1, 2, "a")))
        assert end.exit_code == 5, (factor, end)
    assert delivery.read("out.json") is None
