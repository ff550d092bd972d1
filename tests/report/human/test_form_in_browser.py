"""The page for annotators in a real browser: filled in, kept, saved, and imported again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import find_browser
from tests.report.human.study_sample import UNITS, judged_run, reviewed_run
from underspec.artifact.condition import Condition
from underspec.report.human.sampling import sample_study
from underspec.report.human.study import Study
from underspec.run.plan import Tasks
from underspec.task.catalog import find_task
from underspec.task.load import load_task

TASKS = Tasks({name: find_task(name) for name in ("data-sizes", "tool-lending")}, load_task)
SCORES = {"semantic": 0.5, "api": 0.5, "design": 0.5}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    found = find_browser()
    if found is None:
        pytest.skip("no browser")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 800}, accept_downloads=True)
    opened = context.new_page()
    opened.complaints = []
    opened.on("console", lambda message: opened.complaints.append(message.text))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    yield opened
    assert opened.complaints == []
    context.close()


def saved(page: Any, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    path = folder / str(download.value.suggested_filename)
    download.value.save_as(path)
    return path


def test_scores_are_kept_over_a_reload_saved_and_imported(page: Any, tmp_path: Path) -> None:
    run = reviewed_run(tmp_path / "run", [Condition(agent="asker")], 3, lambda condition, epoch: SCORES)
    study = Study(tmp_path / "study")
    study.begin(sample_study([run], "critic", 3, 0, unscored=False))
    study.hand_out(["A1"], TASKS.__getitem__, lambda words: None)
    address = (study.path / "handout" / "sheets" / "A1.html").as_uri()
    page.goto(address)
    first = page.locator(".sample").first
    sample = first.get_attribute("id")
    first.get_by_label("Semantic similarity").fill("70.5")
    first.get_by_label("API similarity").fill("0")
    first.get_by_label("Design quality").fill("100")
    first.get_by_label("Note").fill('=1+1, "quoted"\nand a second line')
    assert page.locator("#progress").inner_text() == "1 of 3 filled in"
    page.reload()
    assert page.locator("#progress").inner_text() == "1 of 3 filled in"
    sheet = saved(page, tmp_path)
    assert sheet.name == "A1.csv"
    assert "\"'=1+1," in sheet.read_text("utf-8-sig")
    assert study.take([sheet]).errors == []
    (rating,) = study.scores().ratings
    assert (rating.sample, rating.semantic, rating.api, rating.design) == (sample, 70.5, 0, 100)
    assert rating.note == '=1+1, "quoted"\nand a second line'


def test_a_score_that_is_none_is_not_saved(page: Any, tmp_path: Path) -> None:
    run = reviewed_run(tmp_path / "run", [Condition(agent="asker")], 1, lambda condition, epoch: SCORES)
    study = Study(tmp_path / "study")
    study.begin(sample_study([run], "critic", 1, 0, unscored=False))
    study.hand_out(["A1"], TASKS.__getitem__, lambda words: None)
    page.goto((study.path / "handout" / "sheets" / "A1.html").as_uri())
    page.get_by_label("Design quality").fill("101")
    page.get_by_role("button", name="Save as CSV").click()
    assert page.evaluate("document.activeElement.dataset.column") == "design"
    page.get_by_label("Design quality").fill("99")
    assert saved(page, tmp_path).exists()
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1]


def test_labels_are_chosen_by_keyboard_and_hostile_answers_stay_text(page: Any, tmp_path: Path) -> None:
    asked = Condition(agent="react", model="maker/m", protocol="clarify-first", judge_model="x/judge")
    hostile = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
    run = judged_run(tmp_path / "run", [asked], lambda condition, unit: "correct", say=lambda unit: hostile)
    study = Study(tmp_path / "study")
    study.begin(sample_study([run], "judge", 1, 0, unscored=False))
    study.hand_out(["A1"], TASKS.__getitem__, lambda words: None)
    page.goto((study.path / "handout" / "sheets" / "A1.html").as_uri())
    assert page.evaluate("window.pwned") is None
    assert page.locator(".said").first.inner_text() == hostile
    page.locator(".answer").nth(0).get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.locator(".answer").nth(2).get_by_label("partial").check()
    page.locator(".answer").nth(1).get_by_label("incorrect").check()
    assert page.locator("#progress").inner_text() == "3 of 3 filled in"
    page.locator(".answer").nth(1).get_by_label("none").check()
    assert page.locator("#progress").inner_text() == "2 of 3 filled in"
    assert study.take([saved(page, tmp_path)]).errors == []
    assert {each.unit: str(each.label) for each in study.scores().labels} == {UNITS[0]: "correct", UNITS[2]: "partial"}
