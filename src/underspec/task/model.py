"""The typed parts of a task (design section 4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from underspec.artifact.outcomes import SuiteName

LEVELS = ("L1", "L2", "L3")
Level = Literal["L1", "L2", "L3"]
RESERVED_ID = re.compile(r"P\d+|SIG")
"""Ids that stand for pointers and the signature; no record may have one."""

NonEmpty = Annotated[str, StringConstraints(min_length=1)]


class Part(BaseModel):
    """Base of everything that is read from a task folder: frozen, strict about types, closed to unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Source(Part):
    """Where the behaviour comes from. Never shown to an agent or a router. ``files`` and ``lines`` of the golden
    implementation are None where nobody has counted them."""

    url: NonEmpty
    license: NonEmpty
    version: NonEmpty
    files: int | None = Field(default=None, ge=1)
    lines: int | None = Field(default=None, ge=1)


class Images(Part):
    """Names of images, ``host`` being the machine's own /usr."""

    base: NonEmpty = "host"
    provisioned: NonEmpty | None = None


class TaskLimits(Part):
    """What a deliverable may use while it is graded; megabytes are 2**20 bytes."""

    suite_seconds: int = Field(default=2400, ge=1)
    memory_mb: int = Field(default=2048, ge=16)
    disk_mb: int = Field(default=2048, ge=1)
    processes: int = Field(default=512, ge=8)
    cpus: float = Field(default=1.0, gt=0)
    output_mb: int = Field(default=10, ge=1)
    case_output_mb: int = Field(default=4, ge=1)


class AcceptanceToml(Part):
    """``[acceptance]`` of ``task.toml``: how the private tests are run.

    ``command`` is run beside them and leaves JUnit XML; left out, it is the package's own runner
    (``underspec.grade.acceptance``), which needs nothing but Python. ``image`` is what the tests run in, where it is
    not the task's own. ``seconds`` bound all tests of one deliverable together.
    """

    command: tuple[NonEmpty, ...] | None = Field(default=None, min_length=1)
    image: NonEmpty | None = None
    seconds: int = Field(default=900, ge=1)


class TaskToml(Part):
    """``task.toml``.

    ``origin`` says who wrote the texts: ``authored`` for a task of our own format, whose author can mend them, and
    ``icae`` for one imported from the published data, whose texts stay as they are. ``identity`` is what nobody may
    read; ``identity_words`` are parts of it that are ordinary words too, so that validation points to them and
    nothing refuses them.
    """

    contract: Literal[1]
    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{1,62}$")]
    title: NonEmpty
    family: Literal["repository", "commission"]
    category: NonEmpty
    language: NonEmpty
    source: Source
    origin: Literal["authored", "icae"] = "authored"
    identity: tuple[NonEmpty, ...] = ()
    identity_words: tuple[NonEmpty, ...] = ()
    image: Images = Images()
    limits: TaskLimits = TaskLimits()
    acceptance: AcceptanceToml = AcceptanceToml()


class RecordKind(StrEnum):
    """What a record is about. ``case_file`` carries one whole public case file."""

    CONSTRAINT = "constraint"
    ARCHITECTURE = "architecture"
    HARNESS = "harness"
    CASE_FILE = "case_file"


class Record(Part):
    """One omitted point (ICAE III-E): what asks for it, and what is then said, word for word."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
    kind: RecordKind
    category: NonEmpty
    triggers: tuple[NonEmpty, ...] = Field(min_length=1)
    response: NonEmpty


class Pointer(Part):
    """A vague phrase in the request, and what it means. Its id is ``P0``, ``P1``, ... by position."""

    reference: NonEmpty
    meaning: NonEmpty


class LevelRecords(Part):
    """All that a User Agent knows at one exposure level."""

    records: tuple[Record, ...]
    pointers: tuple[Pointer, ...] = ()
    signature: str | None = None
    fallback: NonEmpty

    def responses(self) -> dict[str, str]:
        """Authored response by id, pointers as ``P0``... and the signature as ``SIG`` included."""
        known = {record.id: record.response for record in self.records}
        known.update({f"P{place}": pointer.meaning for place, pointer in enumerate(self.pointers)})
        if self.signature:
            known["SIG"] = self.signature
        return known


class RecordsFile(Part):
    """``hidden/records.json``."""

    canary: NonEmpty | None = None
    levels: dict[Level, LevelRecords]


class Case(Part):
    """One stdin-JSON to stdout contract."""

    input: Any
    expected_output: str


class CaseFile(Part):
    """One file of a suite. Its stem names the output files: ``<stem>@<index:03>.txt``."""

    canary: NonEmpty | None = None
    description: str
    cases: tuple[Case, ...] = Field(min_length=1)


Registry = Literal["pypi", "npm", "deb"]
"""Whose client fetches a golden archive: pip, npm, or apt with the package sources that this machine has."""


ArchiveFolder = Annotated[
    str, StringConstraints(pattern=r"^([A-Za-z0-9_@+-][A-Za-z0-9._@+-]*(/[A-Za-z0-9_@+-][A-Za-z0-9._@+-]*)*)?$")
]


class GoldenToml(Part):
    """``hidden/golden.toml``: where the golden implementation comes from. Its code is never in the task.

    ``filename`` and ``sha256`` name one archive of the registry; ``root`` the folder inside it (with ``/``, empty for
    the archive's own top) that goes on the import path. ``sources`` is the folder that people wrote, where ``root``
    holds what a build made of it: deliverables are compared with that. The patterns keep a name from being read as an
    option, an address or a path by the registry's client.
    """

    canary: NonEmpty | None = None
    registry: Registry
    name: Annotated[str, StringConstraints(pattern=r"^(@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9._-]*$")]
    version: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_:~-]*$")]
    filename: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.!+_~%-]*\.(whl|tar\.gz|tgz|zip|deb)$")]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    root: ArchiveFolder = ""
    sources: ArchiveFolder | None = None

    @property
    def source_folder(self) -> str:
        """The folder of the archive that deliverables are compared with."""
        return self.root if self.sources is None else self.sources


TOPIC = "{topic}"


class Unit(Part):
    """One requirement unit (SWE-Clar B.3): a client requirement, what is asked about it, and the tests that show it.

    What is asked is the file's template with ``topic`` in it, or ``question``, where one was written by hand.
    ``answer`` is the reference answer. ``tests`` are ids as the tests' report gives them: ``<classname>::<name>``.
    """

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
    topic: NonEmpty
    requirement: NonEmpty
    question: NonEmpty | None = None
    answer: NonEmpty
    initially_hidden: bool
    tests: tuple[NonEmpty, ...] = Field(min_length=1)


class UnitsFile(Part):
    """``hidden/units.json``. ``question`` is the one template of all questions; :data:`TOPIC` stands for the topic."""

    canary: NonEmpty | None = None
    question: NonEmpty
    units: tuple[Unit, ...] = Field(min_length=1)

    def question_of(self, unit: Unit) -> str:
        """What is asked about a unit."""
        return unit.question or self.question.replace(TOPIC, unit.topic)

    @property
    def tests(self) -> tuple[str, ...]:
        """Every test that some unit names, once, in order."""
        return tuple(dict.fromkeys(test for unit in self.units for test in unit.tests))


@dataclass(frozen=True)
class Suite:
    """The case files of one suite by stem, in name order."""

    name: SuiteName
    files: dict[str, CaseFile]

    @property
    def total(self) -> int:
        """How many cases there are."""
        return sum(len(file.cases) for file in self.files.values())


@dataclass(frozen=True)
class Task:
    """A loaded task. ``digest`` covers every file of the folder but MANIFEST.sha256 itself.

    ``interface`` is the text of ``hidden/interface.md``: how what is delivered is invoked, its inputs and outputs.
    """

    path: Path
    digest: str
    toml: TaskToml
    requests: dict[str, str]
    records: RecordsFile | None
    suites: dict[SuiteName, Suite]
    golden: GoldenToml | None
    units: UnitsFile | None = None
    interface: str | None = None

    @property
    def id(self) -> str:
        """The id in ``task.toml``."""
        return self.toml.id
