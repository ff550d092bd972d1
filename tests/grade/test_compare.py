"""Comparison is exact, decides the numbering once a suite, and charges one missing output as one case."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from underspec.artifact.outcomes import CaseOutcome
from underspec.grade.compare import SuiteComparison, Verdicts, compare, split_name

MIB = 1024**2
PASS, MISMATCH, MISSING, OVERSIZE = CaseOutcome.PASS, CaseOutcome.MISMATCH, CaseOutcome.MISSING, CaseOutcome.OVERSIZE

stems = st.text("ab@.-_ 9é", min_size=1, max_size=5)
suites = st.dictionaries(stems, st.lists(st.text("xy\r\n", max_size=3), min_size=1, max_size=6), min_size=1, max_size=4)


def outputs_of(suite: dict[str, list[str]], base: int, pad: int = 3) -> dict[tuple[str, int], tuple[str, bytes]]:
    """What a right program leaves, by case: name and content."""
    return {
        (stem, place): (f"{stem}@{place + base:0{pad}}.txt", expected.encode())
        for stem, cases in suite.items()
        for place, expected in enumerate(cases)
    }


def judged(suite: dict[str, list[str]], *outputs: tuple[str, bytes], limit: int = MIB) -> Verdicts:
    return compare(suite, outputs, limit=limit)


@given(suites, st.sampled_from([0, 1]), st.data())
def test_any_outputs_missing_cost_exactly_as_many_cases(
    suite: dict[str, list[str]], base: int, data: st.DataObject
) -> None:
    written = outputs_of(suite, base)
    kept = data.draw(st.sets(st.sampled_from(sorted(written))))
    verdicts = compare(suite, [written[case] for case in kept], limit=MIB)
    assert verdicts.passed == len(kept)
    assert verdicts.surplus == 0


@given(suites, st.sampled_from([0, 1]), st.data())
def test_the_cases_that_cost_are_those_without_an_output_when_a_name_tells_the_numbering(
    suite: dict[str, list[str]], base: int, data: st.DataObject
) -> None:
    written = outputs_of(suite, base)
    telling = sorted(case for case in written if (case[1] == 0 if base == 0 else case[1] == len(suite[case[0]]) - 1))
    kept = data.draw(st.sets(st.sampled_from(sorted(written)))) | {data.draw(st.sampled_from(telling))}
    verdicts = compare(suite, [written[case] for case in kept], limit=MIB)
    assert verdicts.base == base
    passed = {
        (stem, place)
        for stem, outcomes in verdicts.outcomes.items()
        for place, outcome in enumerate(outcomes)
        if outcome is PASS
    }
    assert passed == kept


@given(suites, st.sampled_from([0, 1]), st.integers(1, 12), st.data())
def test_padding_changes_nothing(suite: dict[str, list[str]], base: int, pad: int, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.sampled_from(sorted(outputs_of(suite, base)))))
    plain = [outputs_of(suite, base, 1)[case] for case in kept]
    padded = [outputs_of(suite, base, pad)[case] for case in kept]
    assert compare(suite, plain, limit=MIB) == compare(suite, padded, limit=MIB)


@given(suites, st.lists(st.tuples(st.text("ab@.-_ 019étx", max_size=9), st.binary(max_size=3)), max_size=20))
def test_never_more_verdicts_than_cases_whatever_is_there(
    suite: dict[str, list[str]], outputs: list[tuple[str, bytes]]
) -> None:
    found = dict(outputs)
    found |= {f"{stem}@{index}.txt": b"x" for stem in suite for index in range(3)}
    verdicts = compare(suite, found.items(), limit=MIB)
    assert {stem: len(outcomes) for stem, outcomes in verdicts.outcomes.items()} == {
        stem: len(cases) for stem, cases in suite.items()
    }
    assert verdicts.passed <= verdicts.seen <= sum(len(cases) for cases in suite.values())


@given(suites, st.permutations(range(8)), st.data())
def test_the_order_in_which_outputs_are_found_changes_nothing(
    suite: dict[str, list[str]], order: list[int], data: st.DataObject
) -> None:
    names = st.builds(
        lambda stem, index, pad: f"{stem}@{index:0{pad}}.txt",
        st.sampled_from(sorted(suite)),
        st.integers(0, 7),
        st.integers(1, 3),
    )
    found = data.draw(st.dictionaries(names, st.text("xy", max_size=1), min_size=8, max_size=8))
    outputs = [(name, content.encode()) for name, content in found.items()]
    assert compare(suite, outputs, limit=MIB) == compare(suite, [outputs[place] for place in order], limit=MIB)


@given(st.text(max_size=20), st.binary(max_size=20))
@example("�", b"\xff")
@example("a\r\nb", b"a\nb")
@example("a\rb", b"a\nb")
@example("﻿x", b"x")
def test_an_output_passes_when_and_only_when_its_bytes_are_the_expectation_in_utf8(
    expected: str, actual: bytes
) -> None:
    verdict = judged({"f": [expected]}, ("f@0.txt", actual)).outcomes["f"][0]
    assert verdict is (PASS if actual == expected.encode() else MISMATCH)
    assert judged({"f": [expected]}, ("f@0.txt", expected.encode())).outcomes["f"] == (PASS,)


def test_a_missing_first_output_costs_one_case_of_five() -> None:
    suite = {"a": list("12345"), "b": list("12")}
    outputs = outputs_of(suite, 0)
    del outputs["a", 0]
    verdicts = compare(suite, outputs.values(), limit=MIB)
    assert verdicts.outcomes == {"a": (MISSING, PASS, PASS, PASS, PASS), "b": (PASS, PASS)}


def test_a_crashed_case_does_not_pass_with_its_neighbours_output() -> None:
    suite = {"a": ["error", "error", "6"], "b": ["1"]}
    verdicts = judged(suite, ("a@001.txt", b"error"), ("a@002.txt", b"6"), ("b@000.txt", b"1"))
    assert verdicts.outcomes == {"a": (MISSING, PASS, PASS), "b": (PASS,)}


def test_a_hang_midway_leaves_no_name_that_tells_the_numbering_but_contents_do() -> None:
    suite = {"a": list("12345")}
    from_one = judged(suite, ("a@1.txt", b"1"), ("a@2.txt", b"2"), ("a@3.txt", b"3"))
    assert (from_one.base, from_one.outcomes["a"]) == (1, (PASS, PASS, PASS, MISSING, MISSING))
    from_zero = judged(suite, ("a@1.txt", b"2"), ("a@2.txt", b"3"), ("a@3.txt", b"4"))
    assert (from_zero.base, from_zero.outcomes["a"]) == (0, (MISSING, PASS, PASS, PASS, MISSING))


def test_all_wrong_outputs_that_do_not_tell_the_numbering_count_from_zero() -> None:
    verdicts = judged({"a": list("1234")}, ("a@1.txt", b"?"), ("a@2.txt", b"?"))
    assert (verdicts.base, verdicts.outcomes["a"]) == (0, (MISSING, MISMATCH, MISMATCH, MISSING))


def test_an_index_zero_anywhere_makes_the_whole_suite_count_from_zero() -> None:
    suite = {"a": list("12"), "b": list("34")}
    verdicts = judged(suite, ("a@0.txt", b"1"), ("b@1.txt", b"4"), ("b@2.txt", b"4"))
    assert verdicts.base == 0
    assert verdicts.outcomes == {"a": (PASS, MISSING), "b": (MISSING, PASS)}
    assert verdicts.surplus == 1


@pytest.mark.parametrize("order", [1, -1])
def test_two_outputs_for_one_case_pass_only_if_both_are_right(order: int) -> None:
    suite = {"a": ["x", "y"]}
    agreeing = [("a@1.txt", b"y"), ("a@001.txt", b"y"), ("a@0.txt", b"x")]
    differing = [("a@1.txt", b"y"), ("a@001.txt", b"n"), ("a@0.txt", b"x")]
    assert judged(suite, *agreeing[::order]).outcomes["a"] == (PASS, PASS)
    assert judged(suite, *differing[::order]).outcomes["a"] == (PASS, MISMATCH)
    assert judged(suite, *differing).repeated == 1


def test_more_than_eight_outputs_for_one_case_are_not_even_read() -> None:
    suite = SuiteComparison({"a": ["x"]}, limit=MIB)
    wanted = [suite.announce(f"a@{0:0{pad}}.txt", 1) for pad in range(1, 12)]
    assert wanted == [True] * 8 + [False] * 3
    for pad in range(1, 9):
        suite.show(f"a@{0:0{pad}}.txt", b"x")
    assert suite.verdicts().outcomes["a"] == (MISMATCH,)


def test_surplus_outputs_are_counted_and_ignored() -> None:
    suite = {"a": ["x"]}
    verdicts = judged(
        suite,
        ("a@0.txt", b"x"),
        ("a@1.txt", b"x"),
        ("a@77.txt", b"x"),
        ("other@0.txt", b"x"),
        ("a@-1.txt", b"x"),
        ("a@٠.txt", b"x"),
        ("a@0.TXT", b"x"),
        ("a@" + "9" * 200 + ".txt", b"x"),
    )
    assert (verdicts.passed, verdicts.seen, verdicts.surplus) == (1, 1, 7)


@pytest.mark.parametrize(("size", "outcome"), [(7, MISMATCH), (8, PASS), (9, OVERSIZE)])
def test_an_output_at_the_limit_is_compared_and_one_beyond_is_oversize(size: int, outcome: CaseOutcome) -> None:
    assert judged({"a": ["x" * 8]}, ("a@0.txt", b"x" * size), limit=8).outcomes["a"] == (outcome,)


def test_what_is_oversize_is_so_even_where_it_is_expected() -> None:
    assert judged({"a": ["x" * 9]}, ("a@0.txt", b"x" * 9), limit=8).outcomes["a"] == (OVERSIZE,)


def test_a_wanted_output_that_is_never_shown_does_not_pass() -> None:
    suite = SuiteComparison({"a": ["x"]}, limit=MIB)
    assert suite.announce("a@0.txt", 1)
    assert suite.verdicts().outcomes["a"] == (MISMATCH,)


def test_only_outputs_of_the_right_length_are_wanted() -> None:
    suite = SuiteComparison({"a": ["xx", "y"]}, limit=MIB)
    assert not suite.announce("a@0.txt", 1)
    assert suite.announce("a@1.txt", 1)


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("f@007.txt", ("f", 7)),
        ("f@000.txt", ("f", 0)),
        ("a@b@1.txt", ("a@b", 1)),
        ("@1.txt", ("", 1)),
        ("f.txt", None),
        ("f@.txt", None),
        ("f@1_0.txt", None),
        ("f@ 1.txt", None),
        ("f@²" + ".txt", None),
        ("f@1.txt.gz", None),
    ],
)
def test_names_of_outputs_are_read_strictly(name: str, parsed: tuple[str, int] | None) -> None:
    assert split_name(name) == parsed


@pytest.mark.parametrize("files", [1, 1000])
def test_a_hundred_thousand_cases_are_compared_at_fifty_thousand_a_second_in_one_file_and_in_a_thousand(
    files: int,
) -> None:
    each = 100_000 // files
    suite = {f"file{file}": [f"{file}:{place}\n" for place in range(each)] for file in range(files)}
    outputs = list(outputs_of(suite, 1).values())
    for _ in range(5):
        start = time.process_time()
        verdicts = compare(suite, outputs, limit=MIB)
        rate = 100_000 / (time.process_time() - start)
        assert verdicts.passed == 100_000
        if rate >= 50_000:
            break
    assert rate >= 50_000
