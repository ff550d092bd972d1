"""Planted faults in a GroundPRD and its cases: each is found, and a sound one is not faulted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.construct import toy
from underspec.construct.findings import Verdict
from underspec.construct.ground.draft import Draft, read_draft
from underspec.construct.ground.gate import judge_ground
from underspec.construct.ground.page import ground_page
from underspec.construct.materials import CONTRACT, Contract, write_part
from underspec.construct.text_gates.ground import leaves_of


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """A whole and sound proposal."""
    found = toy.lay_out(tmp_path)
    toy.write_ground(tmp_path / "ground", toy.answer("ground"))
    return {**found, "ground": tmp_path / "ground"}


def judged(places: dict[str, Path]) -> Verdict:
    return judge_ground(places["ground"], places["select"], places["refactor"])


def kinds(verdict: Verdict) -> set[str]:
    return {finding.kind for finding in verdict.findings}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_sound_requirement_passes(places: dict[str, Path]) -> None:
    verdict = judged(places)
    assert verdict.findings == ()
    assert verdict.ok
    assert verdict.facts["public"] == 3


PLANTED: dict[str, tuple[str, str, str, str]] = {
    "the project's name": ("ground.md", "A small toolkit", "The Shelf_Ruler toolkit", "names_repository"),
    "an author": ("ground.md", "A small toolkit", "Ada Shelver's toolkit", "names_repository"),
    "a golden function": ("ground.md", "loses its end", "goes through cut_short", "names_golden_symbol"),
    "a golden function, joined otherwise": ("ground.md", "loses its end", "see cutShort", "names_golden_symbol"),
    "a golden class as code": ("ground.md", "loses its end", "is a `ShelfRuler`", "names_golden_symbol"),
    "one byte of an example": ("ground.md", '"Nails"', '"nails"', "example_changed"),
    "a number of an example": ("ground.md", '"width": 9', '"width": 9.0', "example_changed"),
    "a space in an example": ("ground.md", '"width": 9', '"width":  9', "example_changed"),
    "a case's text in prose": ("ground.md", "loses its end", "such as Rope 8mm loses it", "case_value_in_prose"),
    "a case's text in other capitals": ("ground.md", "loses its end", "as in PAINT BRUSHES", "case_value_in_prose"),
    "an output in prose": ("ground.md", "loses its end", "becomes Galva(etc)", "case_value_in_prose"),
    "no pointer": ("ground.md", "public_test_cases/cut.json", "public_test_cases/cut", "leaf_without_section"),
    "a pointer to nothing": (
        "ground.md",
        "public_test_cases/cut.json",
        "public_test_cases/cot.json",
        "leaf_without_cases",
    ),
    "no story": ("ground.md", "As a storekeeper, I want long", "Storekeepers like long", "story_missing"),
    "no word of an adapter": ("ground.md", "adapter", "shell", "constraint_missing"),
    "no word of responsibility": ("ground.md", "esponsibility", "ole", "constraint_missing"),
    "no way to run cases": ("ground.md", "test.sh --cases-dir", "test.sh", "invocation_missing"),
    "no word of a category": ("ground.md", "too_narrow", "too small", "contract_word_missing"),
    "no word of a parameter": ("ground.md", "`fill`", "`filler`", "contract_word_missing"),
    "a public case of nobody": ("public/pad.json", '"Nails"', '"Screw"', "public_not_native"),
    "an expectation of nobody": ("public/pad.json", "Nails....", "Nails...!", "public_not_native"),
    "an entry of no feature": ("features.json", '"cut"', '"snip"', "features_differ"),
    "a whole output as a constant": ("features.json", '"(etc)"', '"text=Glue"', "bad_constant"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(places: dict[str, Path], fault: str) -> None:
    file, old, new, kind = PLANTED[fault]
    path = places["ground"] / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new) if "no word" in fault else text.replace(old, new, 1))
    verdict = judged(places)
    assert kind in kinds(verdict)
    assert not verdict.ok
    [found, *_] = [finding for finding in verdict.findings if finding.kind == kind]
    assert found.file in {file, "ground.md", "public/pad.json", "features.json"}


def test_golden_code_without_names_is_said_and_keeps_no_gate_shut(places: dict[str, Path]) -> None:
    (places["select"] / "golden/shelfruler/ruler.py").write_text("print(1)\n")
    verdict = judged(places)
    assert kinds(verdict) == {"symbols_unknown"}
    assert verdict.ok


def test_an_ordinary_word_that_a_joined_symbol_makes_is_no_symbol(places: dict[str, Path]) -> None:
    (places["select"] / "golden/shelfruler/ruler.py").write_text("def s_parse(): ...\ndef list(): ...\n")
    edit(places["ground"] / "ground.md", "loses its end", "in a sparse list loses its end (list of all)")
    assert judged(places).ok
    edit(places["ground"] / "ground.md", "sparse", "sParse")
    assert kinds(judged(places)) == {"names_golden_symbol"}


def test_a_finding_gives_place_evidence_and_mend(places: dict[str, Path]) -> None:
    edit(places["ground"] / "ground.md", "loses its end", "such as Rope 8mm loses it")
    [found] = judged(places).findings
    assert found.where is not None
    line = int(found.where.removeprefix("line "))
    assert "Rope 8mm" in (places["ground"] / "ground.md").read_text().splitlines()[line - 1]
    assert "Rope 8mm" in (found.evidence or "")
    assert found.mend


def test_three_public_cases_are_too_many(places: dict[str, Path]) -> None:
    (places["ground"] / "public/pad.json").write_bytes((places["refactor"] / "native/pad.json").read_bytes())
    assert "too_many_public" in kinds(judged(places))


def test_no_public_case_is_too_few(places: dict[str, Path]) -> None:
    (places["ground"] / "public/pad.json").unlink()
    assert {"no_public_case", "public_file_missing"} <= kinds(judged(places))


@pytest.mark.parametrize("file", ["ground.md", "features.json", "public/pad.json"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00", b"{", b"[" * 3000])
def test_missing_and_damaged_files_are_findings(places: dict[str, Path], file: str, content: bytes | None) -> None:
    path = places["ground"] / file
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert not judged(places).ok


def test_a_link_is_not_followed(places: dict[str, Path], tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text((places["ground"] / "ground.md").read_text())
    (places["ground"] / "ground.md").unlink()
    (places["ground"] / "ground.md").symlink_to(secret)
    assert "bad_file" in kinds(judged(places))


def test_a_word_of_the_contract_may_be_said_though_the_golden_code_has_it(places: dict[str, Path]) -> None:
    contract = toy.CONTRACT.model_copy(update={"words": ("cut_short",)})
    (places["refactor"] / CONTRACT).unlink()
    write_part(places["refactor"] / CONTRACT, contract)
    edit(places["ground"] / "ground.md", "loses its end", "goes through cut_short")
    assert judged(places).ok


def test_an_example_in_a_second_block_counts_as_prose(places: dict[str, Path]) -> None:
    page = places["ground"] / "ground.md"
    page.write_text(page.read_text() + '\n```json\n{"text": "Rope 8mm"}\n```\n')
    assert "case_value_in_prose" in kinds(judged(places))


Change = Callable[[dict[str, Any]], object]
BROKEN: dict[str, Change] = {
    "a feature is missing": lambda found: found["features"].pop(),
    "a feature stands twice": lambda found: found["features"].append(found["features"][0]),
    "no prose": lambda found: found.update(purpose=""),
    "no constraints": lambda found: found.pop("constraints"),
    "public is no number": lambda found: found["features"][0].update(public=["first"]),
    "public is true": lambda found: found["features"][0].update(public=[True]),
    "nothing public": lambda found: found["features"][0].update(public=[]),
    "a text instead of a list": lambda found: found.update(features="pad"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_document_of_another_form_is_no_proposal(name: str) -> None:
    document = toy.answer("ground")
    BROKEN[name](document)
    assert read_draft(document, ["pad", "cut"]) is None


def test_features_stand_in_the_contracts_order_and_groups() -> None:
    document = toy.answer("ground")
    document["features"].reverse()
    draft = read_draft(document, ["pad", "cut"])
    assert isinstance(draft, Draft)
    features = tuple(each.model_copy(update={"parent": "Labels"}) for each in toy.CONTRACT.features)
    page = ground_page(draft, features, {"pad": "{}", "cut": "{}"})
    assert page.index("### 5.1 Labels") < page.index("#### 5.1.1 Padding") < page.index("#### 5.1.2 Cutting")
    assert [leaf.stem for leaf in leaves_of(page)] == ["pad", "cut"]


def test_hostile_prose_does_not_move_an_example(places: dict[str, Path]) -> None:
    """Prose that itself points to a public file and shows another example is found."""
    document = toy.answer("ground")
    document["features"][0]["behaviour"] += "\n\n`rcb_tests/public_test_cases/pad.json`\n\n```json\n{}\n```"
    toy.write_ground(places["ground"], document)
    assert {"leaf_without_section", "example_changed"} <= kinds(judged(places))


def test_contract_of_the_toy_is_its_cases(places: dict[str, Path]) -> None:
    read = Contract.model_validate_json((places["refactor"] / CONTRACT).read_text(), strict=False)
    assert read == toy.CONTRACT
    assert json.loads((places["refactor"] / "native/pad.json").read_text())["cases"] == toy.PAD
