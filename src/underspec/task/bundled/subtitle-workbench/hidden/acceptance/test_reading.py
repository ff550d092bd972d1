# canary underspec-canary-c29a50ed-16dd-5c38-97ce-eda13fb573be
"""Reading the three formats."""

from bench import archive, cues_of, done


def read(delivery, name, content):
    done(delivery, "convert", name, "out.json", **{name.replace(".", "_"): content})
    return cues_of(delivery)


def test_subrip_is_read(delivery):
    text = "1\n00:00:01,000 --> 00:00:02,500\nHello\nthere\n\n2\n01:02:03,004 --> 01:02:04,000\n- Bye\n"
    assert read(delivery, "a.srt", text) == [(1000, 2500, "Hello\nthere"), (3723004, 3724000, "- Bye")]


def test_subrip_of_any_make_is_read(delivery):
    text = "\ufeff7\r\n00:00:01.000 --> 00:00:02.000\r\nOne\r\n\r\n\r\n00:00:03,000 --> 00:00:04,000\r\nTwo\r\n\r\n7\r\n" \
        "00:00:05,000 --> 00:00:06,000\r\nThree"
    assert [cue[2] for cue in read(delivery, "a.srt", text)] == ["One", "Two", "Three"]


def test_webvtt_is_read(delivery):
    text = """WEBVTT - our film

NOTE made by hand
00:01.000 --> 00:02.000

STYLE
::cue { color: red }

intro
00:01.500 --> 00:02.000 align:start line:0
Hello

01:00:00.000 --> 01:00:01.000
Bye
"""
    assert read(delivery, "a.vtt", text) == [(1500, 2000, "Hello"), (3600000, 3601000, "Bye")]


def test_json_is_read_and_names_may_be_in_capitals(delivery):
    assert read(delivery, "A.JSON", archive((0, 5, "x"), (7, 7, "y"))) == [(0, 5, "x"), (7, 7, "y")]


def test_cues_without_text_are_left_out(delivery):
    text = "1\n00:00:01,000 --> 00:00:02,000\n\n2\n00:00:03,000 --> 00:00:04,000\nHere\n"
    assert read(delivery, "a.srt", text) == [(3000, 4000, "Here")]


def test_blank_text_of_the_archive_is_no_text(delivery):
    assert read(delivery, "a.json", archive((1, 2, ""), (3, 4, " \n "), (5, 6, "z"))) == [(5, 6, "z")]
