"""The pages of a site: whole, linked with each other, honest about what is unscored, and safe to show."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.report.html_sample import HOSTILE, Page
from tests.report.site.conftest import make_site
from tests.report.site.site_sample import (
    ANSWER,
    CLIENT,
    DRAFT,
    JUDGED,
    MESSAGE,
    QUESTION,
    RATIONALE,
    REASON,
    REPLY,
    SAID,
    Sample,
)
from underspec.errors import StoreError, UsageError
from underspec.report.runs import read_runs
from underspec.report.site.board import Rank
from underspec.report.site.plan import plan_site, slug, slugs
from underspec.report.site.render import POLICY
from underspec.report.site.write import MARK, refuse_foreign, write_site


def pages_of(site: Path) -> dict[str, Page]:
    """Every page, read; tags that are not balanced fail."""
    return {str(path.relative_to(site)): Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def pages(operator_site: Path) -> dict[str, Page]:
    return pages_of(operator_site)


def _of(pages: dict[str, Page], start: str) -> Page:
    return next(page for name, page in pages.items() if name.startswith(start))


def _words(page: Page) -> str:
    (main,) = [element for element in page.elements if element.tag == "main"]
    return " ".join(main.text.split())


def test_there_is_a_page_of_each_kind(pages: dict[str, Page]) -> None:
    tops = {name for name in pages if "/" not in name}
    assert tops == {
        "index.html", "breakdown.html", "tasks.html", "compare.html", "exhibits.html", "runs.html", "reading.html"
    }  # fmt: skip
    kinds = {name.partition("/")[0] for name in pages} - tops
    assert kinds == {"compare", "conditions", "exhibits", "items", "runs", "tasks"}
    assert sum(name.startswith("items/") for name in pages) == 5


def test_every_link_leads_somewhere(operator_site: Path, public_site: Path, sample: Sample) -> None:
    for site in (operator_site, public_site):
        read = pages_of(site)
        reached = {"index.html"}
        for name, page in read.items():
            ids = {element.attributes.get("id") for element in page.elements}
            for element in page.elements:
                for attribute in ("href", "src"):
                    address = element.attributes.get(attribute)
                    if address is None:
                        continue
                    assert ":" not in address, (name, address)
                    path, _, anchor = address.partition("#")
                    if not path:
                        assert anchor in ids, (name, address)
                        continue
                    target = ((site / name).parent / unquote(path)).resolve()
                    assert target.is_file(), (name, address)
                    reached.add(str(target.relative_to(site.resolve())))
        assert set(read) <= reached, "every page can be come to"


def test_every_page_has_one_policy_and_no_program_of_its_own(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        policies = [
            element.attributes["content"]
            for element in page.elements
            if element.tag == "meta" and element.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policies == [POLICY], name
        scripts = [element for element in page.elements if element.tag == "script"]
        for script in scripts:
            inert = script.attributes.get("type") == "application/json"
            assert inert != bool((script.attributes.get("src") or "").endswith("assets/site.js")), name
        for element in page.elements:
            assert element.tag not in ("style", "iframe", "object", "embed", "base"), name
            assert not [each for each in element.attributes if each.startswith("on") or each == "style"], name
            assert "javascript" not in (element.attributes.get("href") or ""), name


def test_pages_say_where_they_are(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        headings = [element for element in page.elements if element.tag == "h1"]
        assert len(headings) == 1, name
        current = [element for element in page.elements if element.attributes.get("aria-current")]
        assert len(current) == 1, name
        (skip,) = page.of("skip")
        assert skip.attributes["href"] == "#main"
        titles = [element.text for element in page.elements if element.tag == "title"]
        assert titles[0].endswith("· Underspec"), name


def test_pictures_have_words(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        for element in page.elements:
            if element.tag == "svg":
                told = element.attributes.get("aria-label") or element.attributes.get("aria-labelledby")
                assert told or element.attributes.get("aria-hidden") == "true", name
            if element.tag == "img":
                assert element.attributes.get("alt"), name
            if element.tag in ("select", "input"):
                assert "label" in element.path, name


def test_hostile_text_stands_there_as_text(pages: dict[str, Page]) -> None:
    names = ("items/a-run/toy-sums--wrong--e1", "items/a-run/toy-tally")
    for name in names:
        page = _of(pages, name)
        words = _words(page)
        assert "<script>alert(1)</script>" in words
        assert "{{ 7 * 7 }}" in words
        assert not {"img", "script"} & {element.tag for element in page.elements if "main" in element.path}
        for invisible in ("\u202e", "\u200b", "\ufeff", "\x1b", "\x00", "\x9b"):
            assert invisible not in page.source
        for shown in ("U+202E", "U+200B", "ESC", "NUL"):
            assert shown in page.source
    assert len(HOSTILE) > 10


def test_the_operator_sees_how_each_reply_came_about(pages: dict[str, Page]) -> None:
    words = _words(_of(pages, "items/a-run/toy-tally"))
    for told in (CLIENT, DRAFT, REASON, QUESTION, ANSWER, SAID, JUDGED, MESSAGE, "accuracy", "stands nowhere else"):
        assert told in words, told
    assert "first draft wrong, sent reply correct" in words
    assert "RU-sum: complete disclosure" in words
    assert "4 of 5 private tests pass" in words


def test_an_item_has_its_request_conversation_cases_structure_critic_and_cost(pages: dict[str, Page]) -> None:
    words = _words(_of(pages, "items/a-run/toy-sums--wrong--e1"))
    for told in ("# Toy sums", REPLY, "C001", "15 left", "the-sum-is-secret-4711", "Lines of code", RATIONALE, "$0.04"):
        assert told in words, told
    assert "stale build" in words
    assert "0.50" in words
    assert "not scored" in words, "the third dimension has no score, and says so"
    assert "1:30 min" in words


def test_what_is_unscored_stays_in_sight(pages: dict[str, Page], sample: Sample) -> None:
    assert "5 planned = 4 scored + 1 unscored (sandbox 1)" in _words(pages["index.html"])
    assert "the engine went away" in _words(_of(pages, "items/a-run/toy-sums--wrong--e2"))
    run = _words(pages["runs/a-run.html"])
    assert "Without a score" in run
    assert "epoch 2 sandbox" in run
    (bounds,) = [text for text in pages["index.html"].texts("between") if "with the unscored" in text]
    assert "to" in bounds


def test_a_public_page_tells_whose_fault_it_was_and_no_more(public_site: Path) -> None:
    words = _words(_of(pages_of(public_site), "items/a-run/toy-sums--wrong--e2"))
    assert "Unscored, through no fault of the agent: sandbox." in words
    assert "the engine went away" not in words


def test_leaderboards_are_one_for_each_measure(pages: dict[str, Page]) -> None:
    titles = [element.text for element in pages["index.html"].elements if element.tag == "h2"]
    assert titles == ["Cases passed, mean over tasks", "Tasks that pass every private test"]
    assert "There are no ranks: only 1 task is scored on all lines" in _words(pages["index.html"])


def test_exhibits_stand_under_the_papers_names(pages: dict[str, Page]) -> None:
    words = _words(pages["exhibits.html"])
    assert "ICAE Table VI" in words
    assert "are absent" in words
    page = _of(pages, "exhibits/icae-figure")
    assert [element for element in page.elements if element.tag == "figcaption"]


def test_the_same_run_gives_the_same_bytes(sample: Sample, plain_site: Path, tmp_path: Path) -> None:
    again = make_site(sample, tmp_path / "deep" / "site", "operator")
    first = {path.relative_to(plain_site): path.read_bytes() for path in plain_site.rglob("*") if path.is_file()}
    second = {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert first == second
    assert make_site(sample, again, "operator") == again, "a site is written anew over one"
    assert [path.name for path in again.parent.iterdir()] == ["site"], "nothing is left beside it"


def test_processes_beside_this_one_give_the_same_bytes(
    sample: Sample, plain_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("underspec.report.site.write._FEW_TASKS", 0)
    spread = make_site(sample, tmp_path / "site", "operator", workers=2)
    for path in plain_site.rglob("*.html"):
        assert (spread / path.relative_to(plain_site)).read_bytes() == path.read_bytes()


def test_only_a_site_is_written_over(tmp_path: Path) -> None:
    refuse_foreign(tmp_path / "new")
    refuse_foreign(tmp_path)
    (tmp_path / "thesis.tex").write_text("ten years of work")
    with pytest.raises(UsageError, match="something else than a site"):
        refuse_foreign(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        refuse_foreign(tmp_path / "thesis.tex")
    (tmp_path / MARK).write_text("{}")
    refuse_foreign(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        refuse_foreign(tmp_path / "link")


def test_a_damaged_run_leaves_the_old_site_in_its_place(tmp_path: Path) -> None:
    sample = Sample(tmp_path)
    site = make_site(sample, tmp_path / "site", "operator")
    before = (site / "index.html").read_bytes()
    next(sample.run.rglob("outcomes.json")).write_text("{")
    with pytest.raises(StoreError, match=r"outcomes\.json"):
        make_site(sample, site, "operator")
    assert (site / "index.html").read_bytes() == before
    assert not list(tmp_path.glob(".site*"))


def test_several_runs_make_one_site(tmp_path: Path) -> None:
    first, second = Sample(tmp_path / "x"), Sample(tmp_path / "y")
    folders = [first.run, second.run, first.run]
    plan = plan_site(folders, first.tasks, "operator", version="1")
    assert [run.slug for run in plan.runs] == ["a-run", "a-run~2"], "two runs of one name are two"
    write_site(plan, lambda: read_runs([run.folder for run in plan.runs]), tmp_path / "site", workers=1)
    pages = pages_of(tmp_path / "site")
    assert "10 planned = 8 scored + 2 unscored" in _words(pages["index.html"])
    assert sum(name.startswith("items/a-run~2/") for name in pages) == 5


def test_addresses_are_safe_and_apart() -> None:
    assert slug("../../etc/passwd") == "etc-passwd"
    assert slug("a b%c#d?é<script>") == "a-b-c-d-script"
    assert slug("") == slug("...") == "x"
    assert slugs(["A", "a", "a/b", "a-b"]) == ["A", "a~2", "a-b", "a-b~2"]


def test_filters_data_cannot_leave_its_element(operator_site: Path) -> None:
    page = Page((operator_site / "index.html").read_text("utf-8"))
    (data,) = [element for element in page.elements if element.attributes.get("id") == "slices"]
    slices = json.loads(data.text)
    assert "<" not in data.text
    assert sum(part["tasks"] for name, part in slices.items() if name.endswith("\t")) == 2
    assert {name.count("\t") for name in slices} == {1}


@pytest.mark.parametrize(("group", "letters"), [(1, "A"), (26, "Z"), (27, "AA"), (53, "BA")])
def test_groups_have_letters(group: int, letters: str) -> None:
    assert Rank(1, 1, 1, group).letter == letters
    assert Rank(1, 1, 3, group).words == "1–3"
    assert Rank(1, 2, 2, group).words == "2"
