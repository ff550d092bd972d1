# canary underspec-canary-2696817a-f835-5178-877e-f22d3c5867b8
"""A program that is killed."""

from carrier import Carrier, line
from delivery import Answer


def test_a_killed_run_has_remembered_what_was_answered(delivery):
    carrier = Carrier(delivery)
    first = carrier.run_and_kill_at("C", line("A"), line("B"), line("C"), line("D"))
    assert [request.json()["order"] for request in first] == ["A", "B", "C"]
    code, summary = carrier.again()
    second = carrier.news()
    assert [request.json()["order"] for request in second] == ["C", "D"], carrier.end
    assert second[0].headers["idempotency-key"] == first[2].headers["idempotency-key"]
    assert (code, summary["skipped"]) == (0, 2)


def test_a_rejection_is_remembered_too(delivery):
    carrier = Carrier(delivery, A=[Answer(400, {"reason": "place"})])
    carrier.run_and_kill_at("B", line("A"), line("B"))
    carrier.again()
    assert carrier.orders() == ["B"]


def test_a_kill_at_the_first_order_forgets_nothing_of_earlier_runs(delivery):
    carrier = Carrier(delivery)
    carrier.run(line("A"))
    carrier.news()
    carrier.run_and_kill_at("B", line("A"), line("B"))
    carrier.again()
    assert carrier.orders() == ["B"]
