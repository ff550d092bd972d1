"""Planted faults in requests, records and omissions: each is found by the gate that should, and sound ones pass."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.construct import toy
from underspec.construct.findings import GateFinding
from underspec.construct.fuzz.files import Levels, Material, read_levels, write_levels
from underspec.construct.fuzz.gate import judge_texts
from underspec.construct.text_gates.edits import apply_edits, check_edits, check_nothing_else
from underspec.construct.text_gates.omissions import Edit

Answers = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return toy.material(tmp_path_factory.mktemp("toy"))


def judged(material: Material, levels: Levels) -> list[GateFinding]:
    return list(judge_texts(material, levels, None))


def test_sound_levels_pass(material: Material) -> None:
    assert judged(material, toy.levels(material, toy.documents())) == []


def replace(call: str, old: str, new: str) -> Callable[[Answers], None]:
    """Put another text into an answer, wherever the old one stands."""

    def change(answers: Answers) -> None:
        text = json.dumps(answers[call], ensure_ascii=False)
        assert old in text
        answers[call] = json.loads(text.replace(old, new))

    return change


def put(call: str, *path: str | int, to: Any) -> Callable[[Answers], None]:
    """Set one field of an answer."""

    def change(answers: Answers) -> None:
        place: Any = answers[call]
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = to

    return change


def cut(call: str, *path: str | int) -> Callable[[Answers], None]:
    """Take one field or entry out of an answer."""

    def change(answers: Answers) -> None:
        place: Any = answers[call]
        for part in path[:-1]:
            place = place[part]
        del place[path[-1]]

    return change


FAULTS: dict[str, tuple[Callable[[Answers], None], str, str | None]] = {
    # L1 shows what it hides, in whatever spelling.
    "hidden literal in L1": (replace("l1", "of all lengths", "of up to 4096 letters"), "hidden_phrase_shown", "L1.md"),
    "hidden word, plural": (replace("l1", "of all lengths", "of all WIDTHS"), "hidden_phrase_shown", "L1.md"),
    "hidden phrase, joined": (replace("l1", "of all lengths", "with full-stops"), "hidden_phrase_shown", "L1.md"),
    "hidden name in a full-width L1": (replace("l1", "of all lengths", "ｗｉｄｔｈ"), "hidden_phrase_shown", "L1.md"),
    "hidden phrase in what L2 settles": (
        replace("l2", "A request is", "Up to 4096; a request is"),
        "hidden_phrase_shown",
        "L2.md",
    ),
    "a public case in L1": (
        replace("l1", "of all lengths", json.dumps(toy.PAD[0]).replace('"', '\\"').replace("\\n", "\\\\n")),
        "case_shown",
        "L1.md",
    ),
    "the project named in L1": (replace("l1", "a small tool", "Shelfruler again"), "names_repository", "L1.md"),
    "the project named in a trigger": (
        replace("l1", "which layers should there be", "is it like shelfruler"),
        "names_repository",
        "records.json",
    ),
    "a golden symbol in a response": (
        replace("l1", "Filling, shortening", "run_ruler, shortening"),
        "names_golden_symbol",
        "records.json",
    ),
    # Records.
    "four triggers": (cut("l1", "omissions", 2, "triggers", 4), "too_few_triggers", "records.json"),
    "five triggers, two of them the same": (
        put("l1", "omissions", 2, "triggers", 4, to="How wide can a label be, at most?!"),
        "too_few_triggers",
        "records.json",
    ),
    "an empty category": (put("l1", "omissions", 0, "category", to=" "), "no_category", "records.json"),
    "an empty response": (put("l1", "omissions", 0, "response", to=" \n"), "no_response", "records.json"),
    "nothing hidden": (put("l1", "omissions", 0, "hidden", to=[]), "nothing_hidden", "omissions.json"),
    "words hidden that nobody says": (
        put("l1", "omissions", 0, "hidden", to=["zebra", "crossing"]),
        "nothing_hidden",
        "omissions.json",
    ),
    "an omission without record": (cut("l1", "omissions", 2), "omission_without_record", "omissions.json"),
    "a constraint nobody speaks of": (put("l1", "shown", to=[]), "omission_without_record", "omissions.json"),
    "a quote that does not stand there": (
        put("l1", "shown", 0, "quote", to="the mark is (etc)"),
        "quote_not_shown",
        "omissions.json",
    ),
    "a constraint that is none": (
        put("l1", "omissions", 0, "covers", to=["R099"]),
        "unknown_constraint",
        "omissions.json",
    ),
    "one kind only": (put("l1", "omissions", 4, "kind", to="api"), "kind_missing", "omissions.json"),
    "an action forgotten": (replace("l1", "; cut(text, width)", ""), "signature_incomplete", "records.json"),
    # Vague references.
    "no vague reference": (put("l1", "pointers", to=[]), "vague_references", "records.json"),
    "three vague references": (
        lambda answers: answers["l1"]["pointers"].extend([answers["l1"]["pointers"][0]] * 2),
        "vague_references",
        "records.json",
    ),
    "a reference that L1 does not make": (
        put("l1", "pointers", 0, "reference", to="as on the new slips"),
        "reference_not_once",
        "records.json",
    ),
    "a reference that L1 explains": (
        put("l1", "pointers", 0, "meaning", to="fills up the short ones"),
        "reference_explained",
        "records.json",
    ),
    # L2.
    "L2 restores nothing that there is": (put("l2", "restored", to=["C077"]), "restores_unknown", "records.json"),
    "L2 restores all": (
        put("l2", "restored", to=["C001", "C002", "C003", "C004", "ARCH001", "HARNESS001", "HARNESS002", "HARNESS003"]),
        "restores_everything",
        "records.json",
    ),
    "L2 restores the cases": (put("l2", "restored", to=["C001", "C002", "TC_pad"]), "restores_cases", "records.json"),
    "L2 does not say what it restores": (put("l2", "settled", to="It is all settled."), "restored_not_shown", "L2.md"),
    "an L2 edit of what is not there": (
        put("l2", "edits", 0, "old", to="It must never fall down."),
        "edit_old_not_once",
        "L2.md",
    ),
    # L3.
    "four literals hidden": (
        lambda answers: answers["l3"]["hide"].extend(answers["l3"]["hide"] * 3),
        "l3_hides_too_many",
        "omissions.json",
    ),
    "nothing hidden in L3": (put("l3", "hide", to=[]), "l3_hides_nothing", "omissions.json"),
    "no vague reference in L3": (put("l3", "vague", to=[]), "vague_references", "omissions.json"),
    "a literal left in L3": (
        replace("l3", "beyond a certain bound", "beyond 4096 or so"),
        "hidden_phrase_shown",
        "L3.md",
    ),
    "an old text that L3 keeps": (
        replace("l3", "when it is beyond 4096", "when it exceeds 4096"),
        "edit_old_not_once",
        "L3.md",
    ),
    "a hidden default": (put("l3", "hide", 0, "constraint", to="R004"), "l3_hides_contract", "omissions.json"),
    "an ambiguous constraint": (
        put("constraints", "constraints", 2, "ambiguous", to=True),
        "l3_hides_ambiguous",
        "omissions.json",
    ),
    "a literal that is no value": (
        put("l3", "hide", 0, "literals", to=["4096", "8192"]),
        "l3_literal",
        "omissions.json",
    ),
    "an answer without the literal": (
        put("l3", "hide", 0, "response", to="Very wide ones are too_wide."),
        "response_lacks_literal",
        "omissions.json",
    ),
    "a category lost": (
        lambda answers: answers["l3"]["hide"][0]["edits"].append({"old": "`too_wide` when", "new": "and another when"}),
        "contract_word_lost",
        "L3.md",
    ),
    "an example touched by an edit": (
        lambda answers: answers["l3"]["hide"][0]["edits"].append({"old": "Nails....", "new": "Nails..."}),
        "example_changed",
        "L3.md",
    ),
    "a vague rule that is hidden too": (
        put("l3", "vague", 0, "constraint", to="R003"),
        "l3_constraint",
        "omissions.json",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(material: Material, fault: str) -> None:
    change, kind, file = FAULTS[fault]
    answers = toy.documents()
    change(answers)
    findings = judged(material, toy.levels(material, answers))
    found = [finding for finding in findings if finding.kind == kind and finding.severity == "error"]
    assert found, [finding.kind for finding in findings]
    assert file in {finding.file for finding in found}
    assert all(finding.message for finding in found)


# What a person does to the files afterwards.


def edited(levels: Levels, **changes: Any) -> Levels:
    return dataclasses.replace(levels, **changes)


def test_l2_that_hides_what_l1_shows_is_found(material: Material) -> None:
    levels = toy.levels(material, toy.documents())
    one, two = levels.records["L1"], levels.records["L2"]
    extra = one.records[0].model_copy(update={"id": "C050"})
    records = {**levels.records, "L2": two.model_copy(update={"records": (*two.records, extra)})}
    findings = judged(material, edited(levels, records=records))
    assert [(each.kind, "C050" in each.message) for each in findings] == [("l2_hides_more", True)]


def test_a_restored_point_that_keeps_its_record_is_found(material: Material) -> None:
    levels = toy.levels(material, toy.documents())
    records = {**levels.records, "L2": levels.records["L1"]}
    assert {each.kind for each in judged(material, edited(levels, records=records))} == {"restored_still_hidden"}


def test_a_record_that_differs_between_levels_is_found(material: Material) -> None:
    levels = toy.levels(material, toy.documents())
    two = levels.records["L2"]
    changed = two.records[0].model_copy(update={"response": two.records[0].response + " Or not."})
    records = {**levels.records, "L2": two.model_copy(update={"records": (changed, *two.records[1:])})}
    assert {each.kind for each in judged(material, edited(levels, records=records))} == {"levels_differ"}


def test_a_record_removed_by_hand_is_found(material: Material) -> None:
    levels = toy.levels(material, toy.documents())
    two = levels.records["L2"]
    records = {**levels.records, "L2": two.model_copy(update={"records": two.records[1:]})}
    assert {each.kind for each in judged(material, edited(levels, records=records))} == {"omission_without_record"}


def test_a_sentence_of_l1_that_l2_has_lost_is_found(material: Material) -> None:
    levels = toy.levels(material, toy.documents())
    text = levels.requests["L2"].replace("The labels in the warehouse are of all lengths.", "")
    findings = judged(material, edited(levels, requests={**levels.requests, "L2": text}))
    assert [each.kind for each in findings] == ["l1_sentence_lost"]


@pytest.mark.parametrize(
    ("old", "new"), [("equally wide", "equal"), ("`width` a whole", "`width` an integral"), ("\n## 4", "\n# 4")]
)
def test_a_change_of_l3_that_no_edit_explains_is_found(material: Material, old: str, new: str) -> None:
    levels = toy.levels(material, toy.documents())
    assert old in levels.requests["L3"]
    requests = {**levels.requests, "L3": levels.requests["L3"].replace(old, new, 1)}
    [found] = judged(material, edited(levels, requests=requests))
    assert found.kind == "changed_without_edit"
    assert found.where is not None
    assert found.evidence is not None


def test_files_are_read_back_as_they_were_written(material: Material, tmp_path: Path) -> None:
    levels = toy.levels(material, toy.documents())
    write_levels(tmp_path, levels)
    problems: list[GateFinding] = []
    assert read_levels(tmp_path, problems) is not None
    assert problems == []
    back = read_levels(tmp_path, problems)
    assert back is not None
    assert (back.records, back.omissions) == (levels.records, levels.omissions)
    assert judged(material, back) == []


@pytest.mark.parametrize("file", ["L1.md", "L2.md", "L3.md", "records.json", "omissions.json"])
@pytest.mark.parametrize(
    "content", [None, b"", b"\xff\x00", b"[" * 5000, b'{"levels": {"L1": {"records": [], "fallback": "?"}}}']
)
def test_missing_and_damaged_files_are_findings(
    material: Material, tmp_path: Path, file: str, content: bytes | None
) -> None:
    write_levels(tmp_path, toy.levels(material, toy.documents()))
    (tmp_path / file).unlink()
    if content is not None:
        (tmp_path / file).write_bytes(content)
    problems: list[GateFinding] = []
    levels = read_levels(tmp_path, problems)
    assert problems or (levels is not None and judged(material, levels))


# Laws of edits.
TEXTS = st.text("ab \n", max_size=30)


@given(TEXTS, st.text("xyz", min_size=1, max_size=5), st.text("pqr", min_size=1, max_size=5), TEXTS)
def test_an_applied_edit_passes_and_an_unapplied_one_does_not(before: str, old: str, new: str, after: str) -> None:
    edits, text = (Edit(old=old, new=new),), f"{before}{old}{after}"
    assert not list(check_edits("f", text, apply_edits(text, edits), edits, where="$"))
    assert not list(check_nothing_else("f", text, apply_edits(text, edits), edits))
    assert {each.kind for each in check_edits("f", text, text, edits, where="$")} == {
        "edit_old_left",
        "edit_new_not_once",
    }


@given(st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=6), st.integers(0, 5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_line_changed_without_an_edit_is_found(lines: list[str], place: int) -> None:
    changed = list(lines)
    changed[place % len(lines)] += "!"
    assert list(check_nothing_else("f", "\n".join(lines), "\n".join(changed), ()))
    assert not list(check_nothing_else("f", "\n".join(lines), "\n".join(lines) + "\n", ()))


def test_an_old_text_that_stands_twice_is_refused() -> None:
    edits = (Edit(old="x", new="y"),)
    assert apply_edits("x x", edits) == "x x"
    assert [each.kind for each in check_edits("f", "x x", "x x", edits, where="$")] == ["edit_old_not_once"]


def test_an_edit_that_puts_the_old_text_back_is_refused() -> None:
    edits = (Edit(old="total", new="total in bytes"),)
    assert [each.kind for each in check_edits("f", "total", "total in bytes", edits, where="$")] == [
        "edit_changes_nothing"
    ]
