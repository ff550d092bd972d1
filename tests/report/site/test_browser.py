"""The site in a real browser, from disk: nothing is refused or fetched, everything fits, filters and keyboard work."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import find_browser

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

WIDTHS = (360, 768, 1280)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)

# What sticks out of the window, where no ancestor scrolls or clips it.
WIDE = """() => {
  const clipped = node => {
    for (let up = node.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') return true;
    return false;
  };
  return [...document.body.querySelectorAll('*')].filter(node => {
    const box = node.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || (box.left < -1 && box.right > 0)) && !clipped(node);
  }).map(node => node.tagName + '.' + node.getAttribute('class')).slice(0, 5);
}"""

# Every text with its colour and the colour behind it, and the contrast of both (WCAG 2), where it is too weak.
WEAK = """() => {
  const parse = text => {
    const found = text.match(/[\\d.]+/g).map(Number);
    if (text.startsWith('color(')) return [...found.slice(0, 3).map(part => part * 255), found[3] ?? 1];
    return [found[0], found[1], found[2], found[3] ?? 1];
  };
  const light = ([r, g, b]) => {
    const part = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = node => {
    for (let up = node; up; up = up.parentElement) {
      const colour = parse(getComputedStyle(up).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  const weak = [];
  for (const node of document.body.querySelectorAll('*')) {
    if (!node.checkVisibility() || node.closest('svg') || node.tagName === 'OPTION') continue;
    if (![...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())) continue;
    const style = getComputedStyle(node);
    const [one, other] = [light(parse(style.color)), light(ground(node))].sort((a, b) => a - b);
    const contrast = (other + 0.05) / (one + 0.05);
    if (contrast < 4.5)
      weak.push([node.tagName, node.getAttribute('class'), style.color, contrast.toFixed(2)].join(' '));
  }
  return [...new Set(weak)].slice(0, 8);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = find_browser()
    if found is None:
        pytest.skip("this machine has no Chromium to look at the site with")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=found, args=list(FLAGS))
        yield running
        running.close()


class Looked:
    """A tab, and everything that it complained of or asked for."""

    def __init__(self, browser: Any, **settings: Any):
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))

    def at(self, path: Path) -> Any:
        self.page.goto(path.resolve().as_uri())
        return self.page


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Looked]]:
    opened: list[Looked] = []

    def new(**settings: Any) -> Looked:
        opened.append(Looked(browser, **settings))
        return opened[-1]

    yield new
    for each in opened:
        each.context.close()


def one_of_each_kind(site: Path) -> list[Path]:
    """Every top page, and the first of each folder; of items, one that has everything and one that clarifies."""
    found = sorted(site.glob("*.html"))
    for folder in ("compare", "conditions", "runs", "tasks"):
        found += sorted((site / folder).glob("*.html"))[:2]
    for pattern in ("exhibits/*table*.html", "exhibits/*figure*.html", "items/*/*wrong--e1*", "items/*/*talker*"):
        found += sorted(site.glob(pattern))[:1]
    return found


def test_every_kind_of_page_fits_and_complains_of_nothing(look: Callable[..., Looked], operator_site: Path) -> None:
    tab = look(viewport={"width": 1280, "height": 900})
    paths = one_of_each_kind(operator_site)
    assert len(paths) > 15
    grounds = set()
    for path in paths:
        page = tab.at(path)
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            assert page.evaluate(WIDE) == [], (path, width)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            grounds.add((scheme, page.evaluate("getComputedStyle(document.body).backgroundColor")))
            assert page.evaluate(WEAK) == [], (path, scheme)
        assert page.evaluate("String(window.pwned)") == "undefined"
    assert len(grounds) == 2, "one ground for each scheme"
    assert tab.said == []
    assert all(url.startswith("file://") for url in tab.asked)


def test_a_policy_is_in_force(look: Callable[..., Looked], operator_site: Path) -> None:
    tab = look()
    page = tab.at(operator_site / "index.html")
    page.evaluate(
        """() => { const node = document.createElement('script'); node.textContent = 'window.pwned = 1';
        document.body.append(node); const style = document.createElement('div');
        style.setAttribute('style', 'color: red'); document.body.append(style); }"""
    )
    assert page.evaluate("String(window.pwned)") == "undefined"
    assert any("Content Security Policy" in line for line in tab.said)


def test_filters_choose_lines_and_put_the_parts_figures_in_place(
    look: Callable[..., Looked], operator_site: Path
) -> None:
    tab = look()
    page = tab.at(operator_site / "index.html")
    rows = page.locator(".leaderboard tbody tr:visible")
    assert rows.count() == 4
    before = page.locator(".leaderboard").first.inner_html()
    page.select_option("select[name=agent]", "wrong")
    assert rows.count() == 1
    assert "1 of 4 lines shown" in page.locator("#filters .status").inner_text()
    assert page.url.endswith("#agent=wrong")
    page.click("#filters button[type=reset]")
    page.wait_for_function("document.querySelectorAll('.leaderboard tbody tr[hidden]').length === 0")
    assert page.locator(".leaderboard").first.inner_html() == before
    category = page.eval_on_selector("select[name=category]", "each => each.options[1].value")
    page.select_option("select[name=category]", category)
    assert "on 1 task" in page.locator("#filters .status").inner_text()
    cells = page.locator(".leaderboard [data-cell=scored]").all_inner_texts()
    assert any("1 task" in cell for cell in cells)
    assert any("0 tasks" in cell for cell in cells)
    page.goto("about:blank")
    page = tab.at(operator_site / "index.html")
    page.goto((operator_site / "index.html").resolve().as_uri() + "#agent=right")
    page.wait_for_function("document.querySelectorAll('.leaderboard tbody tr:not([hidden])').length === 2")
    assert tab.said == []


def test_tasks_are_found_by_name_and_language(look: Callable[..., Looked], operator_site: Path) -> None:
    page = look().at(operator_site / "tasks.html")
    rows = page.locator("#tasks tbody tr:visible")
    assert rows.count() == 2
    page.fill("input[name=text]", "TALLY")
    assert rows.count() == 1
    assert "1 of 2 shown" in page.locator(".status").inner_text()
    page.fill("input[name=text]", "nothing is called so")
    assert rows.count() == 0


def test_without_programs_everything_is_there_but_the_filters(look: Callable[..., Looked], operator_site: Path) -> None:
    page = look(java_script_enabled=False).at(operator_site / "index.html")
    assert page.locator(".leaderboard tbody tr").count() == 4
    assert not page.locator("#filters").is_visible()
    page.click("a[href='breakdown.html'] >> nth=0")
    assert page.locator("h1").inner_text() == "Breakdown"
    page = look(java_script_enabled=False).at(next(operator_site.glob("items/*/*talker*")))
    page.click("summary >> nth=0")
    assert page.locator(".draft").first.is_visible()


def test_everything_is_reached_by_the_keyboard(look: Callable[..., Looked], operator_site: Path) -> None:
    for path in (
        operator_site / "index.html",
        next(operator_site.glob("items/*/*talker*")),
        operator_site / "tasks.html",
        next(operator_site.glob("compare/*.html")),
    ):
        page = look().at(path)
        wanted = page.evaluate(
            """() => [...document.querySelectorAll('a[href], summary, button, select, input, .scroll, .clip')]
            .filter(node => node.checkVisibility()).map((node, place) => (node.dataset.place = place))"""
        )
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip", "the first stop leads past the navigation"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        reached = set()
        for _ in range(len(wanted) + 5):
            reached.add(page.evaluate("document.activeElement.dataset.place"))
            outlined = page.evaluate(
                """() => document.activeElement === document.body ||
                getComputedStyle(document.activeElement).outlineWidth !== '0px'"""
            )
            assert outlined, "what has the focus shows it"
            page.keyboard.press("Tab")
        assert {str(place) for place in wanted} - reached == set(), path


def test_the_way_from_the_leaderboard_to_a_case_is_links_alone(
    look: Callable[..., Looked], operator_site: Path
) -> None:
    page = look().at(operator_site / "index.html")
    page.click(".leaderboard a.agent >> text=wrong")
    page.click(".items a >> nth=1")
    assert page.locator(".diff").count() > 0
    assert page.locator(".diff b", has_text="U+202E").count() > 0
    page.click(".crumbs a >> nth=2")
    assert page.locator("h2", has_text="Every item").count() == 1


def test_a_public_site_complains_of_nothing_either(
    look: Callable[..., Looked], public_site: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "a folder, moved #1"
    shutil.copytree(public_site, moved)
    tab = look(viewport={"width": 360, "height": 800})
    for path in one_of_each_kind(moved):
        page = tab.at(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    assert tab.said == []
