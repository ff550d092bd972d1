# canary underspec-canary-9c578b3f-3e3d-569e-9b29-dbe96a6b4dc0
"""Records that stay."""

import threading

from desk import Desk, started


def test_the_records_are_in_a_sqlite_file(delivery):
    Desk(delivery).item("Ladder")
    content = delivery.read("records.db")
    assert content is not None and content.startswith(b"SQLite format 3\0")


def test_what_was_answered_survives_a_kill(delivery):
    desk = Desk(delivery)
    item = desk.item("Ladder", "hand")
    loan = desk.lend(item)
    desk.service.kill()
    desk.service = started(delivery)
    assert desk.get("/items").json() == {
        "items": [{"id": item, "name": "Ladder", "kind": "hand", "available": False}]
    }
    assert desk.get("/members/Anna/loans").json() == {"loans": [loan]}


def test_ids_go_on_after_a_restart(delivery):
    desk = Desk(delivery)
    first = desk.item()
    desk.service.kill()
    desk.service = started(delivery)
    assert desk.item() != first
    assert len(desk.names()) == 2


def test_one_of_many_at_once_gets_the_item(delivery):
    desk = Desk(delivery)
    item = desk.item()
    statuses = []

    def ask(number):
        statuses.append(desk.refused(item, f"Member {number}")[0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201] + [409] * 7, statuses
