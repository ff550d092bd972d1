"""A toy project for the stages ground and fuzz: labels that are padded and cut. Every document is whole and right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from underspec.construct.findings import GateFinding, Verdict
from underspec.construct.fuzz import building, drafts
from underspec.construct.fuzz.files import Levels, Material, material_of
from underspec.construct.ground.draft import Kept, KeptFeature, read_draft
from underspec.construct.ground.page import ground_page
from underspec.construct.materials import (
    Contract,
    ErrorCategory,
    Feature,
    Selection,
    case_bytes,
    write_part,
)
from underspec.construct.project import Project
from underspec.construct.stage import Work

GOLDEN = """\
class ShelfRuler:
    def pad_label(self, label, width, filler="."): ...
    def cut_short(self, label, width): ...

def run_ruler(request): ...
"""

PAD = [
    {"input": {"action": "pad", "text": "Nails", "width": 9}, "expected_output": "text=Nails....\n"},
    {
        "input": {"action": "pad", "text": "Rope 8mm", "width": 12, "fill": "_"},
        "expected_output": "text=Rope 8mm____\n",
    },
    {"input": {"action": "pad", "text": "Hinges", "width": 0}, "expected_output": "error=too_narrow\n"},
]
CUT = [
    {"input": {"action": "cut", "text": "Galvanised screws", "width": 10}, "expected_output": "text=Galva(etc)\n"},
    {"input": {"action": "cut", "text": "Glue", "width": 10}, "expected_output": "text=Glue\n"},
    {"input": {"action": "cut", "text": "Paint brushes", "width": 4097}, "expected_output": "error=too_wide\n"},
]
CASES = {"pad": PAD, "cut": CUT}
DESCRIPTIONS = {"pad": "Labels filled up to a width.", "cut": "Labels shortened to a width."}

CONTRACT = Contract(
    features=(
        Feature(id="pad", title="Padding labels", summary="fills a label up"),
        Feature(id="cut", title="Cutting labels", summary="shortens a label"),
    ),
    errors=(
        ErrorCategory(category="bad_request", meaning="a parameter is wrong"),
        ErrorCategory(category="too_narrow", meaning="the width is below one"),
        ErrorCategory(category="too_wide", meaning="the width is beyond the bound"),
    ),
    actions=("pad", "cut"),
)
SELECTION = Selection(
    name="shelfruler",
    version="3.1.4",
    url="https://example.com/somebody/shelfruler",
    language="Python",
    license="MIT",
    files=1,
    lines=5,
    test_command=("python3", "-m", "unittest"),
    identity=("Ada Shelver",),
)


ANSWERS = Path(__file__).parent / "toy_answers"
CALLS = ("ground", "constraints", "l1", "l2", "l3")


def answer(call: str) -> dict[str, Any]:
    """What a model answers to a call: of the stage ground, or one of the four of the stage fuzz. Constraints will be
    R001 to R006; records of L1 C001 to C004 and ARCH001, and those made by code."""
    found: dict[str, Any] = json.loads((ANSWERS / f"{call}.json").read_text(encoding="utf-8"))
    return found


def documents() -> dict[str, dict[str, Any]]:
    """Every answer, by call."""
    return {call: answer(call) for call in CALLS}


_SAID = {
    "ground": "write the complete requirement",
    "constraints": "List every distinct behavioural constraint",
    "l1": "Write the least informative request",
    "l2": "Write the middle request",
    "l3": "Write the plan of the most informative request",
}


def script(path: Path, answers: Mapping[str, Sequence[dict[str, Any]]]) -> str:
    """A scripted model that gives these answers by call, one after another and then the last for ever; its name."""
    turns = [
        {"when": {"anywhere": _SAID[call]}, "text": json.dumps(answer), "repeat": number == len(given)}
        for call, given in answers.items()
        for number, answer in enumerate(given, 1)
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return f"scripted/{path}"


class Given:
    """A stage that lays out fixed files, and whose gate is open."""

    version = 1
    prompts: tuple[str, ...] = ()
    files: Mapping[str, str] = {}
    calls = 0
    needs: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name

    def reads(self, project: Project) -> dict[str, str]:
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        write_given(self.name, work.out)

    async def gate(self, work: Work) -> Verdict:
        return Verdict()


def write_given(stage: str, out: Path) -> None:
    """The files of a stage before."""
    if stage == "select":
        write_part(out / "selection.json", SELECTION)
        (out / "golden.toml").write_text(
            'registry = "pypi"\nname = "shelfruler"\nversion = "3.1.4"\nfilename = "shelfruler-3.1.4.tar.gz"\n'
            f'sha256 = "{"0" * 64}"\n'
        )
        (out / "golden/shelfruler").mkdir(parents=True)
        (out / "golden/shelfruler/ruler.py").write_text(GOLDEN)
    elif stage == "refactor":
        write_part(out / "contract.json", CONTRACT)
        (out / "native").mkdir()
        for stem, cases in CASES.items():
            (out / f"native/{stem}.json").write_bytes(case_bytes(DESCRIPTIONS[stem], cases))
    else:
        (out / "enhanced").mkdir()
        cases = [{"input": {"action": "cut", "text": "", "width": 1}, "expected_output": "text=\n"}]
        (out / "enhanced/cut_boundary.json").write_bytes(case_bytes("Shortening: boundary.", cases))


def lay_out(root: Path) -> dict[str, Path]:
    """The ``out`` folders of the stages before."""
    places = {}
    for stage in ("select", "refactor", "enhance"):
        places[stage] = root / stage / "out"
        places[stage].mkdir(parents=True)
        write_given(stage, places[stage])
    return places


def write_ground(out: Path, document: dict[str, Any]) -> None:
    """What the stage ground makes of a document, without a model."""
    draft = read_draft(document, [feature.id for feature in CONTRACT.features])
    assert draft is not None
    (out / "public").mkdir(parents=True, exist_ok=True)
    texts = {}
    for feature in draft.features:
        content = case_bytes(DESCRIPTIONS[feature.id], [CASES[feature.id][place] for place in feature.public])
        (out / f"public/{feature.id}.json").write_bytes(content)
        texts[feature.id] = content.decode()
    (out / "ground.md").write_text(ground_page(draft, CONTRACT.features, texts))
    kept = tuple(KeptFeature(id=each.id, title=each.title, called=each.called) for each in draft.features)
    write_part(out / "features.json", Kept(features=kept, constants=draft.constants))


def material(root: Path) -> Material:
    """What the stage fuzz reads, laid out below ``root``."""
    places = lay_out(root)
    write_ground(root / "ground/out", answer("ground"))
    problems: list[GateFinding] = []
    found = material_of({**places, "ground": root / "ground/out"}, problems)
    assert found is not None, problems
    return found


def levels(given: Material, answers: Mapping[str, dict[str, Any]]) -> Levels:
    """What the stage fuzz makes of the answers, without a model."""
    constraints = building.numbered(drafts.DraftConstraints.model_validate(answers["constraints"]))
    draft = drafts.DraftL1.model_validate(answers["l1"])
    first = building.first_level(draft, given)
    second = building.second_level(drafts.DraftL2.model_validate(answers["l2"]), draft.request, first[0])
    third = building.third_level(drafts.DraftL3.model_validate(answers["l3"]), given.ground, first[0])
    return building.together(constraints, draft.request, first, second, third)
