# canary underspec-canary-9264b4f4-17ea-5874-a717-e7617e2f6a9b
"""What is written."""

from bench import archive, cues_of, done

FILM = archive((3723004, 3724000, "Bye\nnow"), (0, 1500, "H\u00e9llo"))


def test_subrip_is_written(delivery):
    done(delivery, "convert", "a.json", "out.srt", a_json=FILM)
    assert delivery.read("out.srt").decode() == (
        "1\n00:00:00,000 --> 00:00:01,500\nH\u00e9llo\n\n2\n01:02:03,004 --> 01:02:04,000\nBye\nnow\n\n"
    )


def test_webvtt_is_written(delivery):
    done(delivery, "convert", "a.json", "out.vtt", a_json=FILM)
    assert delivery.read("out.vtt").decode() == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nH\u00e9llo\n\n01:02:03.004 --> 01:02:04.000\nBye\nnow\n\n"
    )


def test_json_is_written(delivery):
    done(delivery, "convert", "a.json", "out.json", a_json=archive((1, 2, "H\u00e9")))
    assert delivery.read("out.json").decode() == (
        '{\n  "cues": [\n    {\n      "start": 1,\n      "end": 2,\n      "text": "H\u00e9"\n    }\n  ]\n}\n'
    )


def test_hours_may_have_more_than_two_digits(delivery):
    done(delivery, "convert", "a.json", "out.srt", a_json=archive((360000000, 360000001, "late")))
    assert delivery.read("out.srt") == b"1\n100:00:00,000 --> 100:00:00,001\nlate\n\n"


def test_cues_are_in_order_of_start_and_end(delivery):
    film = archive((5, 9, "c"), (5, 7, "b"), (1, 20, "a"), (5, 9, "d"), (5, 9, "C"))
    done(delivery, "convert", "a.json", "out.json", a_json=film)
    assert [cue[2] for cue in cues_of(delivery)] == ["a", "b", "c", "d", "C"]


def test_what_is_the_same_in_everything_is_written_once(delivery):
    film = archive((5, 9, "c"), (1, 2, "a"), (5, 9, "d"), (5, 9, "c"), (5, 8, "c"))
    done(delivery, "convert", "a.json", "out.json", a_json=film)
    assert cues_of(delivery) == [(1, 2, "a"), (5, 8, "c"), (5, 9, "c"), (5, 9, "d")]
