"""A run as a store on disk, made without running anything: for measuring what reads runs.

Scores are drawn from a fixed seed. Files are those that real phases leave, in their own formats.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from underspec.artifact.build import BuildEnd
from underspec.artifact.condition import Condition
from underspec.artifact.deliverable import Deliverable
from underspec.artifact.failures import MOST_CASES, FailedCase, Failures
from underspec.artifact.ledger import ModelCall
from underspec.artifact.outcomes import CaseOutcome, GradedCase, Outcomes, SuiteEnd, SuiteState
from underspec.artifact.session import HiddenPoint, SessionLog, Turn
from underspec.run.item import Item
from underspec.task.digest import write_manifest
from underspec.task.load import load_task

LANGUAGES = ("C", "C++", "C#", "Go", "Java", "JavaScript", "Kotlin", "PHP", "Python", "Ruby", "Rust", "TypeScript")
CATEGORIES = (
    "Utilities",
    "Parsing",
    "Scheduling",
    "Text editing",
    "Networking",
    "Data structures",
    "Graphics",
    "Finance",
)
_FILES = 5
_RECORDS = 20
_TURNS = 8


def make_tasks(folder: Path, tasks: int, *, native: int = 15, enhanced: int = 20) -> list[Path]:
    """Plain tasks of all languages and categories, each with so many cases."""
    return [_make_task(folder, number, native, enhanced) for number in range(tasks)]


def _make_task(folder: Path, number: int, native: int, enhanced: int) -> Path:
    path = folder / f"made-{number:04}"
    hidden = path / "hidden"
    for suite, cases in (("public", _FILES), ("native", native), ("enhanced", enhanced)):
        (hidden / "cases" / suite).mkdir(parents=True)
        for file in range(_FILES):
            here = range(file, cases, _FILES)
            # The public cases are the first native ones, as in real tasks.
            found = [
                {"input": _input(number, suite, each), "expected_output": _expected(number, suite, each)}
                for each in here
            ]
            document = {"description": f"feature {file}", "cases": found}
            (hidden / "cases" / suite / f"feature-{file}.json").write_text(json.dumps(document))
    (hidden / "requests").mkdir()
    for level in ("ground", "L1", "L2", "L3"):
        text = "\n\n".join(
            f"Paragraph {each} of what is wanted from part {number} at {level}." * 4 for each in range(8)
        )
        (hidden / "requests" / f"{level}.md").write_text(f"# Part {number}\n\n{text}\n")
    records = [
        {
            "id": f"C{each:03}",
            "kind": "constraint",
            "category": "format",
            "triggers": [f"point {each}"],
            "response": f"Of part {number}, point {each} is settled like this, and in no other way.",
        }
        for each in range(_RECORDS)
    ]
    known = {"records": records, "pointers": [], "signature": None, "fallback": "There is nothing to say on that."}
    (hidden / "records.json").write_text(json.dumps({"levels": {"L1": known, "L2": known, "L3": known}}))
    toml = {
        "contract": 1,
        "id": path.name,
        "title": f"Part {number} of a made-up whole",
        "family": "repository",
        "category": CATEGORIES[number % len(CATEGORIES)],
        "language": LANGUAGES[number % len(LANGUAGES)],
        "source": {"url": "https://example.invalid", "license": "MIT", "version": "1", "files": 1, "lines": 1},
    }
    (path / "task.toml").write_text(tomli_w.dumps(toml))
    write_manifest(path)
    return path


def _input(task: int, suite: str, index: int) -> dict[str, Any]:
    return {"task": task, "suite": "native" if suite == "public" else suite, "index": index}


def _expected(task: int, suite: str, index: int) -> str:
    return f"part={task}\nsuite={'native' if suite == 'public' else suite}\nvalue={index * 17 % 101}\n"


def make_run(folder: Path, tasks: Sequence[Path], models: int, *, seed: int = 1) -> Path:
    """A run of one agent with several models on these tasks, one epoch; a few items have no grade."""
    draw = random.Random(seed)
    (folder / "items").mkdir(parents=True)
    loaded = [load_task(path) for path in tasks]
    digests = {task.id: task.digest for task in loaded}
    (folder / "run.toml").write_text(tomli_w.dumps(_manifest(folder.name, digests)))
    for number, task in enumerate(loaded):
        layout = [
            (suite, stem, index, suite != "public" and not (suite == "native" and index == 0))
            for suite in ("public", "native", "enhanced")
            for stem, file in task.suites[suite].files.items()
            for index in range(len(file.cases))
        ]
        ease = draw.uniform(-0.25, 0.25)
        for model in range(models):
            condition = Condition(agent="react", model=f"provider/model-{model}")
            item = Item(task=task.id, condition=condition, epoch=1)
            rate = min(1.0, max(0.0, 0.75 - 0.08 * model + ease + draw.gauss(0, 0.08)))
            _write_item(folder / "items" / item.folder, item, number, layout, rate, draw, digests[task.id])
    return folder


def _manifest(name: str, digests: dict[str, str]) -> dict[str, Any]:
    machine = {"system": "Linux", "release": "6", "architecture": "x86_64", "cpus": 2, "python": "3.11", "user": "root"}
    return {
        "schema": 1,
        "name": name,
        "underspec": "0",
        "concurrency": 2,
        "machine": machine,
        "sandbox": {"backend": "bubblewrap", "comparable": True, "checks": []},
        "images": {"base": "sha256:" + "0" * 64},
        "tasks": digests,
        "limits": {},
    }


def _write_item(
    folder: Path,
    item: Item,
    number: int,
    layout: Sequence[tuple[Any, str, int, bool]],
    rate: float,
    draw: random.Random,
    digest: str,
) -> None:
    folder.mkdir()
    (folder / "item.json").write_bytes(item.to_bytes())
    deliverable = Deliverable(sha256=f"{draw.getrandbits(256):064x}", files=12, bytes=34_567)
    end = BuildEnd(agent=item.condition.agent, agent_version="1", ended="done")
    calls = [_call(each, draw) for each in range(1, 4)]
    build = {"build.json": end, "deliverable.json": deliverable, "session.json": _session(item, draw)}
    _publish(folder / "build", build, draw.uniform(60, 1200), calls)
    if draw.random() < 0.01:
        return
    cases = tuple(
        GradedCase.model_construct(suite=suite, file=stem, index=index, outcome=_outcome(rate, draw), hidden=hidden)
        for suite, stem, index, hidden in layout
    )
    ends = tuple(_end(suite, cases) for suite in ("public", "native", "enhanced"))
    outcomes = Outcomes(
        task=item.task, task_digest=digest, deliverable=deliverable.sha256, image="base", cases=cases, suites=ends
    )
    failed = [
        FailedCase.of(case.suite, case.file, case.index, case.outcome, f"part={number}\nvalue=0\n".encode())
        for suite in ("public", "native", "enhanced")
        for case in [one for one in cases if one.suite == suite and one.outcome is not CaseOutcome.PASS][:MOST_CASES]
    ]
    failures = Failures(task=item.task, deliverable=deliverable.sha256, cases=tuple(failed))
    _publish(folder / "grade", {"outcomes.json": outcomes, "failures.json": failures}, draw.uniform(5, 60), [])


def _outcome(rate: float, draw: random.Random) -> CaseOutcome:
    if draw.random() < rate:
        return CaseOutcome.PASS
    return CaseOutcome.MISMATCH if draw.random() < 0.8 else CaseOutcome.MISSING


def _end(suite: Any, cases: Sequence[GradedCase]) -> SuiteEnd:
    found = {str(case.outcome) for case in cases if case.suite == suite and case.outcome is not CaseOutcome.PASS}
    return SuiteEnd(suite=suite, exit_code=0, states=tuple(SuiteState(name) for name in sorted(found)))


def _session(item: Item, draw: random.Random) -> SessionLog:
    ids = [f"C{each:03}" for each in range(_RECORDS)]
    turns = tuple(
        Turn(
            number=number,
            question=f"What about point {number} of this, and what is wanted where it meets the others?",
            reply="It is settled like this, and in no other way. " * draw.randint(1, 4),
            matched=(draw.choice(ids),),
            fallback=False,
            remaining=16 - number,
        )
        for number in range(1, draw.randint(1, _TURNS) + 1)
    )
    points = tuple(HiddenPoint(id=each, kind="constraint", category="format") for each in ids)
    return SessionLog(
        task=item.task, level="L1", router="embedded", budget=16, hidden_ids=tuple(ids), points=points, turns=turns
    )


def _call(number: int, draw: random.Random) -> ModelCall:
    return ModelCall(
        number=number,
        role="builder",
        phase="build",
        model="m",
        outcome="ok",
        input=draw.randint(1000, 50_000),
        output=draw.randint(100, 4000),
        seconds=draw.uniform(1, 60),
        cost=draw.uniform(0.01, 0.3),
    )


def _publish(phase: Path, files: dict[str, Any], seconds: float, calls: Sequence[ModelCall]) -> None:
    key = ("b" if phase.name == "build" else "c") * 64
    artifact, attempt = phase / key, phase / "attempts" / "1"
    artifact.mkdir(parents=True)
    attempt.mkdir(parents=True)
    for name, part in files.items():
        (artifact / name).write_bytes(part.to_bytes())
    (phase / "chosen").write_text(json.dumps({"key": key, "stale": False}))
    (attempt / "key").write_text(key)
    events = [{"time": 1000.0, "event": "started"}, {"time": 1000.0 + seconds, "event": "published", "key": key}]
    (attempt / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    if calls:
        (attempt / "ledger.jsonl").write_bytes(b"".join(_lines(calls)))


def _lines(calls: Sequence[ModelCall]) -> Iterator[bytes]:
    for call in calls:
        yield call.to_bytes()
