"""What is remembered of a stage: ``state.json`` beside its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from underspec.artifact.base import Artifact
from underspec.artifact.files import write_atomic
from underspec.construct.findings import Verdict

FILE = "state.json"
Maker = Literal["model", "code", "hand"]
Standing = Literal["missing", "passed", "refused", "ungated", "edited", "changed", "stale", "blocked"]


class Inputs(BaseModel):
    """What decided a stage's files, as hashes.

    ``needs`` are the files of the stages before, ``reads`` other files and options, ``version`` the stage's own code:
    when one of these changes, the stage is done anew. ``prompts`` and ``model`` are remembered too; when only they
    change, the stage is shown as stale and stays until somebody asks for it anew, for models cost.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    needs: dict[str, str] = {}
    reads: dict[str, str] = {}
    version: int = 1
    prompts: dict[str, str] = {}
    model: Any = None

    def same_material(self, other: Inputs) -> bool:
        """Whether what was worked on is the same."""
        return (self.needs, self.reads, self.version) == (other.needs, other.reads, other.version)


class Turn(BaseModel):
    """One proposal and what the gate said: how many errors, of which kinds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int
    made_by: Maker
    outputs: str | None
    errors: int
    kinds: tuple[str, ...] = ()


class StageState(Artifact):
    """``outputs`` is the digest of the files as the runner last knew them; another one now means that somebody edited.

    ``gated`` is the digest of the files and ``gated_inputs`` what they were judged with. ``hand`` is true once a person
    has edited, and stays so until the stage is proposed anew.
    """

    schema_version: Literal[1] = 1
    stage: str
    inputs: Inputs = Inputs()
    outputs: str | None = None
    hand: bool = False
    gated: str | None = None
    gated_inputs: Inputs | None = None
    verdict: Verdict | None = None
    turns: tuple[Turn, ...] = ()


def read_state(folder: Path, stage: str) -> StageState:
    """The state of a stage; an empty one where it was never begun.

    Raises:
        StoreError: the file is damaged.
    """
    path = folder / FILE
    return StageState.read(path) if path.exists() else StageState(stage=stage)


def write_state(folder: Path, state: StageState) -> None:
    """Write it whole."""
    write_atomic(folder / FILE, state.to_bytes())
