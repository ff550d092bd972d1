# canary underspec-canary-7e73e95b-2a54-5e63-ac3d-7c7c9ff4705f
"""Shifting."""

from bench import archive, cues_of, done

FILM = archive((1000, 2000, "a"), (3000, 5000, "b"), (6000, 7000, "c"))


def shifted(delivery, by):
    done(delivery, "shift", "a.json", "out.json", f"--by={by}", a_json=FILM)
    return cues_of(delivery)


def test_times_move_forward(delivery):
    assert shifted(delivery, 250) == [(1250, 2250, "a"), (3250, 5250, "b"), (6250, 7250, "c")]


def test_times_move_back(delivery):
    assert shifted(delivery, -1000) == [(0, 1000, "a"), (2000, 4000, "b"), (5000, 6000, "c")]


def test_what_would_begin_before_zero_begins_at_zero(delivery):
    assert shifted(delivery, -3001) == [(0, 1999, "b"), (2999, 3999, "c")]


def test_what_would_end_at_zero_is_dropped(delivery):
    assert shifted(delivery, -2000) == [(1000, 3000, "b"), (4000, 5000, "c")]


def test_one_millisecond_is_enough_to_stay(delivery):
    assert shifted(delivery, -1999)[0] == (0, 1, "a")


def test_everything_may_be_dropped(delivery):
    assert shifted(delivery, -7000) == []
