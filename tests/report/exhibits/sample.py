"""Runs made by hand for the tests of exhibits: items, tasks and labels in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.report.html_sample import MANIFEST
from underspec.artifact.acceptance import Acceptance, AcceptanceEnd, AcceptanceTest, TestVerdict, UnitOutcome
from underspec.artifact.build import BuildEnd
from underspec.artifact.clarification import Draft, Round, Transcript, Verdict
from underspec.artifact.condition import Condition
from underspec.artifact.judgements import Judgements, Label, UnitJudgement
from underspec.artifact.labels import DisclosureLabel, DisclosureLabels, ReplyLabel, ReplyLabels
from underspec.artifact.ledger import Spending
from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes, SuiteEnd, SuiteState, Unscored
from underspec.artifact.review import CriticScore, Review, Shown, TreeRead
from underspec.artifact.review import Verdict as CriticVerdict
from underspec.artifact.session import HiddenPoint, SessionLog, Turn
from underspec.artifact.structure import Overlap, Structure, TreeSize
from underspec.errors import Boundary
from underspec.measure.association import pearson
from underspec.report.clarified import Clarified
from underspec.report.collect import Collected
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.human import DimensionAgreement, HumanScores
from underspec.report.runs import Run
from underspec.run.item import Item
from underspec.run.labels import ItemLabels
from underspec.task.model import (
    Case,
    CaseFile,
    LevelRecords,
    Record,
    RecordKind,
    RecordsFile,
    Source,
    Suite,
    Task,
    TaskToml,
)

LANGUAGES = ("Go", "Java", "Python", "Rust")
CATEGORIES = ("Parsers", "Networking", "Command line")
END = BuildEnd(agent="a", agent_version="1", ended="done")


def make_task(
    name: str,
    *,
    language: str = "Python",
    category: str = "Parsers",
    lines: int | None = 100,
    files: int | None = 5,
    family: str = "repository",
    points: Mapping[str, Sequence[str]] | None = None,
) -> Task:
    """A task in memory; ``points`` are the categories of its records at each level."""
    toml = TaskToml.model_validate(
        {
            "contract": 1,
            "id": "toy",
            "title": name,
            "family": family,
            "category": category,
            "language": language,
            "source": Source(url="u", license="MIT", version="1", files=files, lines=lines),
        }
    ).model_copy(update={"id": name})
    known = points if points is not None else {"L1": ("API", "Edge"), "L2": ("API",), "L3": ("Edge",)}
    levels = {
        level: LevelRecords(
            records=tuple(
                Record(
                    id=f"C{place}", kind=RecordKind.CONSTRAINT, category=each, triggers=("abcd",), response="abcdefgh"
                )
                for place, each in enumerate(categories)
            ),
            fallback="abcd",
        )
        for level, categories in known.items()
    }
    case = CaseFile(description="d", cases=(Case(input=1, expected_output="1"),))
    suites = {suite: Suite(suite, {"f": case}) for suite in ("public", "native", "enhanced")}
    requests = {"L1": "a" * 40, "L2": "a" * 80, "L3": "a" * 120, "ground": "a" * 160}
    return Task(
        path=Path(name),
        digest=f"digest-of-{name}",
        toml=toml,
        requests=requests if family == "repository" else {"initial": "a" * 40, "ground": "a" * 160},
        records=RecordsFile(levels=levels) if family == "repository" else None,  # type: ignore[arg-type]
        suites=suites if family == "repository" else {},  # type: ignore[arg-type]
        golden=None,
    )


def graded(
    task: str,
    passed: Mapping[str, tuple[int, int]],
    *,
    states: Mapping[str, Sequence[SuiteState]] | None = None,
    digest: str | None = None,
) -> Outcomes:
    """Outcomes in which so many of so many cases of each suite pass; native cases beyond the public ones are hidden."""
    public = passed.get("public", (0, 0))[1]
    cases = [
        GradedCase(
            suite=suite,
            file="f",
            index=index,
            outcome=CaseOutcome.PASS if index < done else CaseOutcome.MISMATCH,
            hidden=suite == "enhanced" or (suite == "native" and index >= public),
        )
        for suite, (done, total) in passed.items()
        for index in range(total)
    ]
    ends = [SuiteEnd(suite=suite, exit_code=0, states=tuple((states or {}).get(suite, ()))) for suite in passed]
    return Outcomes(
        task=task,
        task_digest=digest or f"digest-of-{task}",
        deliverable="d" * 64,
        image="sha256:0123456789abcdef",
        cases=tuple(cases),
        suites=tuple(ends),
    )


def asked(
    task: str, found: Sequence[Sequence[str]], *, hidden: Sequence[str] = ("C0", "C1"), budget: int = 16
) -> SessionLog:
    """A session in which each question found these records; none is the fallback."""
    turns = tuple(
        Turn(number=place, question="q", reply="r", matched=tuple(ids), fallback=not ids, remaining=budget - place)
        for place, ids in enumerate(found, 1)
    )
    points = tuple(HiddenPoint(id=name, kind="constraint", category="API") for name in hidden)
    return SessionLog(
        task=task, level="L1", router="embedded", budget=budget, hidden_ids=tuple(hidden), points=points, turns=turns
    )


def built(
    condition: Condition,
    task: str,
    passed: Mapping[str, tuple[int, int]] | int | None,
    *,
    epoch: int = 1,
    tokens: int = 1000,
    cost: float | None = 0.5,
    **fields: Any,
) -> Collected:
    """A build with its grade: so many of each suite's cases, or of ten native ones; None is the sandbox's failure."""
    counts = {"native": (passed, 10)} if isinstance(passed, int) else passed
    outcomes = fields.pop("outcomes", None) or (graded(task, counts) if counts is not None else None)
    spent = Spending(calls=1, input=tokens, known_cost=cost or 0.0, uncosted=int(cost is None))
    return Collected(
        item=Item(task=task, condition=condition, epoch=epoch),
        end=END,
        deliverable=None,
        session=fields.pop("session", None),
        outcomes=outcomes,
        unscored=None if outcomes is not None else Unscored(boundary=Boundary.SANDBOX, reason="r"),
        attempts={"build": 1, "grade": 1},
        task_cost=spent,
        **fields,
    )


def transcript(task: str, rounds: int, *, revised: Sequence[int] = (), finished: bool = True) -> Transcript:
    """A clarification of so many rounds; the replies of those named were revised once."""
    approved = Draft(text="r", verdict=Verdict())
    refused = Draft(text="x", verdict=Verdict(objections=("accuracy",), reasons="wrong"))
    made = tuple(
        Round(number=number, question="q", reply="r", drafts=(refused, approved) if number in revised else (approved,))
        for number in range(1, rounds + 1)
    )
    return Transcript(task=task, most_rounds=None, most_revisions=3, rounds=made, finished=finished, end=END)


def clarified(
    condition: Condition,
    task: str,
    units: Sequence[tuple[Label | None, bool]] | None,
    *,
    epoch: int = 1,
    cost: float | None = 0.5,
    talk: Transcript | None = None,
) -> Collected:
    """An item that clarified: each unit's label and whether its tests pass; None is the judge's failure."""
    parts = Clarified(transcript=talk)
    if units is not None:
        names = [f"RU-{place:03}" for place in range(1, len(units) + 1)]
        verdicts = [TestVerdict.PASSED if passed else TestVerdict.FAILED for _label, passed in units]
        parts = Clarified(
            transcript=talk,
            acceptance=Acceptance(
                task=task,
                task_digest=f"digest-of-{task}",
                deliverable="d" * 64,
                image="sha256:0123456789abcdef",
                tests=tuple(AcceptanceTest(id=name, verdict=each) for name, each in zip(names, verdicts, strict=True)),
                units=tuple(
                    UnitOutcome(id=name, passed=passed) for name, (_label, passed) in zip(names, units, strict=True)
                ),
                end=AcceptanceEnd(exit_code=0),
            ),
            judgements=Judgements(
                task=task,
                answers="x" * 64,
                units=tuple(
                    UnitJudgement(unit=name, label=label, reviews=())
                    for name, (label, _passed) in zip(names, units, strict=True)
                ),
            ),
        )
    return Collected(
        item=Item(task=task, condition=condition, epoch=epoch),
        end=END,
        deliverable=None,
        session=None,
        outcomes=None,
        unscored=None if units is not None else Unscored(boundary=Boundary.JUDGE, reason="r"),
        attempts={"build": 1, "grade": 1},
        task_cost=Spending(calls=1, input=1000, known_cost=cost or 0.0, uncosted=int(cost is None)),
        clarified=parts,
    )


def labelled(
    talk: Transcript,
    disclosed: Mapping[str, int | None] | None = None,
    revised: Mapping[int, tuple[bool | None, bool | None]] | None = None,
) -> ItemLabels:
    """Labels of a clarification: in which round each unit was disclosed, and whether revised replies are right."""
    digest = "t" * 64
    replies = tuple(ReplyLabel(round=number, first=one, final=two) for number, (one, two) in (revised or {}).items())
    told = tuple(
        DisclosureLabel(round=number, unit=unit, disclosure="complete")
        for unit, number in (disclosed or {}).items()
        if number is not None
    )
    return ItemLabels(
        transcript=talk,
        digest=digest,
        replies=ReplyLabels(task=talk.task, transcript=digest, labels=replies) if replies else None,
        disclosures=DisclosureLabels(task=talk.task, transcript=digest, hidden=tuple(disclosed), labels=told)
        if disclosed is not None
        else None,
    )


def structure(share: float = 0.5, *, files: int = 10, loc: int = 300) -> Structure:
    """A tree beside a golden one of 5 files and 100 lines, alike in ``share`` of ten names."""
    common = round(10 * share)
    overlap = Overlap(golden=10, generated=common, common=common)
    names = ("class_like", "method", "method_qualified", "namespace", "namespace_relative")
    return Structure(
        normalized=False,
        deliverable="d" * 64,
        golden=TreeSize(language="python", files=5, loc=100, classes=10, methods=10, namespaces=10),
        generated=TreeSize(language="python", files=files, loc=loc, classes=10, methods=10, namespaces=10),
        overlap=dict.fromkeys(names, overlap),
    )


def review(semantic: float = 0.6, api: float = 0.4, design: float = 0.8) -> Review:
    """A critic's three scores."""
    tree = Shown(files=1, whole=1, cut=0, left_out=0, tokens=1, tokens_of_all=1)

    def score(value: float) -> CriticScore:
        verdict = CriticVerdict(score=value, rationale="because")
        return CriticScore(prompt="p" * 64, planned=1, verdicts=(verdict,), golden=tree, generated=tree)

    return Review(
        task="t",
        deliverable="d" * 64,
        model="critic",
        prompts={},
        golden=TreeRead(),
        generated=TreeRead(),
        semantic=score(semantic),
        api=score(api),
        design=score(design),
    )


def make_run(items: Sequence[Collected], name: str = "a-run", *, comparable: bool = True) -> Run:
    """A run of these items, in no folder."""
    manifest = {**MANIFEST, "sandbox": {**MANIFEST["sandbox"], "comparable": comparable}}
    return Run(folder=Path("nowhere") / name, manifest=manifest, items=items)


def evidence_of(
    items: Sequence[Collected],
    tasks: Sequence[Task] = (),
    *,
    labels: Mapping[str, ItemLabels] | None = None,
    seconds: float | None = 120.0,
    **fields: Any,
) -> Evidence:
    """Evidence of one run; ``labels`` by item id."""
    known = {task.id: task for task in tasks}

    def find(name: str) -> Task:
        if name not in known:
            from underspec.errors import UsageError

            raise UsageError("there is no such task here")
        return known[name]

    return Evidence(
        fields.pop("runs", [make_run(items)]),
        find,
        read_seconds=lambda run, one: seconds,
        read_labels=lambda run, one, task: (labels or {}).get(one.item.id),
        **fields,
    )


def human_scores() -> HumanScores:
    """Three annotators of four deliverables."""
    found = DimensionAgreement(
        samples=4,
        annotators=3,
        critic_mean=0.5,
        human_mean=0.6,
        pearson=pearson([0.1, 0.4, 0.6, 0.9, 0.7], [0.2, 0.3, 0.7, 0.8, 0.9]),
        mae=0.1,
        rmse=0.15,
        consistency=0.5,
        absolute=0.4,
    )
    return HumanScores({"semantic": found, "api": found, "design": found})
