"""The page is inert whatever it shows, the same for the same run, bounded, and tells nothing hidden."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import partial
from pathlib import Path

import pytest

from tests.report.html_sample import (
    HOSTILE,
    MANIFEST,
    SECRET_INPUT,
    SECRET_MEAN,
    SECRET_SUM,
    Page,
    collected_of,
    failures_of,
    outcomes_of,
    page_of,
    secret_task,
    session_of,
)
from tests.task_factory import MEAN, SUM
from underspec.artifact.failures import MOST_BYTES, FailedCase, Failures
from underspec.artifact.outcomes import CaseOutcome, Outcomes, SuiteEnd, SuiteState
from underspec.measure.interval import clustered_wilson
from underspec.report.collect import Collected
from underspec.report.html import page as page_module
from underspec.report.html.page import MOST_DETAILED, MOST_DETAILS_BYTES
from underspec.report.html.table import MOST_ROWS
from underspec.report.html.visible import prose
from underspec.report.terminal import percent
from underspec.task.model import Task

EVIL = "\n".join(HOSTILE)
_ALLOWED = """
    html head meta title style body svg defs pattern rect circle path header main footer section article p h1 h2 h3 h4
    h5 dl dt dd table thead tbody tr th td ul ol li div span a strong em i b bdi code details summary mark del ins
"""
ALLOWED = frozenset(_ALLOWED.split())


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return secret_task(tmp_path)


def _all_mismatch(suite: str, stem: str, index: int) -> CaseOutcome:
    return CaseOutcome.MISMATCH


def _hostile(folder: Path, task: Task) -> list[Collected]:
    """Hostile text in every place that an agent, a task or a file can fill."""
    outcomes = outcomes_of(task, _all_mismatch, notes=(EVIL,))
    # Names of case files, too, though the loader refuses such.
    evil_cases = tuple(case.model_copy(update={"file": HOSTILE[0] + case.file}) for case in outcomes.cases)
    outcomes = outcomes.model_copy(update={"cases": evil_cases})
    end = SuiteEnd(suite="native", exit_code=None, limit=HOSTILE[2], layer=HOSTILE[3], states=(SuiteState.MISMATCH,))
    outcomes = outcomes.model_copy(update={"suites": (end,)})
    failures = failures_of(outcomes, lambda *_: EVIL.encode() + b"\xff\x00")
    session = session_of([(EVIL, EVIL), *((text, text) for text in HOSTILE)], level=HOSTILE[1], router=HOSTILE[2])
    turns = tuple(turn.model_copy(update={"matched": HOSTILE}) for turn in session.turns)
    return [
        collected_of(
            folder,
            outcomes,
            failures,
            agent=HOSTILE[0] + EVIL,
            session=session.model_copy(update={"turns": turns}),
            detail=EVIL,
            dropped=HOSTILE,
            model=EVIL,
        ),
        collected_of(folder, None, agent="other", reason=EVIL, task=HOSTILE[1] + EVIL, model=HOSTILE[2]),
    ]


def _evil_manifest() -> dict[str, object]:
    return {
        **MANIFEST,
        "underspec": EVIL,
        "machine": dict.fromkeys(MANIFEST["machine"], EVIL),
        "sandbox": {"backend": EVIL, "comparable": False, "checks": []},
        "images": {EVIL: EVIL},
        "tasks": {EVIL: EVIL},
    }


@pytest.mark.parametrize("show_hidden", [False, True])
def test_hostile_text_makes_no_element_no_attribute_and_no_link(tmp_path: Path, task: Task, show_hidden: bool) -> None:
    collected = _hostile(tmp_path, task)
    page = Page(page_of(collected, [task], run=EVIL, manifest=_evil_manifest(), show_hidden=show_hidden))
    assert {element.tag for element in page.elements} <= ALLOWED
    assert page.comments == []
    for element in page.elements:
        for attribute, value in element.attributes.items():
            assert not attribute.startswith("on")
            assert attribute not in ("style", "src", "srcset", "action", "formaction", "xlink:href", "srcdoc", "ping")
            if attribute == "href":
                assert re.fullmatch(r"#item-[0-9a-f]{16}", value or "")
            assert not any(text in (value or "") for text in HOSTILE)


def test_hostile_text_is_read_as_it_was_written(tmp_path: Path, task: Task) -> None:
    page = Page(page_of(_hostile(tmp_path, task), [task]))
    texts = page.texts("text")
    for hostile in (text for text in HOSTILE if text.isprintable()):
        shown = Page(f"<p class=text>{prose(hostile)}</p>").texts("text")[0]
        # The one with a pile of marks is shown in part by name; the others are read as they are.
        assert shown == hostile or "\u0304" in hostile
        assert texts.count(shown) >= 2, hostile


def test_the_policy_admits_the_one_style_sheet_and_nothing_else(tmp_path: Path, task: Task) -> None:
    page = Page(page_of(_hostile(tmp_path, task), [task]))
    policies = [
        element.attributes["content"]
        for element in page.elements
        if element.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (style,) = [element for element in page.elements if element.tag == "style"]
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    assert policies == [f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"]
    assert "@import" not in style.text
    assert set(re.findall(r"url\(([^)]*)\)", style.text)) == {"#p-mismatch", "#p-missing", "#p-oversize"}
    head = [element for element in page.elements if "head" in element.path]
    # Nothing but the character set stands before the policy, so that it holds for everything.
    assert [element.tag for element in head[:2]] == ["meta", "meta"]
    assert head[1].attributes.get("http-equiv") == "Content-Security-Policy"
    assert "://" not in page_of([collected_of(tmp_path, None)])


def test_the_same_run_gives_the_same_bytes(tmp_path: Path, task: Task) -> None:
    collected = _hostile(tmp_path, task)
    first = page_of(collected, [task])
    page_module._environment.cache_clear()
    assert page_of(list(reversed(collected)), [task]).count("<details") == first.count("<details")
    assert page_of(collected, [task]) == first


def _failing(folder: Path, task: Task, output: bytes | None = None) -> Collected:
    """An item that fails everything, near misses in its outputs."""
    outcomes = outcomes_of(task, _all_mismatch)

    def near(suite: str, stem: str, index: int) -> bytes | None:
        if output is not None:
            return output
        return task.suites[suite].files[stem].cases[index].expected_output.encode() + b"and more"  # type: ignore[index]

    return collected_of(folder, outcomes, failures_of(outcomes, near))


def test_nothing_hidden_is_told_unless_asked_for(tmp_path: Path, task: Task) -> None:
    collected = [_failing(tmp_path, task)]
    page = page_of(collected, [task])
    for secret in (
        SECRET_SUM,
        SECRET_MEAN,
        SECRET_INPUT,
        "4711",
        "0815",
        "a-canary",
        "underspec-canary",
        "figurecrate",
    ):
        assert secret.strip() not in page
    assert "shown-sum" in page
    assert "neither what was expected nor what came" in page
    assert "It shows no expected output of a hidden case." in page
    # A native case that is public too is shown; the hidden one beside it is not.
    titles = [element.text.split()[0:2] for element in Page(page).elements if element.tag == "h5"]
    assert [f"native/{SUM}", "#0"] in titles
    assert [f"native/{SUM}", "#2"] not in titles


def test_hidden_cases_are_shown_when_asked_for_with_a_warning(tmp_path: Path, task: Task) -> None:
    page = page_of([_failing(tmp_path, task)], [task], show_hidden=True)
    for secret in (SECRET_SUM, SECRET_MEAN, SECRET_INPUT):
        assert secret.strip() in page
    assert "a-canary" not in page
    assert "Give it to nobody who builds or tunes agents" in page
    assert "It shows no expected output" not in page


def test_a_difference_shows_what_cannot_be_seen(tmp_path: Path, task: Task) -> None:
    page = Page(page_of([_failing(tmp_path, task, b"shown-sum\n\ttab\n\xff\x00end")], [task]))
    lines = [
        (element.classes.pop(), element.text)
        for element in page.elements
        if element.tag == "div" and element.classes & {"expected", "actual", "same"}
    ]
    assert ("expected", "expectedshown-sum\u00b7\u00b7\u21b5") in lines
    assert ("actual", "cameshown-sum\u21b5") in lines
    assert ("expected", "expected\u21e5tabCR\u21b5") in lines
    assert ("actual", "came\\xFFNULend") in lines
    assert ("expected", "expectedU+FEFFend") in lines


def test_a_task_that_is_not_at_hand_or_has_changed_is_said(tmp_path: Path, task: Task) -> None:
    item = _failing(tmp_path, task, b"what-came")
    without = page_of([item])
    assert "not at hand" in without
    assert "there is no such task here" in without
    assert "/secret/place" not in without
    assert "what-came" in without
    assert "shown-sum" not in without
    other = secret_task(tmp_path / "changed", title="Another title")
    changed = page_of([item], [other], show_hidden=True)
    assert "the task has changed since this was graded" in changed
    assert SECRET_SUM.strip() not in changed


def test_what_came_and_is_not_shown_is_said(tmp_path: Path, task: Task) -> None:
    wanted = {0: CaseOutcome.MISSING, 1: CaseOutcome.OVERSIZE}
    outcomes = outcomes_of(
        task, lambda suite, stem, index: wanted.get(index, CaseOutcome.PASS) if suite == "public" else CaseOutcome.PASS
    )
    page = page_of([collected_of(tmp_path, outcomes, failures_of(outcomes, lambda *_: None))], [task])
    assert "nothing came" in page
    assert "too large to show" in page
    long = FailedCase.of("public", SUM, 1, CaseOutcome.MISMATCH, b"y" * (MOST_BYTES + 5))
    right = FailedCase.of("public", SUM, 0, CaseOutcome.MISMATCH, b"shown-sum  \n\ttab\r\n\xef\xbb\xbfend")
    failures = Failures(task=task.id, deliverable=None, cases=(long, right))
    page = page_of([collected_of(tmp_path, outcomes, failures)], [task])
    assert "the first 4,096 of 4,101 bytes are shown" in page
    assert "this output is right, but the case had several outputs" in page


def test_a_grade_from_before_outputs_were_kept_is_said(tmp_path: Path, task: Task) -> None:
    page = page_of([collected_of(tmp_path, outcomes_of(task, _all_mismatch))], [task])
    assert "What came was not kept" in page


def test_what_fails_is_told_by_file_outcome_and_place(tmp_path: Path, task: Task) -> None:
    kinds = {0: CaseOutcome.MISSING, 1: CaseOutcome.PASS, 2: CaseOutcome.MISMATCH}
    outcomes = outcomes_of(
        task, lambda suite, stem, index: CaseOutcome.MISSING if stem == MEAN or suite == "public" else kinds[index]
    )
    page = Page(page_of([collected_of(tmp_path, outcomes)], [task]))
    (failing,) = page.texts("failing")
    assert " ".join(failing.split()) == (
        f"public 3 of 3 {SUM} missing all 2 {MEAN} missing #0 "
        f"native 4 of 5 {SUM} missing #0 mismatch #2 {MEAN} missing all 2 "
        f"enhanced 2 of 2 {SUM} missing #0 {MEAN} missing #0"
    )


def test_bars_say_in_words_what_they_show(tmp_path: Path, task: Task) -> None:
    verdicts = [CaseOutcome.PASS, CaseOutcome.MISMATCH, CaseOutcome.MISSING]
    outcomes = outcomes_of(task, lambda suite, stem, index: verdicts[index])
    page = Page(page_of([collected_of(tmp_path, outcomes)], [task]))
    labels = [element.attributes["aria-label"] for element in page.of("bar")]
    assert labels[1] == "native: 2 pass, 2 mismatch, 1 missing, of 5"
    (native, *_) = [words for words in page.texts("bar-words") if "of 5" in words]
    assert native == "2 of 5 pass, 2 mismatch, 1 missing"
    place = page.elements.index(page.of("bar")[1])
    rects = [element for element in page.elements[place + 1 : place + 4] if element.tag == "rect"]
    assert [rect.classes for rect in rects] == [{"pass"}, {"mismatch"}, {"missing"}]
    widths = [float((rect.attributes["width"] or "").rstrip("%")) for rect in rects]
    assert widths == pytest.approx([40, 40, 20])


def test_what_is_unscored_stays_in_sight_with_bounds(tmp_path: Path, task: Task) -> None:
    scored = outcomes_of(task, lambda suite, stem, index: CaseOutcome.PASS)
    collected = [
        collected_of(tmp_path, scored),
        collected_of(tmp_path, None, reason="the engine went away", epoch=2),
        collected_of(tmp_path, None, epoch=3),
    ]
    page = Page(page_of(collected, [task]))
    assert "3 planned = 1 scored + 2 unscored (not run 1, sandbox 1)" in page.texts("lead")[0]
    assert any("33.3 to 100.0" in text for text in page.texts("bounds"))
    assert any("1/3" in text for text in page.texts("num"))
    assert any("the engine went away" in text for text in page.texts("callout"))
    assert "2 of 3 items are unscored and not in these bars." in page.texts("group")[0]
    assert {"unscored: sandbox", "not finished"} <= set(page.texts("tag"))


def _always(fate: CaseOutcome, _suite: str, _stem: str, _index: int) -> CaseOutcome:
    return fate


def test_the_line_of_all_tasks_has_their_mean_and_its_interval(tmp_path: Path, task: Task) -> None:
    verdicts = {"one": CaseOutcome.PASS, "two": CaseOutcome.MISMATCH, "three": CaseOutcome.PASS}
    collected = [
        collected_of(tmp_path, outcomes_of(task, partial(_always, fate)), task=name) for name, fate in verdicts.items()
    ]
    alone = Page(page_of(collected[:1], [task]))
    assert alone.texts("interval") == []
    span = clustered_wilson([1.0, 0.0, 1.0])
    assert span is not None
    shown = f"mean of tasks 66.7, 95 % interval {percent(span.low)} to {percent(span.high)}"
    assert Page(page_of(collected, [task])).texts("interval") == [shown]


def test_a_stale_build_stays_in_sight(tmp_path: Path, task: Task) -> None:
    outcomes = outcomes_of(task, lambda *_: CaseOutcome.PASS)
    collected = [collected_of(tmp_path, outcomes, stale=True), collected_of(tmp_path, outcomes, epoch=2)]
    page = Page(page_of(collected, [task]))
    assert page.texts("callout")[0].startswith("1 stale.")
    assert page.texts("tag").count("stale build") == 1


def test_several_tasks_have_a_row_each_and_one_together(tmp_path: Path, task: Task) -> None:
    other = secret_task(tmp_path / "other", id="toy-other")
    collected = [
        collected_of(tmp_path, outcomes_of(each, lambda *_: CaseOutcome.PASS), budget=budget)
        for each in (task, other)
        for budget in (4, 8)
    ]
    page = Page(page_of(collected, [task, other]))
    rows = [element for element in page.elements if element.tag == "tr"]
    assert len(rows) == 1 + 2 * 3
    assert [row.classes for row in rows[1:4]] == [{"sum"}, set(), set()]
    assert sum("budget 4" in text for text in page.texts("setting")) == 3 + 1
    links = {element.attributes["href"] for element in page.elements if element.tag == "a"}
    assert links == {f"#{element.attributes['id']}" for element in page.of("item-body")}


def test_a_conversation_is_shown_round_by_round(tmp_path: Path, task: Task) -> None:
    session = session_of([("first?", "one\n\n  two"), ("second?", "nothing")])
    last = session.turns[1].model_copy(update={"matched": (), "fallback": True, "more_asked": True})
    session = session.model_copy(update={"turns": (session.turns[0], last)})
    outcomes = outcomes_of(task, lambda *_: CaseOutcome.PASS)
    page = Page(page_of([collected_of(tmp_path, outcomes, session=session)], [task]))
    assert page.texts("ask") == ["1. Agentfirst?", "2. Agentsecond?"]
    assert page.texts("reply") == ["Stakeholderone\n\n  two", "Stakeholdernothing"]
    assert page.texts("after")[0].split() == ["C001", "15", "left"]
    assert page.texts("after")[1].startswith("nothing matched fallback more was asked")


def _long_session(number: int, size: int) -> dict[str, object]:
    return {"session": session_of([("\x00<" * (size // 2), "&" * size)] * number, budget=10_000)}


def test_one_item_stays_small_whatever_was_asked_and_printed(tmp_path: Path, task: Task) -> None:
    outcomes = outcomes_of(task, _all_mismatch)
    failures = failures_of(outcomes, lambda *_: b"\x00\xff" * MOST_BYTES)
    many = Failures(task=task.id, deliverable=None, cases=failures.cases * 20)
    page = page_of([collected_of(tmp_path, outcomes, many, **_long_session(500, 8192))], [task], show_hidden=True)  # type: ignore[arg-type]
    assert len(page.encode()) < 700_000
    assert "more rounds are left out" in page
    assert "more failing cases with outputs are left out" in page


def test_a_great_run_stays_small_and_lists_the_rest(tmp_path: Path, task: Task) -> None:
    outcomes = outcomes_of(task, lambda *_: CaseOutcome.PASS)
    session = session_of([("q" * 8192, "r" * 8192)] * 16)
    collected = [
        collected_of(tmp_path, outcomes.model_copy(update={"task": f"task-{number:04}"}), session=session)
        for number in range(1600)
    ]
    page = page_of(collected, [task])
    assert len(page.encode()) < MOST_DETAILS_BYTES + 1_500_000
    read = Page(page)
    shown = len(read.of("item"))
    assert 20 < shown <= MOST_DETAILED
    assert f"and {1600 - shown - 1000} more" in page
    assert len([element for element in read.elements if element.tag == "tr"]) == 1 + MOST_ROWS
    assert "1101 more rows are left out" in page
    links = [element for element in read.elements if element.tag == "a"]
    assert 0 < len(links) <= shown


def test_the_page_holds_nothing_but_the_run(tmp_path: Path, task: Task) -> None:
    page = page_of([_failing(tmp_path, task)], [task])
    assert str(tmp_path) not in page
    assert "Linux 6.1 on x86_64, 2 processors, Python 3.11.7, ordinary user" in page
    assert "Compare within this run only." in page
    assert "9.8.7" in page


def test_outcomes_of_no_suite_at_all_are_shown(tmp_path: Path) -> None:
    empty = Outcomes(task="t", task_digest="d", deliverable="d" * 64, image="i", cases=(), suites=())
    page = Page(page_of([collected_of(tmp_path, empty)]))
    assert page.texts("bar-none")[0] == "no case"
