"""Every table and figure of both papers, with what runs must have for it: what a report shows, and why one is
absent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from underspec.measure.disclosure import SourceConversation
from underspec.report.exhibits import (
    clar_conditions,
    clar_conversation,
    clar_figures,
    clar_scores,
    clar_units,
    dataset,
    icae_ablations,
    icae_figures,
    icae_human,
    icae_main,
)
from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Exhibit
from underspec.report.exhibits.human import HumanScores
from underspec.report.exhibits.listing import Listed
from underspec.report.runs import Run
from underspec.task.model import Task

_BUILDS = "graded items of the protocol `build`"
_CLARIFY = "accepted items of the protocol `clarify-first` with standard information"
_TASKS = "the tasks themselves"
_LABELS = "labels of clarifications (`underspec label RUN --role annotator`)"


def _ablation(ablation: icae_ablations.Ablation, needs: str) -> Listed:
    make = partial(icae_ablations.ablation_table, ablation=ablation)
    return Listed(ablation.name, ablation.slug, ablation.title, f"scored items that {needs}", make)


_CATALOGUE: tuple[Listed, ...] = (
    Listed("ICAE Table V", "icae-table-5", "Statistics of the tasks", _TASKS, dataset.table_v),
    Listed("ICAE Table VI", "icae-table-6", "Main results", _BUILDS, icae_main.table_vi),
    Listed(
        "ICAE Table VII",
        "icae-table-7",
        "Main results on the smaller tasks",
        f"{_BUILDS}, and more than {icae_main.LITE_TASKS} tasks whose golden lines are counted",
        icae_main.table_vii,
    ),
    Listed(
        "ICAE Table VIII",
        "icae-table-8",
        "Overall pass rate by programming language",
        f"{_BUILDS}, and {_TASKS}",
        icae_main.table_viii,
    ),
    _ablation(icae_ablations.SCAFFOLD, "differ in `scaffold` alone"),
    _ablation(icae_ablations.FRAMEWORK, "have the same model and differ in `agent` alone"),
    _ablation(icae_ablations.USER_AGENT, "ask, and differ in `router` or `stakeholder_model` alone"),
    _ablation(icae_ablations.THINKING, "differ in `thinking` alone, one of them `off`"),
    _ablation(
        icae_ablations.THINKING_BUDGET, "differ in `thinking` alone, one with a number of tokens and one without"
    ),
    _ablation(icae_ablations.IMAGE, "differ in `image` alone"),
    Listed(
        icae_ablations.LANGUAGE.name,
        icae_ablations.LANGUAGE.slug,
        icae_ablations.LANGUAGE.title,
        f"scored items that differ in `language` alone, one of them without it, and {_TASKS}",
        icae_ablations.table_xv,
    ),
    Listed(
        "ICAE Table XVI",
        "icae-table-16",
        "The critic and people",
        "people's scores of deliverables that a critic has scored",
        icae_human.table_xvi,
    ),
    Listed("ICAE Figure 4", "icae-figure-4", "Tasks by category", f"{_TASKS}, of repositories", dataset.figure_4),
    Listed(
        "ICAE Figure 5",
        "icae-figure-5",
        "Tasks by lines of golden code",
        f"{_TASKS}, with their golden lines counted",
        dataset.figure_5,
    ),
    Listed(
        "ICAE Figure 6",
        "icae-figure-6",
        "Overall pass rate by exposure",
        "scored items that differ in `exposure` alone",
        icae_figures.figure_6,
    ),
    Listed(
        "ICAE Figure 7",
        "icae-figure-7",
        "Tokens of requests and of what asking gives",
        f"{_TASKS}, with requests and records at L1, L2 and L3",
        dataset.figure_7,
    ),
    Listed(
        "ICAE Figure 8",
        "icae-figure-8",
        "Categories of ambiguity at each level",
        f"{_TASKS}, with requests and records at L1, L2 and L3",
        dataset.figure_8,
    ),
    Listed("ICAE Figure 9", "icae-figure-9", "Failure modes of deliverables", _BUILDS, icae_figures.figure_9),
    Listed(
        "ICAE Figure 10",
        "icae-figure-10",
        "What more questions give",
        "scored items that differ in `budget` alone",
        icae_figures.figure_10,
    ),
    Listed(
        "ICAE Figure 11",
        "icae-figure-11",
        "Runtime and tokens of an item",
        f"{_BUILDS}, with their logs or their ledger",
        icae_figures.figure_11,
    ),
    Listed("SWE-Clar Table 2", "swe-clar-table-2", "Implementation and clarification", _CLARIFY, clar_scores.table_2),
    Listed("SWE-Clar Table 5", "swe-clar-table-5", "Requirement units and cost", _CLARIFY, clar_scores.table_5),
    Listed(
        "SWE-Clar Table 6",
        "swe-clar-table-6",
        "Information conditions",
        "accepted items that differ in `information` alone",
        clar_conditions.table_6,
    ),
    Listed(
        "SWE-Clar Table 7",
        "swe-clar-table-7",
        "Paired differences between information conditions",
        "accepted items that differ in `information` alone",
        clar_conditions.table_7,
    ),
    Listed(
        "SWE-Clar Table 8",
        "swe-clar-table-8",
        "Answers after full disclosure",
        f"{_CLARIFY}, and {_LABELS}",
        clar_units.table_8,
    ),
    Listed("SWE-Clar Table 9", "swe-clar-table-9", "Labels of answers", f"{_CLARIFY}, judged", clar_units.table_9),
    Listed(
        "SWE-Clar Table 10",
        "swe-clar-table-10",
        "When to clarify",
        "accepted items that differ in `protocol` alone: `clarify-first` and `continued`",
        clar_conditions.table_10,
    ),
    Listed(
        "SWE-Clar Table 11",
        "swe-clar-table-11",
        "What review did to replies",
        "labels of revised replies (`underspec label RUN --role assessor`)",
        clar_conversation.table_11,
    ),
    Listed(
        "SWE-Clar Figure 3",
        "swe-clar-figure-3",
        "Commissions by development type",
        f"{_TASKS}, of commissions",
        dataset.clar_figure_3,
    ),
    Listed(
        "SWE-Clar Figure 4",
        "swe-clar-figure-4",
        "What becomes known as conversations go on",
        f"recorded conversations, or {_LABELS}, or sessions with a User Agent",
        clar_conversation.figure_4,
    ),
    Listed(
        "SWE-Clar Figure 5",
        "swe-clar-figure-5",
        "What information gives",
        "accepted items that differ in `information` alone",
        clar_figures.figure_5,
    ),
    Listed(
        "SWE-Clar Figure 6",
        "swe-clar-figure-6",
        "Code that passes, by answer",
        f"{_CLARIFY}, judged",
        clar_units.figure_6,
    ),
    Listed(
        "SWE-Clar Figure 7",
        "swe-clar-figure-7",
        "Cost and implementation score",
        f"{_CLARIFY}, with known prices of their calls",
        clar_figures.figure_7,
    ),
    Listed(
        "SWE-Clar Figure 8",
        "swe-clar-figure-8",
        "Disclosure over rounds",
        f"{_LABELS}, or sessions with a User Agent",
        clar_conversation.figure_8,
    ),
    Listed(
        "SWE-Clar Figure 9",
        "swe-clar-figure-9",
        "Answers and code, together",
        f"{_CLARIFY}, judged",
        clar_units.figure_9,
    ),
)


def catalogue() -> Sequence[Listed]:
    """All tables and figures, in the papers' order."""
    return _CATALOGUE


def exhibits(
    runs: Sequence[Run],
    find_task: Callable[[str], Task],
    *,
    human: HumanScores | None = None,
    conversations: Sequence[SourceConversation] | None = None,
) -> Iterator[Exhibit]:
    """Those tables and figures that the runs give data for, in the catalogue's order.

    Each is made when it is asked for. ``human`` are people's scores of deliverables, ``conversations`` the recorded
    ones that tasks were made of.

    Raises:
        StoreError: a run's folder is damaged; names the file.
    """
    yield from made(Evidence(runs, find_task, human, conversations))


def made(evidence: Evidence, listed: Sequence[Listed] | None = None) -> Iterator[Exhibit]:
    """The same from evidence, of all or of some of the catalogue."""
    for each in catalogue() if listed is None else listed:
        exhibit = each.make(evidence)
        if exhibit is not None:
            yield exhibit
