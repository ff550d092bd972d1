# canary underspec-canary-9211cdeb-ac0b-541e-87d1-11e76fb2adf7
"""Outputs that exist already."""

from bench import archive, cues_of, done, use

OLD = "old\n"
FILM = archive((1, 2, "x"))


def test_an_output_that_exists_is_not_touched(delivery):
    end = use(delivery, "convert", "a.json", "out.json", a_json=FILM, out_json=OLD)
    assert end.exit_code == 4 and end.stderr.count(b"\n") == 1, end
    assert delivery.read("out.json") == OLD.encode()


def test_with_force_it_is_replaced(delivery):
    done(delivery, "convert", "a.json", "out.json", "--force", a_json=FILM, out_json=OLD)
    assert cues_of(delivery) == [(1, 2, "x")]


def test_an_input_may_be_replaced(delivery):
    done(delivery, "shift", "--force", "a.json", "a.json", "--by", "10", a_json=FILM)
    assert cues_of(delivery, "a.json") == [(11, 12, "x")]


def test_after_an_error_the_old_output_is_there(delivery):
    end = use(delivery, "convert", "a.json", "out.json", "--force", a_json="{", out_json=OLD)
    assert end.exit_code == 3, end
    assert delivery.read("out.json") == OLD.encode()


def test_wrong_use_has_its_own_code(delivery):
    for words in (("convert", "a.json", "out.txt"), ("convert", "a.json"), ("polish", "a.json", "b.json"), ("shift", "a.json", "b.json")):
        end = use(delivery, *words, a_json=FILM)
        assert end.exit_code == 5, (words, end)
        assert end.stderr, words
