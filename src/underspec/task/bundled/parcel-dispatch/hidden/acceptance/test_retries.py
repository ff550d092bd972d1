# canary underspec-canary-1aff5c5d-03de-56e0-a6a3-e99c2bed2d0b
"""A carrier that is slow, busy or down."""

from carrier import PORT, Carrier, line
from delivery import Answer

GOOD = Answer(201, {"parcel": "P-1"})


def test_a_carrier_that_is_down_for_a_moment_is_asked_again(delivery):
    carrier = Carrier(delivery, A=[Answer(503), Answer(500), Answer(0), GOOD])
    code, summary = carrier.run(line("A"))
    assert (code, summary["sent"]) == (0, [{"order": "A", "parcel": "P-1"}]), carrier.end
    assert carrier.orders() == ["A"] * 4


def test_after_four_attempts_the_next_order_follows(delivery):
    carrier = Carrier(delivery, A=[Answer(502)])
    code, summary = carrier.run(line("A"), line("B"))
    assert carrier.orders() == ["A"] * 4 + ["B"], carrier.end
    assert (code, summary["failed"], len(summary["sent"])) == (1, ["A"], 1)


def test_pauses_grow(delivery):
    carrier = Carrier(delivery, A=[Answer(500)])
    carrier.run(line("A"), pause=200)
    times = [request.at for request in carrier.news()]
    # 0.2 + 0.4 + 0.8 seconds, a little less where the first request was noticed late.
    assert len(times) == 4 and times[-1] - times[0] >= 1.25, times


def test_a_busy_carrier_says_how_long_to_wait(delivery):
    carrier = Carrier(delivery, A=[Answer(429, headers={"Retry-After": "1"}), Answer(429), GOOD])
    code, _ = carrier.run(line("A"), pause=1)
    first, second, third = (request.at for request in carrier.news())
    assert code == 0 and second - first >= 0.9 and third - second < 0.9, carrier.end


def test_a_refusal_is_not_tried_again(delivery):
    carrier = Carrier(delivery, A=[Answer(422, {"reason": "no such place"})], B=[Answer(404)])
    code, summary = carrier.run(line("A"), line("B"))
    assert carrier.orders() == ["A", "B"]
    assert (code, summary["rejected"]) == (
        1,
        [{"order": "A", "reason": "no such place"}, {"order": "B", "reason": "unknown"}],
    )


def test_nobody_there_is_a_failure(delivery):
    carrier = Carrier.__new__(Carrier)
    carrier.delivery = delivery
    code, summary = carrier.run(line("A"), line("B"))
    assert (code, summary["failed"]) == (1, ["A", "B"]), carrier.end
