# canary underspec-canary-4bed452c-ee15-5ef5-b6ce-adb70f30005d
"""Corrected and cancelled tickets."""

from month import Month


def test_the_last_line_of_a_ticket_counts(delivery):
    month = Month(
        delivery, "1;2024-08-02;Ada;wheat;100 kg;14", "2;2024-08-02;Bo;wheat;50 kg;14", "1;2024-08-03;Ada;wheat;300 kg;14"
    )
    assert month.settled == ["Ada;1;300;60,00", "Bo;1;50;10,00", "TOTAL;2;350;70,00"]


def test_a_correction_may_change_the_grower(delivery):
    month = Month(delivery, "1;2024-08-02;Ada;wheat;100 kg;14", "1;2024-08-02;Bo;wheat;100 kg;14")
    assert month.settled == ["Bo;1;100;20,00", "TOTAL;1;100;20,00"]


def test_an_unusable_correction_brings_nothing_back(delivery):
    month = Month(delivery, "1;2024-08-02;Ada;wheat;100 kg;14", "1;2024-08-02;Ada;wheat;much;14")
    assert month.settled == ["TOTAL;0;0;0,00"]
    assert month.rejects == ["3;1;bad_weight"]


def test_an_unusable_line_that_was_corrected_is_no_reject(delivery):
    month = Month(delivery, "1;2024-08-02;Ada;wheat;much;14", "1;2024-08-02;Ada;wheat;10 kg;14")
    assert (month.settled[0], month.rejects) == ("Ada;1;10;2,00", [])


def test_a_weight_of_zero_cancels_the_ticket(delivery):
    month = Month(
        delivery, "1;2024-08-02;Ada;wheat;100 kg;14", "2;2024-08-02;Ada;wheat;70 kg;14", "1;2024-08-02;Ada;wheat;0,0 kg;14"
    )
    assert (month.settled[0], month.rejects) == ("Ada;1;70;14,00", [])
