"""What repository stages hand on: the files of each stage's ``out`` folder that later stages read, typed.

=========  ==========================================================================================================
select     ``selection.json`` (:class:`Selection`), ``golden.toml`` (as a task has it), ``source/`` (all, with tests),
           ``golden/`` (the library alone, as the golden archive's root)
refactor   ``native/<stem>.json`` (case files), ``reference/`` (dispatcher and ``rcb_tests/``), ``contract.json``
           (:class:`Contract`), ``tests.json`` (:class:`TestMap`)
ground     ``ground.md``, ``public/<stem>.json`` (cases of native, the same bytes)
enhance    ``enhanced/<stem>.json``, ``log.json`` (coverage is evidence of its gate)
fuzz       ``L1.md``, ``L2.md``, ``L3.md``, ``records.json`` (as in a task)
image      ``image.json``, recipes
verify     ``<task>/`` (the whole folder, called like the task)
=========  ==========================================================================================================
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from underspec.artifact.files import write_atomic
from underspec.construct.findings import GateFinding
from underspec.task.finding import Finding
from underspec.task.model import CaseFile, NonEmpty, Part
from underspec.task.strict import read_model

SELECTION, CONTRACT, TESTS = "selection.json", "contract.json", "tests.json"
NATIVE, PUBLIC, ENHANCED = "native", "public", "enhanced"
Dimension = Literal["boundary", "special_constraint", "stress", "logic"]

Model = TypeVar("Model", bound=BaseModel)


class Assessment(Part):
    """What a model, or a person, says of a repository's tests; 1 (poor) to 5."""

    completeness: int = Field(ge=1, le=5)
    effectiveness: int = Field(ge=1, le=5)
    reliability: int = Field(ge=1, le=5)
    readability: int = Field(ge=1, le=5)
    rationale: str


class Selection(Part):
    """A repository that may become a task. ``identity`` are strings that would give it away; ``test_command`` runs its
    own tests in the unpacked source, whose ``test_paths`` (files and folders) hold them. ``packages`` are Python
    wheels, by file name, that tests need besides what the image has. ``tests`` are ids of the tests, as their report
    gives them; empty where there is no report."""

    name: NonEmpty
    version: NonEmpty
    url: NonEmpty
    language: NonEmpty
    license: NonEmpty
    license_file: str | None = None
    files: int = Field(ge=1)
    lines: int = Field(ge=1)
    stars: int | None = Field(default=None, ge=0)
    test_command: tuple[NonEmpty, ...] = Field(min_length=1)
    test_paths: tuple[NonEmpty, ...] = ()
    packages: tuple[NonEmpty, ...] = ()
    identity: tuple[NonEmpty, ...] = ()
    tests: tuple[NonEmpty, ...] = ()
    assessment: Assessment | None = None


class Feature(Part):
    """One leaf feature: ``id`` is the stem of its case file. ``parent`` groups features in the requirement."""

    id: NonEmpty
    title: NonEmpty
    summary: NonEmpty
    parent: str | None = None


class ErrorCategory(Part):
    """A neutral error category, and which exceptions of the golden implementation become it."""

    category: NonEmpty
    meaning: NonEmpty
    raised: tuple[NonEmpty, ...] = ()


class Contract(Part):
    """The black-box contract: leaf features, and every word that belongs to it and may be said: actions, parameters,
    values of closed choices, output keys and error categories."""

    features: tuple[Feature, ...] = Field(min_length=1)
    errors: tuple[ErrorCategory, ...] = ()
    actions: tuple[NonEmpty, ...] = ()
    words: tuple[NonEmpty, ...] = ()

    @property
    def allowed(self) -> frozenset[str]:
        """All words of the contract."""
        return frozenset({*self.actions, *self.words, *(error.category for error in self.errors)})


class CasePlace(Part):
    """One native case."""

    file: NonEmpty
    index: int = Field(ge=0)


class KeptTest(Part):
    """An original test, and the cases that it became."""

    test: NonEmpty
    cases: tuple[CasePlace, ...] = Field(min_length=1)


class DroppedTest(Part):
    """An original test that looks inside, or cannot be said as input and output."""

    test: NonEmpty
    reason: NonEmpty


class TestMap(Part):
    """What became of each original test."""

    __test__ = False
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kept: tuple[KeptTest, ...] = ()
    dropped: tuple[DroppedTest, ...] = ()


def write_part(path: Path, part: BaseModel) -> None:
    """Write a typed file, indented, for people edit it."""
    write_atomic(path, (part.model_dump_json(indent=2, exclude_none=True) + "\n").encode())


def read_part(out: Path, file: str, model: type[Model], findings: list[GateFinding]) -> Model | None:
    """Read a typed file of a stage's ``out``. None, with findings, where it is missing or damaged."""
    path = out / file
    if not path.is_file() or path.is_symlink():
        findings.append(GateFinding(kind="missing_file", message="the file is missing", file=file, mend="write it"))
        return None

    def report(finding: Finding) -> None:
        findings.append(of_task(finding))

    return read_model(model, path.read_bytes(), file, report)


def of_task(finding: Finding) -> GateFinding:
    """A finding about a task's file as a gate's."""
    return GateFinding(
        kind="bad_file",
        message=finding.message,
        severity=finding.severity,
        file=finding.file,
        where=finding.where,
        mend=finding.mend,
    )


def read_cases(out: Path, suite: str, findings: list[GateFinding]) -> dict[str, CaseFile]:
    """Every case file of a suite by stem; damaged ones are findings."""
    found: dict[str, CaseFile] = {}
    folder = out / suite
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        read = read_part(out, f"{suite}/{path.name}", CaseFile, findings)
        if read is not None:
            found[path.stem] = read
    if not found:
        findings.append(GateFinding(kind="no_cases", message="the suite has no case", file=suite, mend="write cases"))
    return found


def case_bytes(description: str, cases: list[dict[str, Any]], canary: str | None = None) -> bytes:
    """A case file as it is written: indented, text as it is."""
    import json

    document = {**({"canary": canary} if canary else {}), "description": description, "cases": cases}
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
