"""The released harness's comparison: a table of cases worked out by hand from its published rules, and laws."""

from __future__ import annotations

import asyncio
import io
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cli.command import underspec
from tests.grade.fakes import FakeBackend, Script
from tests.task_factory import MEAN, SUM, make_task
from underspec.artifact.outcomes import SUITES, CaseOutcome
from underspec.grade.compare import Verdicts, compare
from underspec.grade.grader import grade_in_full
from underspec.grade.published import PUBLISHED, PublishedComparison, as_text
from underspec.sandbox.protocol import Owner
from underspec.selftest.deliverables.toy import INPUTS, TOTALS, answer, toy_task

MIB = 1024**2
P, X, M, OVER = CaseOutcome.PASS, CaseOutcome.MISMATCH, CaseOutcome.MISSING, CaseOutcome.OVERSIZE

# --- one output against one expectation ---


class Text(NamedTuple):
    """What is expected, what comes, the outcome by the rules, and why."""

    expected: Any
    actual: bytes
    outcome: CaseOutcome
    why: str


TEXTS = [
    Text("ok\n", b"ok\n", P, "the same text"),
    Text("", b"", P, "nothing is expected and nothing comes, in a file that is there"),
    Text("ok\n", b"ok", X, "a missing last line end is a difference; nothing is trimmed"),
    Text("ok", b"ok\n", X, "so is one too many"),
    Text("ok\n", b"ok \n", X, "so is a space"),
    Text("ok\n", b"OK\n", X, "so is a capital"),
    Text("a\nb\n", b"a\r\nb\r\n", P, "CRLF in an output is read as LF"),
    Text("a\nb", b"a\rb", P, "a lone CR is read as LF"),
    Text("a\n\nb", b"a\r\r\nb", P, "CR, then CRLF: two line ends"),
    Text("a\n\nb", b"a\n\rb", P, "LF, then CR: two line ends"),
    Text("a\nb", b"a\r\rb", X, "two CR are two line ends, one is expected"),
    Text("a\r\nb", b"a\r\nb", X, "the JSON says CR by an escape, which no reading changes; the output's CR is gone"),
    Text("a\rb", b"a\rb", X, "the same for a lone CR: this expectation cannot be met"),
    Text("a\r\nb", b"a\nb", X, "nor by writing LF"),
    Text("\ufffd", b"\xff", P, "a byte that is no UTF-8 is read as U+FFFD"),
    Text("\ufffd", "\ufffd".encode(), P, "U+FFFD itself is U+FFFD too"),
    Text("\ufffd\ufffd", b"\xff\xfe", P, "each such byte is one U+FFFD"),
    Text("\ufffd", b"\xff\xfe", X, "so that two are not one"),
    Text("\ufffd", b"\xe2\x82", P, "the beginning of a character that breaks off is one U+FFFD"),
    Text("\ufffd", b"\xf0\x9f\x98", P, "of three bytes too"),
    Text("\ufffdx", b"\xf0\x9f\x98x", P, "and what follows it stays"),
    Text("\ufffd\ufffd\ufffd", b"\xed\xa0\x80", P, "half of a surrogate pair in bytes: none of the three can stand"),
    Text("\ufffd\ufffd", b"\xc0\xaf", P, "an overlong spelling: neither byte can stand"),
    Text("é", b"\xe9", X, "Latin-1 is no UTF-8: U+FFFD, which is not the letter"),
    Text("é", "é".encode(), P, "the letter in UTF-8"),
    Text("é", "e\u0301".encode(), X, "composed and decomposed letters are different texts"),
    Text("x", b"\xef\xbb\xbfx", X, "a byte order mark is a character"),
    Text("\ufeffx", b"\xef\xbb\xbfx", P, "which may be expected"),
    Text("a\u2028b\x0bc\x85d", "a\u2028b\x0bc\x85d".encode(), P, "other separators are not line ends"),
    Text("a\nb", "a\u2028b".encode(), X, "and never become one"),
    Text("a\x00b", b"a\x00b", P, "a NUL is a character"),
    Text("5", b"5", P, "a string of a digit"),
    Text(5, b"5", P, "a number is dumped as JSON"),
    Text(5, b"5\n", X, "without a line end"),
    Text(1.0, b"1.0", P, "in the spelling of JSON's writer"),
    Text(1.0, b"1", X, "and no other"),
    Text(True, b"true", P, "a truth value in JSON's spelling"),
    Text(True, b"True", X, "and not in Python's"),
    Text(None, b"null", P, "null too"),
    Text(None, b"", X, "null is not nothing"),
    Text({"b": 1, "a": []}, b'{"b": 1, "a": []}', P, "an object in its own order, with a space after , and :"),
    Text({"b": 1, "a": []}, b'{"b":1,"a":[]}', X, "a tighter spelling is another text"),
    Text(["é"], b'["\\u00e9"]', P, "beyond ASCII by escapes, as JSON's writer does by default"),
    Text(["é"], '["é"]'.encode(), X, "and not as it is"),
    Text("x" * 9, b"x" * 9, OVER, "above the limit of this table (8 bytes), which is ours and not theirs"),
]  # fmt: skip


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: row.why)
def test_texts(row: Text) -> None:
    limit = 8 if row.outcome is OVER else MIB
    verdicts = compare({"f": [row.expected]}, [("f@0.txt", row.actual)], limit=limit, comparison=PUBLISHED)
    assert verdicts.outcomes == {"f": (row.outcome,)}, row.why


# --- which output stands for which case ---


class Numbered(NamedTuple):
    """Expectations by file (a letter a case), outputs by name, outcomes by file in the rules' numbering, and why."""

    expected: dict[str, str]
    outputs: dict[str, str]
    outcomes: dict[str, str]
    why: str


NUMBERED = [
    Numbered({"f": "abc"}, {"f@0": "a", "f@1": "b", "f@2": "c"}, {"f": "PPP"}, "from 0"),
    Numbered({"f": "abc"}, {"f@1": "a", "f@2": "b", "f@3": "c"}, {"f": "PPP"}, "from 1"),
    Numbered({"f": "abc"}, {"f@7": "a", "f@8": "b", "f@9": "c"}, {"f": "PPP"}, "from whatever comes first"),
    Numbered({"f": "abc"}, {"f@000": "a", "f@01": "b", "f@2": "c"}, {"f": "PPP"}, "any zero padding"),
    Numbered({"f": "abc", "g": "de"}, {"f@0": "a", "f@1": "b", "f@2": "c", "g@1": "d", "g@2": "e"},
             {"f": "PPP", "g": "PP"}, "each file by itself: one from 0, one from 1"),
    Numbered({"f": "abcde"}, {"f@1": "b", "f@2": "c", "f@3": "d", "f@4": "e"}, {"f": "XXXXM"},
             "the first is missing, so that 1 is taken for the first: four right ones score 0"),
    Numbered({"f": "aab"}, {"f@1": "a", "f@2": "b"}, {"f": "PXM"},
             "shifted by one, an output can be right by chance: the second's stands for the first"),
    Numbered({"f": "abc"}, {"f@0": "a", "f@1": "b"}, {"f": "PPM"}, "a missing last one costs one"),
    Numbered({"f": "abc"}, {"f@0": "a", "f@2": "c"}, {"f": "PMP"}, "so does one in the middle"),
    Numbered({"f": "abc"}, {"f@2": "c"}, {"f": "XMM"}, "a single output is the first case's, whatever its number"),
    Numbered({"f": "abc"}, {"f@0": "?", "f@1": "a", "f@2": "b", "f@3": "c"}, {"f": "XXX"},
             "counted from 1 with something else at 0: that is the lowest, and all are shifted"),
    Numbered({"f": "ab"}, {"f@0": "a", "f@1": "b", "f@2": "?", "f@99": "?"}, {"f": "PP"},
             "what is beyond the last is nobody's"),
    Numbered({"f": "ab"}, {}, {"f": "MM"}, "nothing there"),
    Numbered({"f": "ab", "g": "c"}, {"g@0": "c"}, {"f": "MM", "g": "P"}, "nothing there of one file"),
    Numbered({"f": "ab"}, {"h@0": "?", "f@0": "a", "f@1": "b"}, {"f": "PP"}, "another file's outputs are nobody's"),
    Numbered({"f": "ab", "f@1": "c"}, {"f@0": "a", "f@1": "b", "f@1@0": "c"}, {"f": "PP", "f@1": "P"},
             "a file's name may hold an @: the last one counts"),
    Numbered({"f": "ab"}, {"f@0": "a", "f@00": "a", "f@1": "b"}, {"f": "PP"}, "two outputs for one case, both right"),
    Numbered({"f": "ab"}, {"f@0": "a", "f@00": "?", "f@1": "b"}, {"f": "XP"}, "two outputs for one case, one wrong"),
    Numbered({"f": "ab"}, {"f@0": "a", "f@00": "longer", "f@1": "b"}, {"f": "XP"}, "or of a size that cannot be right"),
]  # fmt: skip
LETTERS = {"P": P, "X": X, "M": M}


def outputs(row: Numbered) -> list[tuple[str, bytes]]:
    return [(f"{name}.txt", content.encode()) for name, content in row.outputs.items()]


def outcomes(row: Numbered) -> dict[str, tuple[CaseOutcome, ...]]:
    return {stem: tuple(LETTERS[letter] for letter in letters) for stem, letters in row.outcomes.items()}


@pytest.mark.parametrize("row", NUMBERED, ids=lambda row: row.why)
def test_numbers(row: Numbered) -> None:
    for found in (outputs(row), outputs(row)[::-1]):
        verdicts = compare(row.expected, found, limit=MIB, comparison=PUBLISHED)
        assert verdicts.outcomes == outcomes(row), row.why


@pytest.mark.parametrize("row", NUMBERED, ids=lambda row: row.why)
def test_it_makes_no_difference_when_contents_are_shown(row: Numbered) -> None:
    judge = PUBLISHED.judge(row.expected, limit=MIB)
    for name, content in [pair for pair in outputs(row) if judge.announce(pair[0], len(pair[1]))]:
        judge.show(name, content)
    assert judge.verdicts().outcomes == outcomes(row)


def test_the_score_is_what_passes_of_all_cases_of_the_task() -> None:
    row = NUMBERED[5]
    verdicts = compare(row.expected, outputs(row), limit=MIB, comparison=PUBLISHED)
    assert (verdicts.passed, sum(map(len, verdicts.outcomes.values()))) == (0, 5)
    assert compare(row.expected, outputs(row), limit=MIB).passed == 4  # ours charges one case for one output


def test_nine_outputs_for_one_case_never_pass() -> None:
    def verdicts(names: int) -> Verdicts:
        found = [(f"f@{0:0{pad}}.txt", b"a") for pad in range(1, names + 1)]
        return compare({"f": ["a"]}, found, limit=MIB, comparison=PUBLISHED)

    assert (verdicts(8).passed, verdicts(9).passed, verdicts(9).repeated) == (1, 0, 1)


def test_outputs_that_stand_for_no_case_are_counted() -> None:
    found = [("f@0.txt", b"a"), ("f@1.txt", b"?"), ("g@0.txt", b"?"), ("f@x.txt", b"?"), ("f.txt", b"?")]
    verdicts = compare({"f": ["a"]}, found, limit=MIB, comparison=PUBLISHED)
    assert (verdicts.passed, verdicts.seen, verdicts.surplus) == (1, 1, 4)


def test_an_announced_output_that_is_never_shown_does_not_pass() -> None:
    judge = PUBLISHED.judge({"f": ["a"]}, limit=MIB)
    assert judge.announce("f@0.txt", 1)
    assert judge.verdicts().outcomes == {"f": (X,)}


def test_what_cannot_be_right_by_its_size_is_not_read() -> None:
    judge = PUBLISHED.judge({"f": ["abc\n"], "g": ["a\rb"]}, limit=MIB)
    assert [judge.announce("f@0.txt", size) for size in (3, 4, 5, 6)] == [False, True, True, False]
    assert not judge.announce("g@0.txt", 3)


# --- laws ---

rules = PublishedComparison()


@given(st.binary(max_size=40))
@example(b"\r\n\r\xff\xe2\x82\r")
@example(b"\xf0\x9f\x98\xf0\x9f\x98")
def test_outputs_are_read_as_pythons_text_mode_reads_them(data: bytes) -> None:
    assert as_text(data).decode() == io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace").read()


@given(st.binary(max_size=40) | st.text(alphabet="\n\r\ufffda", max_size=12).map(str.encode))
@example(b"\xf0\x9f\x98" * 5)
@example(b"\r\n" * 5)
def test_no_output_that_fits_is_left_unread(data: bytes) -> None:
    prepared = rules.prepare(as_text(data).decode())
    assert rules.fits(prepared, data)
    assert rules.may_fit(prepared, len(data))
    assert compare({"f": [as_text(data).decode()]}, [("f@0.txt", data)], limit=MIB, comparison=PUBLISHED).passed == 1


@given(st.lists(st.text("xyé\n", max_size=4), min_size=1, max_size=6), st.sampled_from([0, 1]), st.data())
def test_plain_outputs_that_are_all_there_get_the_same_verdict_from_both(
    expected: list[str], base: int, data: st.DataObject
) -> None:
    written = [data.draw(st.sampled_from([text, text + "x"])) for text in expected]
    found = [(f"f@{place + base:03}.txt", text.encode()) for place, text in enumerate(written)]
    ours = compare({"f": expected}, found, limit=MIB)
    assert compare({"f": expected}, found, limit=MIB, comparison=PUBLISHED).outcomes == ours.outcomes


@pytest.mark.parametrize("files", [1, 1000])
def test_twenty_five_thousand_cases_are_compared_a_second_in_one_file_and_in_a_thousand(files: int) -> None:
    each = 50_000 // files
    suite = {f"file{file}": [f"{file}:{place}\n" for place in range(each)] for file in range(files)}
    found = [
        (f"{stem}@{place:03}.txt", text.encode()) for stem, cases in suite.items() for place, text in enumerate(cases)
    ]
    for _ in range(5):
        start = time.process_time()
        assert compare(suite, found, limit=MIB, comparison=PUBLISHED).passed == 50_000
        rate = 50_000 / (time.process_time() - start)
        if rate >= 25_000:
            break
    assert rate >= 25_000


# --- through the grader and the command ---


def test_a_grade_says_by_which_rules_it_was_made_and_shows_what_stood_for_a_failing_case(tmp_path: Path) -> None:
    def written(suite: str, missing: int) -> dict[str, bytes | int]:
        return {
            f"{stem}@{place}.txt": answer(case).replace("\n", "\r\n").encode()
            for stem, cases in INPUTS[suite].items()  # type: ignore[index]
            for place, case in enumerate(cases)
            if place >= missing
        }

    scripts = [Script(outputs=written(suite, suite == "native")) for suite in SUITES]
    grade = asyncio.run(
        grade_in_full(
            toy_task(), tmp_path, FakeBackend(*scripts), image="host", owner=Owner(run="tests", purpose="grade"),
            comparison=PUBLISHED, show=50,
        )
    )  # fmt: skip
    assert grade.outcomes.comparison == "published"
    assert grade.outcomes.rate_of(grade.outcomes.suite("enhanced")).passed == TOTALS["enhanced"]
    assert grade.outcomes.rate_of(grade.outcomes.suite("native")).passed == 0
    first = next(failure for failure in grade.failures if failure.index == 0)
    assert first.actual == scripts[1].outputs[f"{first.file}@1.txt"]


CRLF_TEST_SH = r"""#!/bin/bash
cd "$(dirname "$0")/.." || exit 1
python3 - "$2" <<'PYTHON'
import json, pathlib, sys
tests = pathlib.Path("rcb_tests")
for file in (tests / sys.argv[1]).glob("*.json"):
    for index, case in enumerate(json.loads(file.read_text())["cases"], 5):
        numbers = case["input"]["numbers"]
        total = sum(numbers)
        if case["input"]["action"] == "mean":
            total = total / len(numbers) if numbers else "error: empty"
        total = int(total) if isinstance(total, float) and total == int(total) else total
        (tests / "stdout" / sys.argv[1] / f"{file.stem}@{index}.txt").write_bytes(f"{total}\r\n".encode())
PYTHON
"""


@pytest.mark.sandbox
def test_the_command_grades_by_either_rules(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    script = tmp_path / "submission" / "rcb_tests" / "test.sh"
    script.parent.mkdir(parents=True)
    script.write_text(CRLF_TEST_SH)
    argv: list[str | Path] = ["grade", "--task", task, "--submission", tmp_path / "submission", "--json"]
    exact = underspec(*argv).json()
    published = underspec(*argv, "--compare", "published").json()
    assert (exact["comparison"], exact["overall"]["passed"], exact["clean"]) == ("bytes", 0, False)
    assert (published["comparison"], published["overall"]["passed"], published["clean"]) == ("published", 7, True)
    assert published["published_columns"]["hidden"] == "native"
    assert {case["file"] for case in published["cases"]} == {SUM, MEAN}


def test_an_unknown_comparison_is_wrong_use(tmp_path: Path) -> None:
    ran = underspec("grade", "--task", make_task(tmp_path), "--submission", tmp_path, "--compare", "fuzzy")
    assert ran.code == 2
    assert "published" in ran.err
