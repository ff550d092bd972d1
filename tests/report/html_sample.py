"""Runs made by hand for the page's tests, and a reader of pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.task_factory import MEAN, SUM, make_task
from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable, DroppedEntry
from underspec.artifact.failures import FailedCase, Failures
from underspec.artifact.outcomes import SUITES, CaseOutcome, GradedCase, Outcomes, SuiteEnd, Unscored
from underspec.artifact.session import SessionLog, Turn
from underspec.errors import Boundary, UsageError
from underspec.phase.grade import FAILURES_FILE
from underspec.report.collect import Collected
from underspec.report.document import report_document
from underspec.report.html.page import report_page
from underspec.run.item import Item
from underspec.task.cases import hidden_flags
from underspec.task.load import load_task
from underspec.task.model import Task

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><script>alert(2)</script>",
    '"><img src=x onerror=alert(3)>',
    "' onmouseover='alert(4)",
    '<a href="javascript:alert(5)">x</a>',
    "&lt;b&gt; &#x3c;i&#x3e; &amp;amp;",
    "{{ 7 * 7 }}{% for x in y %}",
    "--><svg onload=alert(6)><!--",
    "]]><![CDATA[<script>",
    "a\u202egnp.exe \u2066hidden\u2069 \u200b\ufeff",
    "\x1b[31mred\x1b]0;title\x07\x9b1m",
    "nul\x00, bell\x07, del\x7f, cr\r\nlf",
    "\u0430\u0301\u0302\u0303\u0304\u0305\u0306\u0307",
)

MANIFEST: dict[str, Any] = {
    "schema": 1,
    "underspec": "9.8.7",
    "concurrency": 2,
    "machine": {
        "system": "Linux",
        "release": "6.1",
        "architecture": "x86_64",
        "cpus": 2,
        "python": "3.11.7",
        "user": "ordinary",
    },
    "sandbox": {"backend": "bubblewrap", "comparable": False, "checks": []},
    "images": {"host": "host:abc"},
    "tasks": {"toy-sums": "def"},
}

SECRET_SUM = "the-sum-is-secret-4711\n"
SECRET_MEAN = "the-mean-is-secret-0815\n"
SECRET_INPUT = "the-input-is-secret-1234"


def secret_task(folder: Path, **toml: Any) -> Task:
    """The toy task with unmistakable expected outputs and inputs in its hidden cases, and edges in public ones."""
    shown = [
        {"input": {"action": "sum", "numbers": [1, 2, 3]}, "expected_output": "shown-sum  \n\ttab\r\n\ufeffend"},
        {"input": {"action": "sum", "numbers": [2]}, "expected_output": "shown-two\n"},
    ]
    mean = [{"input": {"action": "mean", "numbers": [1, 2]}, "expected_output": "shown-mean\n"}]
    hidden = [{"input": {"action": SECRET_INPUT}, "expected_output": SECRET_SUM}]
    hidden_mean = [{"input": {"action": "mean", "numbers": [9]}, "expected_output": SECRET_MEAN}]

    def file(cases: list[dict[str, Any]]) -> dict[str, Any]:
        return {"canary": "a-canary-that-nobody-may-see", "description": "d", "cases": cases}

    path = make_task(
        folder,
        toml=toml,
        files={
            f"hidden/cases/public/{SUM}.json": file(shown),
            f"hidden/cases/public/{MEAN}.json": file(mean),
            f"hidden/cases/native/{SUM}.json": file([*shown, *hidden]),
            f"hidden/cases/native/{MEAN}.json": file([*mean, *hidden_mean]),
            f"hidden/cases/enhanced/{SUM}.json": file(hidden),
            f"hidden/cases/enhanced/{MEAN}.json": file(hidden_mean),
        },
    )
    return load_task(path)


def outcomes_of(task: Task, verdict: Callable[[str, str, int], CaseOutcome], **fields: Any) -> Outcomes:
    """Outcomes of a task by a rule over suite, file and index."""
    cases = [
        GradedCase(suite=suite, file=stem, index=index, outcome=verdict(suite, stem, index), hidden=hidden)
        for suite in SUITES
        for stem, flags in hidden_flags(task, suite).items()
        for index, hidden in enumerate(flags)
    ]
    return Outcomes(
        task=task.id,
        task_digest=task.digest,
        deliverable="d" * 64,
        image="host:abc",
        cases=tuple(cases),
        suites=tuple(SuiteEnd(suite=suite, exit_code=0, states=()) for suite in SUITES),
        **fields,
    )


def failures_of(outcomes: Outcomes, output: Callable[[str, str, int], bytes | None]) -> Failures:
    """What all failing cases printed, by a rule."""
    kept = tuple(
        FailedCase.of(case.suite, case.file, case.index, case.outcome, output(case.suite, case.file, case.index))
        for case in outcomes.cases
        if case.outcome is not CaseOutcome.PASS
    )
    return Failures(task=outcomes.task, deliverable=outcomes.deliverable, cases=kept)


def session_of(questions: Sequence[tuple[str, str]], *, budget: int = 16, **fields: Any) -> SessionLog:
    """A session of these questions and replies."""
    turns = tuple(
        Turn(number=place, question=question, reply=reply, matched=("C001",), fallback=False, remaining=budget - place)
        for place, (question, reply) in enumerate(questions, start=1)
    )
    given = {"task": "toy-sums", "level": "L1", "router": "lexical", "hidden_ids": ("C001", "C002"), **fields}
    return SessionLog(budget=budget, turns=turns, **given)


def collected_of(
    folder: Path,
    outcomes: Outcomes | None,
    failures: Failures | None = None,
    *,
    agent: str = "maker",
    session: SessionLog | None = None,
    detail: str = "",
    dropped: Sequence[str] = (),
    reason: str | None = None,
    task: str | None = None,
    epoch: int = 1,
    stale: bool = False,
    **condition: Any,
) -> Collected:
    """An item with these parts; failures are written where the page looks for them."""
    graded = None
    if failures is not None:
        graded = folder / f"graded-{len(list(folder.iterdir()))}"
        graded.mkdir(parents=True)
        (graded / FAILURES_FILE).write_bytes(failures.to_bytes())
    return Collected(
        item=Item(
            task=task or (outcomes.task if outcomes else "toy-sums"),
            condition=Condition(agent=agent, **condition),
            epoch=epoch,
        ),
        end=BuildEnd(agent=agent, agent_version="1", ended="failed" if detail else "done", detail=detail),
        deliverable=Deliverable(
            sha256="d" * 64,
            files=3,
            bytes=1234,
            dropped=tuple(DroppedEntry(path=path, reason="socket") for path in dropped),
        ),
        session=session,
        outcomes=outcomes,
        unscored=Unscored(boundary=Boundary.SANDBOX, reason=reason) if reason else None,
        attempts={"build": 1, "grade": 1},
        graded=graded,
        stale=stale,
    )


def page_of(
    collected: Sequence[Collected],
    tasks: Sequence[Task] = (),
    *,
    run: str = "a-run",
    manifest: Mapping[str, Any] = MANIFEST,
    show_hidden: bool = False,
) -> str:
    """The page of these items, as text."""
    known = {task.id: task for task in tasks}

    def find(task_id: str) -> Task:
        if task_id not in known:
            raise UsageError("there is no such task here", file="/secret/place")
        return known[task_id]

    document = report_document(run, collected, comparable=False)
    page = report_page(document, dict(manifest), collected, find_task=find, show_hidden=show_hidden)
    return page.decode("utf-8")


_VOID = {"meta", "link", "br", "hr", "img", "input", "base", "source", "embed", "wbr"}


@dataclass
class Element:
    """One element as a reader of the page gets it."""

    tag: str
    attributes: dict[str, str | None]
    parts: list[str] = field(default_factory=list)
    path: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(self.parts)

    @property
    def classes(self) -> set[str]:
        return set((self.attributes.get("class") or "").split())


@dataclass
class Page(HTMLParser):
    """Every element of a page with its text, tags balanced or it fails."""

    source: str
    elements: list[Element] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()
        assert not self._open, [element.tag for element in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        element = Element(tag, dict(attrs), path=tuple(each.tag for each in self._open))
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, tag
        assert self._open[-1].tag == tag, (self._open[-1], tag)
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.parts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def of(self, name: str) -> list[Element]:
        """Elements of a class."""
        return [element for element in self.elements if name in element.classes]

    def texts(self, name: str) -> list[str]:
        return [element.text for element in self.of(name)]
