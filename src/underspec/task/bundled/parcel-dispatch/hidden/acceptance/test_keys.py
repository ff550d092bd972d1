# canary underspec-canary-68e43fac-6a59-54cc-afdd-2fae02af428d
"""The key that is sent with each request."""

from carrier import Carrier, line
from delivery import Answer


def keys(carrier):
    return [request.headers.get("idempotency-key") for request in carrier.news()]


def test_all_attempts_of_an_order_have_one_key(delivery):
    carrier = Carrier(delivery, A=[Answer(500)])
    carrier.run(line("A"))
    found = keys(carrier)
    assert len(found) > 1 and found[0] and len(set(found)) == 1, found


def test_other_orders_have_other_keys(delivery):
    carrier = Carrier(delivery)
    carrier.run(line("A"), line("B"), line("A1"))
    found = keys(carrier)
    assert len(found) == 3 and len(set(found)) == 3, found


def test_a_later_run_has_the_same_key(delivery):
    carrier = Carrier(delivery, A=[Answer(500)])
    carrier.run(line("A"), line("B"))
    [first, *_] = keys(carrier)
    carrier.run(line("Z"), " " + line("A") + " ")
    assert first in keys(carrier)


def test_a_changed_line_has_another_key(delivery):
    carrier = Carrier(delivery, A=[Answer(500)])
    carrier.run(line("A", weight="1.0"))
    first = keys(carrier)[0]
    carrier.run(line("A", weight="2.0"))
    assert first not in keys(carrier)
