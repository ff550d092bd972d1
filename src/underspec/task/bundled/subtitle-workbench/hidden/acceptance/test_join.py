# canary underspec-canary-d6fcb19e-cec0-5866-88f8-aa79f9aa2273
"""Joining two files."""

from bench import archive, cues_of, done

FIRST = archive((0, 9000, "long"), (1000, 2000, "short"))
SECOND = archive((500, 700, "next"))


def test_the_second_file_begins_when_the_last_text_disappears(delivery):
    done(delivery, "join", "a.json", "b.json", "out.json", a_json=FIRST, b_json=SECOND)
    assert cues_of(delivery) == [(0, 9000, "long"), (1000, 2000, "short"), (9500, 9700, "next")]


def test_a_gap_comes_between(delivery):
    done(delivery, "join", "a.json", "b.json", "out.json", "--gap", "1500", a_json=FIRST, b_json=SECOND)
    assert cues_of(delivery)[-1] == (11000, 11200, "next")


def test_a_first_file_without_cues_takes_no_time(delivery):
    done(delivery, "join", "a.srt", "b.json", "out.json", "--gap", "1500", a_srt="", b_json=SECOND)
    assert cues_of(delivery) == [(500, 700, "next")]


def test_a_second_file_without_cues_adds_nothing(delivery):
    done(delivery, "join", "a.json", "b.vtt", "out.json", a_json=SECOND, b_vtt="WEBVTT\n")
    assert cues_of(delivery) == [(500, 700, "next")]


def test_formats_may_be_mixed(delivery):
    srt = "1\n00:00:01,000 --> 00:00:02,000\nOne\n"
    done(delivery, "join", "a.srt", "b.vtt", "out.vtt", a_srt=srt, b_vtt="WEBVTT\n\n00:01.000 --> 00:02.000\nTwo\n")
    assert delivery.read("out.vtt") == (
        b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nOne\n\n00:00:03.000 --> 00:00:04.000\nTwo\n\n"
    )
