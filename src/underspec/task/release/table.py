"""What goes to whom, when and why: the whole list of what leaves ``hidden/``, and nothing but the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Audience = Literal[
    "agent",
    "session",
    "client, supervisor and assessor",
    "answering agent",
    "annotator",
    "judge",
    "people who rate",
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
        "where the golden sources are to be had, by reference",
        "people who rate",
        "after the run, when a critic is validated; a judge's labels are validated with what the judge is given",
        "they compare deliverables with what a critic compared them with",
        "golden_reference",
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
