# canary underspec-canary-2952826e-480f-5cfe-8a11-f4ab562391b1
"""Filtering the list of items."""

from desk import Desk


def shelf(delivery):
    desk = Desk(delivery)
    for name, kind in (("Saw", "hand"), ("Drill", "power"), ("Rake", "garden"), ("Axe", "hand")):
        desk.item(name, kind)
    return desk


def test_without_a_filter_all_items_come_in_the_order_added(delivery):
    assert shelf(delivery).names() == ["Saw", "Drill", "Rake", "Axe"]


def test_filters_by_kind_and_availability_combine(delivery):
    desk = shelf(delivery)
    desk.lend(1)
    assert desk.names("?kind=hand") == ["Saw", "Axe"]
    assert desk.names("?available=false") == ["Saw"]
    assert desk.names("?available=true&kind=hand") == ["Axe"]


def test_a_filter_that_matches_nothing_gives_an_empty_list(delivery):
    desk = shelf(delivery)
    assert desk.names("?available=false") == []
    assert desk.names("?kind=garden&available=false") == []


def test_an_empty_shelf_is_an_empty_list(delivery):
    assert Desk(delivery).names("?kind=power") == []


def test_a_filter_that_makes_no_sense_is_refused(delivery):
    desk = shelf(delivery)
    for query in ("?kind=gravel", "?available=maybe", "?kind=", "?colour=red", "?kind=hand&colour=red"):
        answer = desk.get("/items" + query)
        assert (answer.status, answer.json()) == (400, {"error": "bad_filter"}), (query, answer)


def test_an_item_that_is_back_is_available_again(delivery):
    desk = shelf(delivery)
    desk.back(desk.lend(2), "2024-03-05")
    assert desk.names("?available=true&kind=power") == ["Drill"]
