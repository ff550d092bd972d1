# canary underspec-canary-e3cefa1d-0929-59fb-a0ef-5496d87ac967
"""The loans of one member, in the order in which the counter needs them."""

from desk import Desk


def ids(desk, name="Anna"):
    answer = desk.get(f"/members/{name}/loans")
    assert answer.status == 200, answer
    return [loan["id"] for loan in answer.json()["loans"]]


def test_a_member_without_loans_has_an_empty_list(delivery):
    assert ids(Desk(delivery), "Nobody") == []


def test_open_loans_come_by_due_date_and_then_as_they_were_made(delivery):
    desk = Desk(delivery)
    later = desk.lend(desk.item(), on="2024-03-06")
    first = desk.lend(desk.item(), on="2024-03-04")
    second = desk.lend(desk.item(), on="2024-03-04")
    assert ids(desk) == [first["id"], second["id"], later["id"]]


def test_returned_loans_come_after_open_ones_the_last_return_first(delivery):
    desk = Desk(delivery)
    loans = []
    for on, back in (("2024-03-04", "2024-03-07"), ("2024-03-04", "2024-03-09"), ("2024-03-05", "2024-03-07")):
        loan = desk.lend(desk.item(), on=on)
        desk.back(loan, back)
        loans.append(loan["id"])
    is_open = desk.lend(desk.item(), on="2024-04-01")
    assert ids(desk) == [is_open["id"], loans[1], loans[2], loans[0]]


def test_capital_letters_and_blanks_around_a_name_do_not_matter(delivery):
    desk = Desk(delivery)
    loan = desk.lend(desk.item(), member="  anna LEE ")
    assert loan["member"] == "anna LEE"
    assert ids(desk, "Anna%20Lee") == [loan["id"]]
    assert ids(desk, "%20ANNA%20LEE%20") == [loan["id"]]
    assert ids(desk, "Anna") == []
