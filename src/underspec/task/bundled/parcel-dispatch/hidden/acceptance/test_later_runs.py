# canary underspec-canary-0e4e6bb3-bf6a-5a2a-bcc4-10df88e71d84
"""What later runs send again."""

from carrier import Carrier, line
from delivery import Answer


def test_what_was_handed_over_is_never_sent_again(delivery):
    carrier = Carrier(delivery)
    carrier.run(line("A"))
    code, summary = carrier.run(line("A"), line("B"))
    assert carrier.orders() == ["A", "B"]
    assert (code, summary["skipped"]) == (0, 1)
    carrier.run(line("A", weight="2.0", place="Elm St 2"))
    assert carrier.orders() == []


def test_what_the_carrier_knew_already_is_handed_over(delivery):
    carrier = Carrier(delivery, A=[Answer(409, {"parcel": "P-7"})])
    code, summary = carrier.run(line("A"))
    assert (code, summary["sent"]) == (0, [{"order": "A", "parcel": "P-7"}])
    carrier.run(line("A"))
    assert carrier.orders() == ["A"]


def test_what_was_rejected_waits_until_its_line_changes(delivery):
    carrier = Carrier(delivery, A=[Answer(400, {"reason": "place"}), Answer(201, {"parcel": "P-1"})])
    carrier.run(line("A"))
    code, summary = carrier.run(line("A"))
    assert carrier.orders() == ["A"]
    assert (code, summary["rejected"], summary["skipped"]) == (0, [], 1)
    assert carrier.run(line("A", place="Oak St 5"))[1]["sent"] == [{"order": "A", "parcel": "P-1"}]


def test_what_we_rejected_waits_as_well(delivery):
    carrier = Carrier(delivery)
    assert carrier.run(line("A", weight="40"))[0] == 1
    assert carrier.run(line("A", weight="40")) == (0, {"sent": [], "rejected": [], "failed": [], "skipped": 1})
    assert carrier.run(line("A", weight="4"))[1]["sent"] == [{"order": "A", "parcel": "P-A"}]


def test_what_failed_is_tried_in_every_run(delivery):
    carrier = Carrier(delivery, A=[Answer(500)] * 8 + [Answer(201, {"parcel": "P-1"})])
    assert carrier.run(line("A"))[1]["failed"] == ["A"]
    assert carrier.run(line("A"))[1]["failed"] == ["A"]
    assert carrier.run(line("A"))[1]["sent"] == [{"order": "A", "parcel": "P-1"}]
    assert len(carrier.orders()) == 9


def test_a_damaged_state_stops_everything(delivery):
    carrier = Carrier(delivery)
    carrier.run(line("A"))
    delivery.write("state.db", b"\0 nothing that anybody could understand")
    code, summary = carrier.run(line("A"), line("B"))
    assert (code, summary) == (3, None), carrier.end
    assert carrier.orders() == ["A"]
