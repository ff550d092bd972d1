# canary underspec-canary-33d3b2c7-fdc6-5bbf-b838-68947432b450
"""Deliveries that cannot be used, and numbers as the weighbridge writes them."""

from month import Month


def test_each_reason_is_given_with_its_line(delivery):
    month = Month(
        delivery,
        "1;2024-08-02;  ;wheat;100 kg;14",
        "2;2024-13-02;Ada;wheat;100 kg;14",
        "3;2024-08-02;Ada;wheat;100 lb;14",
        "",
        "4;2024-08-02;Ada;wheat;100 kg;101",
        "5;2024-08-02;Ada;barley;100 kg;14",
        "6;2024-08-02;Ada;wheat;100 kg;14",
    )
    assert month.table("rejects") == (
        "line;ticket;reason",
        ["2;1;no_grower", "3;2;bad_day", "4;3;bad_weight", "6;4;bad_moisture", "7;5;no_price"],
    )
    assert month.settled == ["Ada;1;100;20,00", "TOTAL;1;100;20,00"]


def test_the_first_reason_that_holds_is_given(delivery):
    month = Month(
        delivery,
        "1;never;;barley;x;y",
        "2;never;Ada;barley;x;y",
        "3;2024-08-02;Ada;barley;x;y",
        "4;2024-08-02;Ada;barley;1 kg;y",
    )
    assert month.rejects == ["2;1;no_grower", "3;2;bad_day", "4;3;bad_weight", "5;4;bad_moisture"]


def test_numbers_are_read_as_the_machine_writes_them(delivery):
    lines = ["1.250 kg", "0,84t", "1.000.000,4 kg", "2 t", "12,0kg", "1.000 t"]
    month = Month(delivery, *(f"{n};2024-08-02;G{n};wheat;{weight};0,5" for n, weight in enumerate(lines)))
    assert month.rejects == []
    assert [line.split(";")[2] for line in sorted(month.settled[:-1])] == ["1250", "840", "1000000", "2000", "12", "1000000"]


def test_what_is_no_such_number_is_rejected(delivery):
    weights = ["-5 kg", "1.25 kg", "1,2,3 kg", "100", "kg", "12.3456 kg", "1e3 kg"]
    month = Month(delivery, *(f"{n};2024-08-02;Ada;wheat;{weight};14" for n, weight in enumerate(weights)))
    assert month.rejects == [f"{n + 2};{n};bad_weight" for n in range(len(weights))]


def test_moisture_has_its_bounds(delivery):
    moistures = ["0", "99,9", "100", "-1", "14,0 %"]
    month = Month(delivery, *(f"{n};2024-08-02;Ada;wheat;1 t;{value}" for n, value in enumerate(moistures)))
    assert month.rejects == ["4;2;bad_moisture", "5;3;bad_moisture", "6;4;bad_moisture"]


def test_columns_are_found_by_name_and_blanks_do_not_matter(delivery):
    header = "\ufeffgrower; note ;moisture;weight;variety;day;ticket"
    month = Month(delivery, " Ada ;x; 14 ; 10 kg ; wheat ; 2024-08-02 ; 7 ", header=header)
    assert month.settled[0] == "Ada;1;10;2,00"
