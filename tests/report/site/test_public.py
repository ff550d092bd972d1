"""What may be handed on: nothing hidden stands anywhere in a public site."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from tests.commission_factory import ALL_TESTS
from tests.report.html_sample import SECRET_INPUT, SECRET_MEAN, SECRET_SUM
from tests.report.site.conftest import make_site
from tests.report.site.site_sample import ASKED, HIDDEN, Sample
from underspec.report.site.telling import WITHHELD, Telling, hidden_texts
from underspec.task import release
from underspec.task.model import Task

_TAGS = re.compile(r"<[^>]*>")


def texts_of(site: Path) -> dict[str, str]:
    """Every file of a site as it is, and as a reader gets it: without tags, entities resolved, blanks folded."""
    found = {}
    for path in sorted(site.rglob("*")):
        if path.is_file():
            raw = path.read_text("utf-8")
            read = html.unescape(_TAGS.sub("", raw))
            found[str(path.relative_to(site))] = raw + "\n" + " ".join(read.split())
    return found


def _found(site: Path, secrets: list[str]) -> set[tuple[str, str]]:
    return {
        (page, secret)
        for page, text in texts_of(site).items()
        for secret in secrets
        if " ".join(secret.split()).casefold() in text.casefold()
    }


def _secrets(sample: Sample) -> list[str]:
    """Everything hidden: of the tasks, and what was said and written about them."""
    cases, commission = sample.cases, sample.commission
    of_tasks = [
        *release.forbidden_strings(cases),
        *release.forbidden_strings(commission),
        *(response for level in ("L1", "L2", "L3") for response in _responses(cases, level)),
        "nothing sums to 0",
        SECRET_SUM.strip(),
        SECRET_MEAN.strip(),
        SECRET_INPUT,
        *ALL_TESTS,
        *(test.rpartition("::")[2] for test in ALL_TESTS),
        "test_sum",
        "test_serve",
    ]
    return [*of_tasks, *HIDDEN]


def _responses(task: Task, level: str) -> list[str]:
    records = release.session_records(task, level)  # type: ignore[arg-type]
    return [text for text in records.responses().values() if len(text) > 12]


def test_nothing_hidden_stands_in_a_public_site(sample: Sample, public_site: Path) -> None:
    assert len(_secrets(sample)) > 40
    assert _found(public_site, _secrets(sample)) == set()


def test_what_a_public_site_leaves_out_stands_in_the_operators(sample: Sample, operator_site: Path) -> None:
    """Else the test above could not fail."""
    seen = {secret for _page, secret in _found(operator_site, _secrets(sample))}
    assert {*HIDDEN, SECRET_SUM.strip(), *ALL_TESTS, "nothing sums to 0"} - seen == {"nothing sums to 0"}
    canaries = [secret for secret in release.forbidden_strings(sample.cases) if "canary" in secret]
    assert len(canaries) > 5
    assert not seen.intersection(canaries), "canaries stand nowhere at all"


def test_the_folder_of_the_run_stands_in_no_public_page(sample: Sample, public_site: Path) -> None:
    assert _found(public_site, [str(sample.run), str(sample.run.parent)]) == set()


def test_a_public_site_has_what_may_be_known(sample: Sample, public_site: Path) -> None:
    text = "\n".join(texts_of(public_site).values())
    assert ASKED in text
    assert "shown-sum" in text, "public cases may be shown"
    assert "Replies are left out of the public site" in text
    assert str(WITHHELD) in text, "a question that quotes a reply is withheld"
    assert "what came quotes hidden material" in text, "an output that quotes a reply is left out"
    assert "For the operator" not in text
    assert "4 of 5" in text, "how many private tests pass is no secret"


def test_the_operators_site_says_whose_it_is(operator_site: Path) -> None:
    pages = list(operator_site.rglob("*.html"))
    assert len(pages) > 15
    assert all("For the operator." in page.read_text("utf-8") for page in pages)


def test_without_the_task_nothing_that_others_wrote_is_shown(sample: Sample, tmp_path: Path) -> None:
    site = make_site(sample, tmp_path / "site", "public", tasks=False)
    text = "\n".join(texts_of(site).values())
    assert _found(site, [*HIDDEN, SECRET_SUM.strip(), *ALL_TESTS]) == set()
    assert ASKED not in text
    assert str(WITHHELD) in text


def test_requests_that_hold_the_whole_requirement_are_left_out(sample: Sample, public_site: Path) -> None:
    (page,) = [each.page for each in _places(sample) if each.item.id == sample.ground.id]
    assert "holds the whole requirement" in (public_site / page).read_text("utf-8")
    (page,) = [each.page for each in _places(sample) if each.item.id == sample.right.id]
    assert "# Toy sums" in (public_site / page).read_text("utf-8")


def _places(sample: Sample):  # type: ignore[no-untyped-def]
    from underspec.report.site.plan import plan_site

    plan = plan_site([sample.run], sample.tasks, "public", version="9.8.7")
    return [each for task in plan.tasks for each in task.items]


@pytest.mark.parametrize(
    "text",
    ["THE REFERENCE\n ANSWER, in  capitals", "so the reference answer, it is", "the\treference answer,"],
)
def test_quotations_are_found_whatever_their_case_and_spacing(text: str) -> None:
    telling = Telling(["the reference answer,"])
    assert telling.prose(text) == WITHHELD
    assert telling.name(text) == WITHHELD
    assert telling.prose("another answer") == "another answer"


def test_what_a_shown_request_says_is_not_hidden(sample: Sample) -> None:
    telling = Telling(hidden_texts(sample.commission, [release.request_text(sample.commission, "L1")]))
    assert not telling.quotes("We need to add numbers.")
    assert telling.quotes("Did you say: Add numbers; nothing sums to 0.")
