# canary underspec-canary-b9cb166e-bb33-59f5-bccd-ba7b23dfd372
"""The summary, and an outbox without orders."""

from carrier import HEADER, Carrier, line
from delivery import Answer


def test_an_outbox_without_orders_is_a_good_day(delivery):
    carrier = Carrier(delivery)
    assert carrier.run() == (0, {"sent": [], "rejected": [], "failed": [], "skipped": 0}), carrier.end
    assert carrier.orders() == []


def test_everything_is_told_in_the_order_of_sending(delivery):
    carrier = Carrier(delivery, B=[Answer(400, {"reason": "closed"})], C=[Answer(500)])
    code, summary = carrier.run(
        line("X", "carriage"), line("D"), line("B"), "", line("C"), line("Y", recipient=" "), line("A", "express")
    )
    assert code == 1
    assert summary == {
        "sent": [{"order": "A", "parcel": "P-A"}, {"order": "D", "parcel": "P-D"}],
        "rejected": [
            {"order": "B", "reason": "closed"},
            {"order": "X", "reason": "bad_order"},
            {"order": "Y", "reason": "bad_order"},
        ],
        "failed": ["C"],
        "skipped": 0,
    }


def test_what_is_sent_is_what_the_line_says(delivery):
    carrier = Carrier(delivery)
    code, _ = carrier.run(" A-1 ;express; 2024-05-02 ; 2.5 ; Zo\u00eb \u0160ar ; Elm St 1 ")
    [request] = carrier.news()
    assert code == 0 and request.json() == {
        "order": "A-1", "service": "express", "grams": 2500, "recipient": "Zo\u00eb \u0160ar", "place": "Elm St 1",
    }


def test_a_day_that_is_no_day_is_not_sent(delivery):
    carrier = Carrier(delivery)
    _, summary = carrier.run(line("A", promised="2024-02-30"), line("B", promised="soon"), line("", weight="99"))
    assert [entry["reason"] for entry in summary["rejected"]] == ["bad_order"] * 3
    assert carrier.orders() == []


def test_an_outbox_that_cannot_be_used_sends_nothing(delivery):
    carrier = Carrier(delivery)
    for outbox in ("", "order;service\nA;express\n", HEADER.encode() + b"\nA;express;;1;J\xf6rg;Elm St\n"):
        code, summary = carrier.run(outbox=outbox)
        assert (code, summary) == (3, None), (outbox, carrier.end)
        assert carrier.end.errors.strip() and carrier.end.errors.strip().count("\n") == 0, carrier.end
    delivery.run("rm", "outbox.csv")
    assert carrier.again() == (3, None), carrier.end
    assert carrier.orders() == []
