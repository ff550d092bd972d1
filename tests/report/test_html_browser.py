"""The page in a real Chromium: at a phone's, a tablet's and a desk's width nothing sticks out, runs or is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.browser import find_browser, measure
from tests.report.html_sample import (
    HOSTILE,
    collected_of,
    failures_of,
    outcomes_of,
    page_of,
    secret_task,
    session_of,
)
from underspec.artifact.outcomes import CaseOutcome

BROWSER = find_browser()
WIDTHS = (400, 900, 1500)
pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(BROWSER is None, reason="no Chromium here; install the package chromium to look at pages"),
]
LONG = "unbreakable" * 60
PWN = "<img src=x onerror='window.pwned=1'><script>window.pwned=1</script>"


def _page(folder: Path) -> str:
    """Long and hostile words everywhere, and every kind of outcome."""
    task = secret_task(folder)
    kinds = list(CaseOutcome)
    outcomes = outcomes_of(
        task, lambda suite, stem, index: kinds[(index + len(stem) + len(suite)) % 4], notes=(LONG, PWN)
    )
    failures = failures_of(outcomes, lambda *_: (LONG + "\n\u05d0\t" + PWN + " \x00\r\n").encode() + b"\xff" * 300)
    talk = [(LONG, PWN), *((text, f"{text} " * 20) for text in HOSTILE), ("w" * 8000, "\x00" * 8000)]
    session = session_of(talk)
    items = [
        collected_of(
            folder, outcomes, failures, agent=agent, session=session, detail=LONG, dropped=[LONG], budget=budget
        )
        for agent in ("maker", LONG, PWN)
        for budget in (4, 16)
    ]
    return page_of([*items, collected_of(folder, None, reason=LONG)], [task], run=LONG, show_hidden=True)


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out_runs_or_is_fetched(tmp_path: Path, width: int) -> None:
    assert BROWSER
    seen = measure(BROWSER, _page(tmp_path), tmp_path, width=width)
    assert seen["width"] == width
    assert (seen["scroll"], seen["wide"], seen["cut"], seen["small"]) == (width, [], [], [])
    assert (seen["scripts"], seen["handlers"], seen["pwned"]) == (1, 0, "undefined")
    assert seen["fetched"] == []
    # The style sheet is in force, so its hash in the policy is the right one.
    assert seen["card"] == "solid"
    assert seen["height"] > 5000


def test_the_measure_sees_what_sticks_out_and_a_policy_that_is_wrong(tmp_path: Path) -> None:
    assert BROWSER
    page = _page(tmp_path)
    seen = measure(BROWSER, page.replace("<main>", '<main><svg width="3000" height="9"></svg>'), tmp_path, width=400)
    assert seen["scroll"] > 3000
    assert seen["wide"] == ["svg.null"]
    (tmp_path / "other").mkdir()
    seen = measure(BROWSER, page.replace("</style>", " </style>"), tmp_path / "other", width=400)
    assert seen["card"] == "none"
