"""What leaves ``hidden/``: to whom, at which moment, and why. No other code hands hidden material out.

:data:`RELEASES` is the whole list; each row names the one function that does it. Canaries are taken out on the way.
Should one of the task's canaries still stand in what leaves, or a string that its ``identity`` names in a request or in
records, the release refuses.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from underspec.artifact.canonical import sha256_hex
from underspec.artifact.condition import Exposure
from underspec.artifact.outcomes import SuiteName
from underspec.errors import TaskError
from underspec.task.canary import strip_markdown_canary, text_canaries
from underspec.task.commission import (
    STARTER,
    acceptance_digest,
    acceptance_files,
    reference_units,
    requirement_text,
    unit_questions,
    unit_requirements,
    unit_source,
    unit_tests,
    variant_deliverable,
    variant_names,
)
from underspec.task.digest import entries_digest
from underspec.task.finding import stop_at_errors
from underspec.task.golden import compose_golden, golden_sources, golden_tree
from underspec.task.icae.scope import read_scope
from underspec.task.identity import identity_pattern
from underspec.task.layout import INTERFACE, RECORDS, WORKSPACE, case_path, request_path
from underspec.task.model import CaseFile, LevelRecords, Registry, Task
from underspec.task.reader import reader_cases
from underspec.task.strict import strings_of
from underspec.task.tree import read_tree

__all__ = [
    "NOTHING_MORE",
    "RELEASES",
    "STARTER",
    "Release",
    "acceptance_digest",
    "acceptance_files",
    "asks_somebody",
    "complete_requirement",
    "delivery_interface",
    "expectations",
    "forbidden_strings",
    "golden_deliverable",
    "golden_sources",
    "golden_tree",
    "grader_inputs",
    "own_source",
    "read_scope",
    "reader_cases",
    "reference_units",
    "request_text",
    "scaffold_cases",
    "session_records",
    "suite_digest",
    "unit_questions",
    "unit_requirements",
    "unit_source",
    "unit_tests",
    "variant_deliverable",
    "variant_names",
    "visible_digest",
    "visible_workspace",
]

Audience = Literal[
    "agent",
    "session",
    "client, supervisor and assessor",
    "answering agent",
    "annotator",
    "judge",
    "grader's sandbox",
    "tests' sandbox",
    "grader on the host",
    "golden agent",
    "proxy on the host",
    "operator",
]


@dataclass(frozen=True)
class Release:
    """One row: ``what`` goes to ``audience`` at ``moment``, because ``why``; ``function`` of this module does it."""

    what: str
    audience: Audience
    moment: str
    why: str
    function: str


RELEASES: tuple[Release, ...] = (
    Release(
        "the request at the condition's exposure",
        "agent",
        "before the build begins",
        "it is what the agent is asked to build",
        "request_text",
    ),
    Release(
        "the files of visible/workspace",
        "agent",
        "before the build begins",
        "they are what the agent starts with",
        "visible_workspace",
    ),
    Release(
        "public cases with expected outputs",
        "agent",
        "before the build begins, under scaffold only",
        "the scaffold condition gives what an asking agent could recover",
        "scaffold_cases",
    ),
    Release(
        "records, pointers and signature of the exposure's level",
        "session",
        "when the session opens; the agent then gets single authored responses, for questions that it asked",
        "whoever answers must know the answers, and nothing else of the task",
        "session_records",
    ),
    Release(
        "case inputs of one suite, without expected outputs",
        "grader's sandbox",
        "after the deliverable is sealed, before its test.sh runs on that suite",
        "the deliverable computes outputs from them",
        "grader_inputs",
    ),
    Release(
        "expected outputs of one suite",
        "grader on the host",
        "after everything in the grader's sandbox is dead",
        "outputs are compared where no deliverable can look",
        "expectations",
    ),
    Release(
        "public cases with expected outputs; hidden ones only where the operator says so",
        "operator",
        "when a page about a run is written",
        "a failing case tells more beside what was expected, and a page is handed around",
        "reader_cases",
    ),
    Release(
        "the complete requirement and the delivery interface",
        "client, supervisor and assessor",
        "while a reply is drafted or reviewed, and after the run; the agent gets approved replies alone",
        "whoever answers and whoever checks the answer must know what is wanted, and no test or question of it",
        "complete_requirement",
    ),
    Release(
        "one question for each requirement unit, which names a topic",
        "answering agent",
        "after the context is frozen, in the branch that answers and never in the one that implements",
        "understanding is assessed by what the agent says to them",
        "unit_questions",
    ),
    Release(
        "what each unit requires, and whether the initial request leaves it out",
        "annotator",
        "after clarification, when approved replies are labelled with what they disclose",
        "disclosure is counted unit by unit; labels decide nothing about what the agent gets",
        "unit_requirements",
    ),
    Release(
        "requirement units whole, with reference answers",
        "judge",
        "after the answers are in",
        "answers are compared with them",
        "reference_units",
    ),
    Release(
        "the delivery interface",
        "judge",
        "after the answers are in",
        "what is invoked how is part of what is required",
        "delivery_interface",
    ),
    Release(
        "the source of one unit's acceptance tests",
        "judge",
        "after the answers are in",
        "tests show how a requirement becomes behaviour, and add none",
        "unit_source",
    ),
    Release(
        "the private acceptance tests, without canaries",
        "tests' sandbox",
        "after the deliverable is sealed; the deliverable runs in another sandbox, which nothing of it enters",
        "they drive the deliverable over its delivery interface and write the verdicts down",
        "acceptance_files",
    ),
    Release(
        "which tests show which requirement unit",
        "grader on the host",
        "after everything in the tests' sandbox is dead",
        "a unit passes when all its tests do",
        "unit_tests",
    ),
    Release(
        "the names of the variants",
        "operator",
        "validation",
        "each is accepted or rejected in its turn",
        "variant_names",
    ),
    Release(
        "one variant over the starter files, written to a folder",
        "operator",
        "validation",
        "it is accepted on the path that every deliverable goes",
        "variant_deliverable",
    ),
    Release(
        "the digest of the acceptance tests",
        "operator",
        "when an acceptance's key is made",
        "a key must change when what the phase reads changes",
        "acceptance_digest",
    ),
    Release(
        "the golden library's files, as people wrote them",
        "operator",
        "when structure is scored, on the host, or a critic reviews: its model is then sent the sources",
        "the deliverable is compared with them",
        "golden_sources",
    ),
    Release(
        "which parts of the original repository count, where that was published",
        "operator",
        "when structure is scored, on the host",
        "the original is larger than what the task asks for",
        "read_scope",
    ),
    Release(
        "the golden deliverable: the reference overlay with the golden library in it; a commission's reference variant",
        "golden agent",
        "validation, and the golden agent's build",
        "it must pass everything, else the task is wrong",
        "golden_tree",
    ),
    Release(
        "the same, written to a folder",
        "operator",
        "validation",
        "it is graded on the path that every deliverable goes",
        "golden_deliverable",
    ),
    Release(
        "every canary, and every string that names the repository or the golden library",
        "operator",
        "any time, on the host",
        "probes search sandboxes, deliverables and images for them",
        "forbidden_strings",
    ),
    Release(
        "where the task's own source and golden package are to be had",
        "proxy on the host",
        "when a sandbox is granted a network",
        "requests for them are refused, as far as they can be seen",
        "own_source",
    ),
    Release(
        "the digest of a suite",
        "operator",
        "when a grade's key is made",
        "a key must change when what the phase reads changes",
        "suite_digest",
    ),
    Release(
        "the digest of the visible workspace",
        "operator",
        "when a build's key is made",
        "a key must change when what the phase reads changes",
        "visible_digest",
    ),
)

NOTHING_MORE = "There is nothing to add to the request."


def _known_canaries(task: Task) -> set[str]:
    found = {part.canary for part in (task.records, task.golden, task.units) if part and part.canary}
    found.update(text_canaries(INTERFACE, task.interface or ""))
    for name, text in task.requests.items():
        found.update(text_canaries(request_path(name), text))
    for suite in task.suites.values():
        found.update(file.canary for file in suite.files.values() if file.canary)
    return found


def _refuse_canaries(text: str, canaries: Iterable[str], file: str) -> None:
    if any(canary in text for canary in canaries):
        raise _refused("a canary", file)


def _refuse_hidden(task: Task, text: str, file: str) -> None:
    _refuse_canaries(text, _known_canaries(task), file)
    identity = identity_pattern(task.toml)
    if identity and identity.search(text):
        raise _refused("the repository's identity", file)


def _refused(what: str, file: str) -> TaskError:
    return TaskError(
        f"{what} stands in text that would leave the task",
        file=file,
        mend="take it out of that file; `underspec tasks validate` shows every place",
    )


def _request(task: Task, name: str) -> str:
    text = task.requests.get(name)
    if text is None:
        raise TaskError(
            f"the task has no request {name}",
            file=request_path(name),
            mend=f"write the file, or choose another exposure ({', '.join(sorted(task.requests))})",
        )
    return strip_markdown_canary(text)


def request_text(task: Task, exposure: Exposure | Literal["initial"]) -> str:
    """The request as the agent reads it, ending in one newline.

    ``recovered`` is L1 with every answer of L1's records appended, in record order, then pointers and signature: what
    an agent would know that had asked everything (ICAE IV-B). A commission has two requests: ``L1`` is its initial
    one, and ``ground`` includes the delivery interface.

    Raises:
        TaskError: the task has no such request, or a canary or a string of ``identity`` stands in it.
    """
    if task.toml.family == "commission":
        if exposure not in ("L1", "initial", "ground", "recovered"):
            mend = "choose L1 (initial), ground, or recovered where there are records"
            raise TaskError(f"a commission has no exposure {exposure}", file="hidden/requests", mend=mend)
        name = "ground" if exposure == "ground" else "initial"
        text = _complete(task) if name == "ground" else _request(task, name)
        if exposure == "recovered":
            text = text.rstrip() + "\n\n" + _recovered(_level(task, "L1"))
    elif exposure == "recovered":
        name = "L1"
        text = _request(task, name).rstrip() + "\n\n" + _recovered(_level(task, "L1"))
    else:
        name = exposure
        text = _request(task, name)
    _refuse_hidden(task, text, request_path(name))
    return text.rstrip() + "\n"


def _complete(task: Task) -> str:
    return requirement_text(task, _request(task, "ground"))


def complete_requirement(task: Task) -> str:
    """Everything that is wanted, with the delivery interface where the task has one; ends in one newline.

    Raises:
        TaskError: the task has no complete request, or a canary or a string of ``identity`` stands in it.
    """
    text = _complete(task)
    _refuse_hidden(task, text, request_path("ground"))
    return text


def delivery_interface(task: Task) -> str:
    """How what is delivered is invoked, its inputs and outputs; empty where the task says nothing of it.

    Raises:
        TaskError: a canary or a string of ``identity`` stands in it.
    """
    text = strip_markdown_canary(task.interface or "")
    _refuse_hidden(task, text, INTERFACE)
    return text


def _recovered(known: LevelRecords) -> str:
    parts = ["## What the request leaves open, answered", *(record.response for record in known.records)]
    parts += [f'"{pointer.reference}" means: {pointer.meaning}' for pointer in known.pointers]
    if known.signature:
        parts.append(known.signature)
    return "\n\n".join(part.strip() for part in parts)


def visible_workspace(task: Task) -> Path | None:
    """The host folder of the files that the agent starts with; None when there are none. Copy it, never mount it
    writable."""
    folder = task.path / WORKSPACE
    return folder if folder.is_dir() and any(folder.iterdir()) else None


def visible_digest(task: Task) -> str | None:
    """The digest of the files that the agent starts with; None when there are none.

    Raises:
        TaskError: the folder can no longer be read.
    """
    folder = visible_workspace(task)
    return entries_digest(read_tree(folder, stop_at_errors)) if folder else None


def scaffold_cases(task: Task) -> dict[str, bytes]:
    """Public case files for the agent under scaffold, by their path in the workspace."""
    files = task.suites["public"].files
    return {
        f"rcb_tests/public_test_cases/{stem}.json": _case_bytes("public", stem, file, with_expected=True)
        for stem, file in files.items()
    }


def _level(task: Task, level: Literal["L1", "L2", "L3"]) -> LevelRecords:
    known = task.records.levels.get(level) if task.records else None
    if known is None:
        raise TaskError(
            f"the task has no records for {level}",
            file=RECORDS,
            where=f"$.levels.{level}",
            mend="write them, or choose a condition in which nobody answers",
        )
    return known


def asks_somebody(exposure: Exposure) -> bool:
    """Whether anything is left to ask at this exposure: at ``ground`` and ``recovered`` the request says it all."""
    return exposure in ("L1", "L2", "L3")


def session_records(task: Task, exposure: Exposure) -> LevelRecords:
    """All that the stakeholder of one session knows: the records of the exposure's own level.

    At ``ground`` and ``recovered`` nothing is left to answer: the result has no record, pointer or signature, and its
    fallback is :data:`NOTHING_MORE`. Nobody need be asked there; whoever asks all the same gets that reply.

    Raises:
        TaskError: the task has no records for the level, or a canary or a string of ``identity`` stands in them.
    """
    if exposure not in ("L1", "L2", "L3"):
        return LevelRecords(records=(), fallback=NOTHING_MORE)
    known = _level(task, exposure)
    _refuse_hidden(task, strings_of(known.model_dump(mode="json")), RECORDS)
    return known


def _case_bytes(suite: SuiteName, stem: str, file: CaseFile, *, with_expected: bool) -> bytes:
    cases: list[dict[str, Any]] = [
        {"input": case.input, "expected_output": case.expected_output} if with_expected else {"input": case.input}
        for case in file.cases
    ]
    # Indented for the agent, who reads it; compact (and fast) for the grader, whose suites may be large.
    document = {"description": file.description, "cases": cases}
    text = json.dumps(document, ensure_ascii=False, indent=2 if with_expected else None)
    if file.canary:
        _refuse_canaries(text, [file.canary], case_path(suite, stem))
    return text.encode() + b"\n"


def grader_inputs(task: Task, suite: SuiteName) -> dict[str, bytes]:
    """Case files of a suite as the deliverable may see them: ``<stem>.json`` to description and inputs."""
    return {
        f"{stem}.json": _case_bytes(suite, stem, file, with_expected=False)
        for stem, file in task.suites[suite].files.items()
    }


def expectations(task: Task, suite: SuiteName) -> dict[str, tuple[str, ...]]:
    """Expected outputs by stem, in case order. They stay on the host."""
    return {stem: tuple(case.expected_output for case in file.cases) for stem, file in task.suites[suite].files.items()}


def suite_digest(task: Task, suite: SuiteName) -> str:
    """SHA-256 over a suite's inputs and expected outputs: changes exactly when a grade may."""
    content = [[name, data.decode()] for name, data in sorted(grader_inputs(task, suite).items())]
    return sha256_hex(json.dumps([content, sorted(expectations(task, suite).items())]).encode())


def golden_deliverable(task: Task, into: Path, cache: Path | None = None) -> None:
    """Write the golden deliverable into the existing folder ``into`` (:func:`underspec.task.golden.compose_golden`)."""
    compose_golden(task, into, cache)


def forbidden_strings(task: Task) -> frozenset[str]:
    """What nobody but the operator may ever read: all canaries of ``hidden/``, identity strings, the golden's name.

    Raises:
        TaskError: the task folder can no longer be read.
    """
    names = set(task.toml.identity)
    if task.golden:
        names |= {task.golden.name, task.golden.filename, task.golden.sha256}
    canaries: set[str] = set()
    # Published data carries no canary, and a field of its cases may be called so.
    hidden = read_tree(task.path / "hidden", stop_at_errors, keep=lambda path: task.toml.origin == "authored")
    for entry in hidden:
        canaries.update(text_canaries(entry.path, (entry.content or b"").decode("utf-8", "replace")))
    return frozenset(names | canaries)


def own_source(task: Task) -> tuple[str, Registry | None, str | None, tuple[str, ...]]:
    """The source's address, the golden package's registry and name, and every string that names the source."""
    golden = task.golden
    return (
        task.toml.source.url,
        golden.registry if golden else None,
        golden.name if golden else None,
        task.toml.identity,
    )
