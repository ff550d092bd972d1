"""Structure and critic in reports: what was planned is counted, and hostile text is inert."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from tests.report.run_sample import outcomes
from underspec.artifact.condition import Condition
from underspec.artifact.outcomes import Unscored
from underspec.artifact.review import CRITIC_DIMENSIONS, CriticScore, Review, Shown, TreeRead, Verdict
from underspec.artifact.structure import DIMENSIONS, Overlap, Structure, TreeSize
from underspec.errors import Boundary
from underspec.report.beside import beside_figures
from underspec.report.beside_text import print_beside
from underspec.report.collect import Collected
from underspec.report.comparison import Side, compare_sides
from underspec.report.comparison_text import comparison_text
from underspec.report.document import report_document
from underspec.report.item import item_document, item_text
from underspec.run.item import Item

CONDITION = Condition(agent="asker")
BOTH = frozenset({"structure", "review"})


def size(files: int, names: int) -> TreeSize:
    return TreeSize(language="Python", files=files, loc=10 * files, classes=names, methods=names, namespaces=files)


def structure(common: int, *, golden: int = 10, generated: int = 10) -> Structure:
    """Two trees with so many names, and so many in both."""
    return Structure(
        golden=size(4, golden),
        generated=size(2 if generated else 0, generated),
        normalized=False,
        overlap={
            name: Overlap(golden=golden, generated=generated, common=common)
            for name in (*DIMENSIONS, "namespace_relative")
        },
        unscored=None if golden and generated else "nothing is defined",
    )


def review(score: float | None, *, model: str = "openai/critic", rationale: str = "as it should be") -> Review:
    shown = Shown(files=1, whole=1, cut=0, left_out=0, tokens=1, tokens_of_all=1)
    said = CriticScore(
        prompt="p",
        planned=1,
        verdicts=() if score is None else (Verdict(score=score, rationale=rationale),),
        unscored=Unscored(boundary=Boundary.JUDGE, reason="no verdict") if score is None else None,
        golden=shown,
        generated=shown,
    )
    trees = {"golden": TreeRead(), "generated": TreeRead()}
    scores: dict[str, Any] = dict.fromkeys(CRITIC_DIMENSIONS, said)
    return Review(task="t", deliverable=None, model=model, prompts={"api": "1"}, **trees, **scores)


def item(task: str, epoch: int = 1, *, condition: Condition = CONDITION, **fields: Any) -> Collected:
    known = Collected(
        item=Item(task=task, condition=condition, epoch=epoch),
        end=None,
        deliverable=None,
        session=None,
        outcomes=outcomes(task, 5),
        unscored=None,
        attempts={"build": 1, "grade": 1},
    )
    return replace(known, **fields)


def why(boundary: Boundary) -> Unscored:
    return Unscored(boundary=boundary, reason="it failed")


@st.composite
def items(draw: st.DrawFn) -> list[Collected]:
    found = []
    for number in range(draw(st.integers(1, 8))):
        fields: dict[str, Any] = {"beside": draw(st.sampled_from([BOTH, frozenset(), frozenset({"structure"})]))}
        kind = draw(st.sampled_from(["there", "nothing", "empty golden", "failed", "not run"]))
        if "structure" in fields["beside"]:
            made = {"there": structure(3), "nothing": structure(0, generated=0), "empty golden": structure(0, golden=0)}
            fields["structure"] = made.get(kind)
            fields["structure_why"] = why(Boundary.TASK) if kind == "failed" else None
        if "review" in fields["beside"]:
            fields["review"] = {"there": review(0.5), "nothing": review(0.0), "empty golden": review(None)}.get(kind)
            fields["review_why"] = why(Boundary.MODEL_SERVICE) if kind == "failed" else None
        if draw(st.booleans()):
            fields |= {"outcomes": None, "unscored": why(Boundary.SANDBOX)}
        found.append(item(f"t{number % 3}", number, **fields))
    return found


@settings(deadline=None)
@given(items())
def test_what_is_planned_is_scored_or_unscored_by_somebodys_fault(members: list[Collected]) -> None:
    for name, found in beside_figures(members).items():
        planned = [each for each in members if name in each.beside]
        if found is None:
            assert planned == []
            continue
        assert found["planned"] == len(planned) == found["scored"] + sum(found["unscored"].values())
        for figure in [*found.get("similarity", {}).values(), *found.get("scores", {}).values()]:
            assert figure["items"] <= found["planned"]
            assert figure["mean"] is None or 0 <= figure["mean"] <= 1
            if figure["interval"]:
                assert figure["interval"][0] <= figure["mean"] <= figure["interval"][1]
        for figure in found.get("scores", {}).values():
            assert figure["items"] + sum(figure["unscored"].values()) == found["planned"]


def test_a_deliverable_that_defines_nothing_counts_as_unlike_and_an_empty_golden_tree_as_unscored() -> None:
    found = beside_figures(
        [
            item("a", beside=BOTH, structure=structure(5)),
            item("b", beside=BOTH, structure=structure(0, generated=0)),
            item("c", beside=BOTH, structure=structure(0, golden=0)),
        ]
    )["structure"]
    assert found is not None
    assert (found["scored"], found["unscored"]) == (2, {"task": 1})
    assert found["similarity"]["class"]["mean"] == (5 / 15 + 0) / 2
    assert found["ratio"]["files"] == {"mean": 1 / 3, "interval": found["ratio"]["files"]["interval"], "items": 3}


def test_epochs_are_means_within_their_task_first() -> None:
    members = [item("a", epoch, beside=BOTH, review=review(score)) for epoch, score in ((1, 1.0), (2, 0.0))]
    members.append(item("b", beside=BOTH, review=review(1.0)))
    found = beside_figures(members)["review"]
    assert found is not None
    assert found["scores"]["api"]["mean"] == 0.75
    assert (found["models"], found["repeats"]) == (["openai/critic"], [1])


def test_what_handed_nothing_over_is_counted_by_the_items_own_failure() -> None:
    lost = item("a", beside=BOTH, outcomes=None, unscored=why(Boundary.SANDBOX))
    found = beside_figures([lost])
    assert found["structure"]["unscored"] == found["review"]["unscored"] == {"sandbox": 1}


def printed(members: Sequence[Collected], width: int = 80) -> str:
    stream = io.StringIO()
    print_beside(report_document("r", members, comparable=True), Console(file=stream, width=width, markup=False))
    return stream.getvalue()


def test_the_table_fits_a_terminal_and_is_not_there_without_anything_in_it() -> None:
    members = [
        item(
            task,
            condition=Condition(agent=agent, budget=budget),
            beside=BOTH,
            structure=structure(5),
            review=review(0.25),
        )
        for task in ("a", "b")
        for agent in ("asker", "claude-code")
        for budget in (8, 16)
    ]
    text = printed(members)
    head = next(line for line in text.splitlines() if line.startswith("Agent"))
    assert all(
        word in head for word in ("Files", "LOC", "Class", "Meth.", "Owned", "Names.", "Behav.", "API", "Design")
    )
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "structure planned 8 = scored 8 + unscored 0" in text
    assert "Files" not in next(line for line in printed(members, 60).splitlines() if line.startswith("Agent"))
    assert printed([item("a")]) == ""
    missing = printed([item("a", beside=frozenset({"structure"}), structure_why=why(Boundary.TASK))])
    assert "Agent" not in missing
    assert "structure planned 1 = scored 0 + unscored 1 (task 1)" in missing


def test_one_item_shows_both_or_why_there_is_none() -> None:
    hostile = "fine\x1b[2J\nscored by me\u202e"
    shown = item("a", beside=BOTH, structure=structure(5), review=review(0.25, rationale=hostile), review_stale=True)
    text = item_text(shown, Path("x"))
    assert "5 in both, 10 golden, 10 generated" in text
    assert "0.250" in text
    assert "--redo review" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("scored by me") for line in text.splitlines())
    document = item_document(shown, Path("x"))
    assert document["structure"]["similarity"]["class"] == 5 / 15
    assert document["review"]["scores"]["api"]["rationale"] == hostile
    failed = item("a", beside=BOTH, structure_why=why(Boundary.TASK), review=review(None))
    assert "structure unscored: task: it failed" in item_text(failed, Path("x"))
    assert "not scored: no verdict" in item_text(failed, Path("x"))
    assert item_document(failed, Path("x"))["structure_unscored"] == {"boundary": "task", "reason": "it failed"}
    assert "structure" not in item_text(item("a"), Path("x"))
    assert "not compared yet" in item_text(item("a", beside=BOTH), Path("x"))


def side(name: str, members: Sequence[Collected]) -> Side:
    return Side(run=Path(name), comparable=True, condition=members[0].item.condition, members=members, seconds={})


def test_comparing_takes_both_as_measures_but_no_two_critics() -> None:
    eager = Condition(agent="eager")
    ours = [item(task, beside=BOTH, structure=structure(5), review=review(0.5)) for task in ("a", "b")]
    theirs = [
        item(task, condition=eager, beside=BOTH, structure=structure(10), review=review(0.75)) for task in ("a", "b")
    ]
    found = compare_sides(side("r", ours), side("r", theirs))
    assert found["measures"]["critic_api"]["difference"] == 0.25
    assert found["measures"]["class_similarity"]["b"] == 1.0
    assert "critic: public interface" in comparison_text(found)
    other = [replace(each, review=review(0.75, model="openai/other")) for each in theirs]
    apart = compare_sides(side("r", ours), side("r", other))
    assert not any(name.startswith("critic_") for name in apart["measures"])
    assert "class_similarity" in apart["measures"]
    assert any("different models" in note for note in apart["notes"])
