# canary underspec-canary-2ed059fc-2ffd-54d6-904f-782cacb018be
"""An empty month, and files that are wrong."""

from month import COMMAND, HEADER, PRICES, Month


def test_no_delivery_is_a_valid_month(delivery):
    month = Month(delivery)
    assert month.table("settlement") == ("grower;deliveries;net_kg;amount", ["TOTAL;0;0;0,00"])
    assert month.table("rejects") == ("line;ticket;reason", [])
    assert delivery.read("out/settlement.xlsx") is not None


def test_no_usable_delivery_is_a_valid_month(delivery):
    month = Month(delivery, "1;2024-08-02;;wheat;1 t;14")
    assert (month.settled, month.rejects) == (["TOTAL;0;0;0,00"], ["2;1;no_grower"])


def refused(delivery, named, **files):
    done = delivery.run(*COMMAND, files={name.replace("_", "."): content for name, content in files.items()})
    assert done.exit_code == 4, done
    assert named in done.errors and done.errors.strip().count("\n") == 0, done
    assert delivery.names("out") == []


def test_an_empty_file_is_wrong(delivery):
    refused(delivery, "in.csv", in_csv="", list_csv=PRICES)


def test_a_missing_file_is_wrong(delivery):
    refused(delivery, "list.csv", in_csv=HEADER + "\n")


def test_a_missing_column_is_wrong(delivery):
    refused(delivery, "in.csv", in_csv="ticket;day;grower;variety;weight\n", list_csv=PRICES)


def test_what_is_not_utf8_is_wrong(delivery):
    refused(delivery, "in.csv", in_csv=HEADER.encode() + b"\n1;2024-08-02;J\xf6rg;wheat;1 t;14\n", list_csv=PRICES)


def test_a_damaged_price_is_wrong(delivery):
    refused(delivery, "list.csv", in_csv=HEADER + "\n", list_csv=PRICES + "oats;2024-08-01;cheap\n")


def test_wrong_files_leave_earlier_results_as_they_were(delivery):
    Month(delivery, "1;2024-08-02;Ada;wheat;100 kg;14")
    before = {name: delivery.read(f"out/{name}") for name in delivery.names("out")}
    done = delivery.run(*COMMAND, files={"in.csv": "ticket\n1\n"})
    assert done.exit_code == 4, done
    assert before and {name: delivery.read(f"out/{name}") for name in delivery.names("out")} == before
