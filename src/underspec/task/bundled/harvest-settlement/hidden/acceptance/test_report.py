# canary underspec-canary-36451b48-a254-5b8a-8c62-c7650a84bb4d
"""The settlement's lines and the workbook."""

from month import Month, workbook


def test_who_gets_most_comes_first_and_names_decide_among_equals(delivery):
    names = ["bo", "Zoe", "Ada", "cy", "Carl"]
    weights = [100, 300, 100, 200, 100]
    lines = (f"{n};2024-08-02;{name};wheat;{weight} kg;14" for n, (name, weight) in enumerate(zip(names, weights)))
    assert [line.split(";")[0] for line in Month(delivery, *lines).settled] == ["Zoe", "cy", "Ada", "bo", "Carl", "TOTAL"]


def test_deliveries_of_a_grower_are_one_line(delivery):
    month = Month(delivery, "1;2024-08-02;Ada;wheat;10 kg;14", "2;2024-08-02;Ada ;rye;20 kg;14")
    assert month.table("settlement") == ("grower;deliveries;net_kg;amount", ["Ada;2;30;5,00", "TOTAL;2;30;5,00"])


def test_a_name_with_a_semicolon_is_quoted(delivery):
    month = Month(delivery, '1;2024-08-02;"Lee; Ada ""A""";wheat;10 kg;14')
    assert month.settled[0] == '"Lee; Ada ""A""";1;10;2,00'


def test_the_workbook_holds_the_settlement_as_numbers(delivery):
    Month(delivery, "1;2024-08-02;Ada;wheat;10 kg;14", "2;2024-08-02;B\u00f6 & Co;rye;1.000,4 kg;14")
    name, rows = workbook(delivery.read("out/settlement.xlsx"))
    assert name == "Settlement"
    assert rows == [
        ["grower", "deliveries", "net_kg", "amount"],
        ["B\u00f6 & Co", 1.0, 1000.0, 150.0],
        ["Ada", 1.0, 10.0, 2.0],
        ["TOTAL", 2.0, 1010.0, 152.0],
    ]


def test_a_name_is_text_whatever_it_looks_like(delivery):
    Month(delivery, "1;2024-08-02;=1+1;wheat;10 kg;14", "2;2024-08-02;007;wheat;5 kg;14")
    rows = workbook(delivery.read("out/settlement.xlsx"))[1]
    assert [row[0] for row in rows] == ["grower", "=1+1", "007", "TOTAL"]
