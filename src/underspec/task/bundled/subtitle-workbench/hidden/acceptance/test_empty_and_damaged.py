# canary underspec-canary-ea38b7f8-b369-54d0-b372-e05e4bafe738
"""Files without cues, and damaged ones."""

from bench import cues_of, done, use


def test_a_film_without_speech_is_valid(delivery):
    done(delivery, "convert", "a.srt", "out.vtt", a_srt="")
    assert delivery.read("out.vtt") == b"WEBVTT\n\n"
    done(delivery, "convert", "a.vtt", "out.json", a_vtt="WEBVTT\n")
    assert cues_of(delivery) == []
    done(delivery, "shift", "b.json", "out.srt", "--by", "5", b_json='{"cues": []}')
    assert delivery.read("out.srt") == b""


def damaged(delivery, name, line, content):
    end = use(delivery, "convert", name, "out.json", **{name.replace(".", "_"): content})
    assert end.exit_code == 3, (content, end)
    assert end.errors.startswith(f"{name}:{line}: "), end
    assert end.errors.strip().count("\n") == 0, end
    assert delivery.read("out.json") is None


def test_times_that_cannot_be_read_are_damage(delivery):
    good = "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n"
    for times in ("00:00:01 --> 00:00:02", "00:00:01,000 -> 00:00:02,000", "00:61:00,000 --> 00:62:00,000"):
        damaged(delivery, "a.srt", 6, good + f"2\n{times}\nTwo\n")


def test_an_end_before_its_start_is_damage(delivery):
    damaged(delivery, "a.srt", 2, "1\n00:00:02,000 --> 00:00:01,999\nOne\n")
    damaged(delivery, "a.json", 1, '{"cues": [{"start": 5, "end": 4, "text": "x"}]}')


def test_a_block_without_times_is_damage(delivery):
    damaged(delivery, "a.srt", 4, "00:00:01,000 --> 00:00:02,000\nOne\n\nJust a line\n")


def test_a_format_needs_what_makes_it_one(delivery):
    damaged(delivery, "a.vtt", 1, "")
    damaged(delivery, "a.vtt", 1, "1\n00:01.000 --> 00:02.000\nOne\n")
    damaged(delivery, "a.json", 1, "{}")
    damaged(delivery, "a.json", 2, '{"cues":\n ]}')


def test_what_is_not_utf8_or_not_there_is_damage(delivery):
    damaged(delivery, "a.srt", 1, b"1\n00:00:01,000 --> 00:00:02,000\nH\xe9llo\n")
    end = use(delivery, "convert", "nowhere.srt", "out.json")
    assert (end.exit_code, end.errors[:14]) == (3, "nowhere.srt:1:"), end
