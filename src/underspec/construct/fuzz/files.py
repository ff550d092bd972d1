"""The stage's files, read and written: requests, ``records.json`` as a task has it, and ``omissions.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.files import write_atomic
from underspec.construct.findings import GateFinding
from underspec.construct.ground.draft import Kept
from underspec.construct.ground.gate import FEATURES, GROUND, public_texts, read_page
from underspec.construct.materials import (
    CONTRACT,
    ENHANCED,
    NATIVE,
    PUBLIC,
    SELECTION,
    Contract,
    Selection,
    read_cases,
    read_part,
    write_part,
)
from underspec.construct.stage import Work
from underspec.construct.text_gates.omissions import Omissions
from underspec.construct.text_gates.vocabulary import Files
from underspec.task.model import Level, LevelRecords, RecordsFile

RECORDS, OMISSIONS = "records.json", "omissions.json"
LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")


def page(level: str) -> str:
    """The file of a level's request."""
    return f"{level}.md"


@dataclass(frozen=True)
class Material:
    """What the stage reads of the stages before."""

    ground: str
    features: Kept
    contract: Contract
    selection: Selection
    native: Files
    enhanced: Files
    public: Files
    shown: dict[str, str]
    golden: Path


def read_material(work: Work, findings: list[GateFinding]) -> Material | None:
    """All of it; None, with findings, where something is missing."""
    return material_of({stage: work.of(stage) for stage in ("select", "refactor", "ground", "enhance")}, findings)


def material_of(places: Mapping[str, Path], findings: list[GateFinding]) -> Material | None:
    """The same from the ``out`` folders of the stages."""
    text = read_page(places["ground"], GROUND, findings)
    features = read_part(places["ground"], FEATURES, Kept, findings)
    contract = read_part(places["refactor"], CONTRACT, Contract, findings)
    selection = read_part(places["select"], SELECTION, Selection, findings)
    native = read_cases(places["refactor"], NATIVE, findings)
    public = read_cases(places["ground"], PUBLIC, findings)
    enhanced = read_cases(places["enhance"], ENHANCED, findings)
    if text is None or features is None or contract is None or selection is None or not native or not public:
        return None
    shown = public_texts(places["ground"], public)
    return Material(text, features, contract, selection, native, enhanced, public, shown, places["select"])


@dataclass(frozen=True)
class Levels:
    """What the stage wrote, as read back."""

    requests: dict[Level, str]
    records: dict[Level, LevelRecords]
    omissions: Omissions


def read_levels(out: Path, findings: list[GateFinding]) -> Levels | None:
    """All of it; None, with findings, where something is missing or damaged."""
    requests: dict[Level, str | None] = {level: read_page(out, page(level), findings) for level in LEVELS}
    records = read_part(out, RECORDS, RecordsFile, findings)
    omissions = read_part(out, OMISSIONS, Omissions, findings)
    for level in LEVELS if records is not None else ():
        if records is not None and level not in records.levels:
            message, mend = f"there are no records of {level}", "write them"
            findings.append(GateFinding(kind="missing_level", message=message, file=RECORDS, mend=mend))
            return None
    if records is None or omissions is None or not all(requests.values()):
        return None
    found = {level: text for level, text in requests.items() if text is not None}
    return Levels(found, {level: records.levels[level] for level in LEVELS}, omissions)


def write_levels(out: Path, levels: Levels) -> None:
    """Write all of it."""
    for level, text in levels.requests.items():
        write_atomic(out / page(level), (text.rstrip() + "\n").encode())
    write_part(out / RECORDS, RecordsFile(levels={level: levels.records[level] for level in LEVELS}))
    write_part(out / OMISSIONS, levels.omissions)
