# canary underspec-canary-fa6b7b29-283a-51f0-af04-f82a4a391047
"""Loans and returns that are refused."""

from desk import Desk


def test_an_item_on_loan_is_refused_with_its_due_date(delivery):
    desk = Desk(delivery)
    item = desk.item()
    desk.lend(item)
    assert desk.refused(item, "Ben", "2024-03-05") == (409, {"error": "on_loan", "due": "2024-03-18"})


def test_three_open_loans_are_the_limit(delivery):
    desk = Desk(delivery)
    items = [desk.item() for _ in range(5)]
    loans = [desk.lend(item) for item in items[:3]]
    assert desk.refused(items[3]) == (409, {"error": "limit"})
    desk.back(loans[0], "2024-03-04")
    desk.lend(items[4])


def test_a_member_with_an_overdue_loan_gets_nothing_more(delivery):
    desk = Desk(delivery)
    first, second = desk.item(), desk.item()
    desk.lend(first)
    assert desk.refused(second, on="2024-03-19") == (409, {"error": "overdue"})
    assert desk.lend(second, member="Ben", on="2024-03-19")["member"] == "Ben"


def test_a_loan_is_not_overdue_on_its_due_date(delivery):
    desk = Desk(delivery)
    first, second = desk.item(), desk.item()
    desk.lend(first)
    assert desk.lend(second, on="2024-03-18")["due"] == "2024-04-01"


def test_the_first_reason_is_given(delivery):
    desk = Desk(delivery)
    items = [desk.item() for _ in range(4)]
    for item in items[:3]:
        desk.lend(item)
    assert desk.refused(items[0], on="2024-05-01")[1]["error"] == "on_loan"
    assert desk.refused(items[3], on="2024-05-01")[1]["error"] == "overdue"


def test_a_refused_loan_leaves_no_trace(delivery):
    desk = Desk(delivery)
    item = desk.item()
    desk.lend(item)
    desk.refused(item, "Ben")
    assert desk.get("/members/Ben/loans").json() == {"loans": []}


def test_a_tool_comes_back_once(delivery):
    desk = Desk(delivery)
    loan = desk.lend(desk.item())
    fee = desk.back(loan, "2024-03-21")["fee_cents"]
    again = desk.post(f"/loans/{loan['id']}/return", {"on": "2024-03-30"})
    assert (again.status, again.json()) == (409, {"error": "returned"})
    assert desk.get("/members/Anna/loans").json()["loans"][0]["fee_cents"] == fee


def test_an_item_needs_a_name_and_one_of_the_kinds(delivery):
    desk = Desk(delivery)
    for name, kind in ((" ", "hand"), ("Saw", "gravel"), ("Saw", None)):
        answer = desk.post("/items", {"name": name, "kind": kind})
        assert (answer.status, answer.json()) == (400, {"error": "bad_item"}), (name, kind, answer)
    assert desk.names() == []


def test_what_is_unknown_or_makes_no_sense(delivery):
    desk = Desk(delivery)
    item = desk.item()
    assert desk.refused(99) == (404, {"error": "unknown"})
    assert desk.refused(item, member="  ") == (400, {"error": "bad_loan"})
    assert desk.refused(item, on="2024-02-30") == (400, {"error": "bad_loan"})
    loan = desk.lend(item)
    early = desk.post(f"/loans/{loan['id']}/return", {"on": "2024-03-03"})
    assert (early.status, early.json()) == (400, {"error": "bad_loan"})
    nobody = desk.post("/loans/99/return", {"on": "2024-03-05"})
    assert (nobody.status, nobody.json()) == (404, {"error": "unknown"})
