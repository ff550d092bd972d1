"""Ground and fuzz with recorded answers: sound ones pass, each broken one is refused with the reason, and mended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.construct import toy
from underspec.construct.findings import GateFinding
from underspec.construct.fuzz import FUZZ
from underspec.construct.fuzz.redoing import Step, steps_of
from underspec.construct.ground import GROUND
from underspec.construct.project import Project
from underspec.construct.runner import Runner
from underspec.construct.state import StageState
from underspec.construct.text_gates.reach import Probe, check_reach, used_trigger
from underspec.sandbox.bubblewrap import BubblewrapBackend
from underspec.task.model import LevelRecords, Record, RecordKind

pytest.importorskip("inspect_ai")


def runner(root: Path, answers: dict[str, Sequence[dict[str, Any]]], *, repairs: int = 0) -> Runner:
    stages = (toy.Given("select"), toy.Given("refactor"), GROUND, toy.Given("enhance"), FUZZ)
    given = {call: [answer] for call, answer in toy.documents().items()}
    model = toy.script(root / "script.jsonl", {**given, **answers})
    project = Project(kind="repository", task="labels", source="x", out="y", model=model, repairs=repairs)
    return Runner(root / "work", project, stages, BubblewrapBackend)


def run(made: Runner, until: str = "fuzz") -> StageState:
    asyncio.run(made.run(until=until))
    return made.folder(until).state()


def kinds(state: StageState) -> set[str]:
    assert state.verdict is not None
    return {finding.kind for finding in state.verdict.findings if finding.severity == "error"}


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """The whole, run once."""
    made = runner(tmp_path_factory.mktemp("passed"), {})
    asyncio.run(made.run())
    return made


def test_sound_answers_pass_every_gate(passed: Runner) -> None:
    for stage in ("ground", "fuzz"):
        state = passed.folder(stage).state()
        assert state.verdict is not None
        assert state.verdict.findings == (), stage
    facts = passed.folder("fuzz").state().verdict.facts  # type: ignore[union-attr]
    assert facts["records"] == {"L1": 10, "L2": 8, "L3": 1}
    assert facts["words"]["L1"] < facts["words"]["L2"] < facts["words"]["L3"]


def test_the_router_was_really_asked(passed: Runner) -> None:
    asked = json.loads((passed.folder("fuzz").evidence / "probes.json").read_text())
    for name in ("C003", "HARNESS002", "TC_cut", "P0", "SIG"):
        assert any(name in probe["ids"] for probe in asked["L1"][name]), name


def test_a_hand_edit_that_changes_a_byte_of_an_example_is_refused(passed: Runner, tmp_path: Path) -> None:
    made = runner(tmp_path, {})
    run(made, "ground")
    page = made.folder("ground").out / "ground.md"
    page.write_text(page.read_text().replace('"Nails"', '"Nail"', 1))
    assert kinds(run(made, "ground")) == {"example_changed"}


Change = Callable[[dict[str, Any]], object]
REFUSED: dict[str, tuple[str, Change, str]] = {
    "identifier": ("ground", lambda found: found.update(title="The shelf ruler"), "names_repository"),
    "case value": (
        "ground",
        lambda found: found.update(purpose="Makes labels such as Rope 8mm."),
        "case_value_in_prose",
    ),
    "no such case": ("ground", lambda found: found["features"][0].update(public=[7]), "no_such_case"),
    "no form": ("ground", lambda found: found.pop("features"), "no_proposal"),
    "hidden literal in L1": (
        "l1",
        lambda found: found.update(request="# Labels of 4096 widths"),
        "hidden_phrase_shown",
    ),
    "four triggers": ("l1", lambda found: found["omissions"][0]["triggers"].pop(), "too_few_triggers"),
    "L2 restores nothing": ("l2", lambda found: found.update(restored=["C009"]), "restores_unknown"),
    "default hidden": ("l3", lambda found: found["hide"][0].update(constraint="R004"), "l3_hides_contract"),
    "no constraints": ("constraints", lambda found: found.update(constraints=[]), "no_proposal"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_recorded_answer_that_breaks_a_gate_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The router is left out here; it has tests of its own, and takes a second each time."""
    monkeypatch.setattr("underspec.construct.text_gates.reach.ask_router", _everything_reached)
    call, change, kind = REFUSED[name]
    answer = toy.answer(call)
    change(answer)
    state = run(runner(tmp_path, {call: [answer]}), "ground" if call == "ground" else "fuzz")
    assert kind in kinds(state)


def _everything_reached(known: LevelRecords, probes: dict[str, Sequence[str]]) -> dict[str, list[Probe]]:
    return {name: [Probe(each, (name,)) for each in questions] for name, questions in probes.items()}


def test_findings_go_back_and_only_what_is_wrong_is_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.construct.text_gates.reach.ask_router", _everything_reached)
    leaking = toy.answer("l3")
    leaking["hide"][0]["edits"][0]["new"] = "when it is beyond the 4096 of old"
    made = runner(tmp_path, {"l3": [leaking]}, repairs=1)
    script = tmp_path / "script.jsonl"
    mended = {"when": {"anywhere": "hidden_phrase_shown in L3.md"}, "text": json.dumps(toy.answer("l3"))}
    script.write_text(json.dumps(mended) + "\n" + script.read_text())
    state = run(made)
    assert [turn.kinds for turn in state.turns] == [("hidden_phrase_shown",), ()]
    calls = [json.loads(line) for line in (made.folder("fuzz").path / "ledger.jsonl").read_text().splitlines()]
    assert len([call for call in calls if call.get("role") == "constructor"]) == 4 + 1


def test_what_is_asked_anew() -> None:
    def found(kind: str, file: str | None = None, where: str | None = None, message: str = "?") -> GateFinding:
        return GateFinding(kind=kind, message=message, file=file, where=where)

    assert steps_of([found("x", "L3.md")]) == {Step.L3}
    assert steps_of([found("x", "L2.md")]) == {Step.L2}
    assert steps_of([found("x", "records.json", "$.levels.L2")]) == {Step.L2}
    assert steps_of([found("x", "omissions.json", "$.constraints[1]")]) == {Step.L1, Step.L2}
    assert steps_of([found("unreachable_record", "records.json", "L2 C001")]) == {Step.L1, Step.L2}
    assert steps_of([found("unreachable_record", "records.json", "L3 C001")]) == {Step.L3}
    assert steps_of([found("no_proposal")]) == set(Step)


# Reaching.


def _record(name: str, response: str, *triggers: str) -> Record:
    return Record(id=name, kind=RecordKind.CONSTRAINT, category="c", triggers=triggers, response=response)


def test_an_unreachable_record_is_refused_and_named(tmp_path: Path) -> None:
    """Its trigger phrases speak of something else, so no honest question finds it."""
    answer = toy.answer("l1")
    answer["omissions"][2]["triggers"] = [
        "colour of the ink", "which paper is used", "does the printer have a tray", "who buys toner", "label glue",
    ]  # fmt: skip
    answer["omissions"][2]["response"] = "The paper is cream."
    answer["omissions"][2]["category"] = "paper"
    state = run(runner(tmp_path, {"l1": [answer]}))
    assert "unreachable_record" in kinds(state)
    assert state.verdict is not None
    found = [each for each in state.verdict.findings if each.kind == "unreachable_record"]
    assert {each.where for each in found} == {"L1 C003", "L2 C003"}
    assert all("Which widths are rejected as too large?" in (each.evidence or "") for each in found)


def test_a_probe_that_is_a_trigger_phrase_proves_nothing() -> None:
    known = LevelRecords(records=(_record("C001", "Up to 9.", "is there an upper bound of the width"),), fallback="No.")
    question = "Is there an upper bound of the width?"
    assert used_trigger(question, known.records[0].triggers) is not None
    found = list(check_reach("L1", known, {"C001": [Probe(question, ("C001",))]}))
    assert [each.kind for each in found] == ["probe_uses_trigger", "unreachable_record"]


def test_a_record_without_probe_is_refused() -> None:
    known = LevelRecords(records=(_record("C001", "Up to 9.", "how wide"),), fallback="No.")
    assert [each.kind for each in check_reach("L1", known, {})] == ["no_probe"]


def test_one_of_three_answers_will_do() -> None:
    known = LevelRecords(records=(_record("C001", "Up to 9.", "how wide"),), fallback="No.")
    asked = {"C001": [Probe("What limit has a label?", ()), Probe("What is the most?", ("C007", "C008", "C001"))]}
    assert list(check_reach("L1", known, asked)) == []
