"""What a stage is, and what it is given to work with."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from underspec.construct.asking import StageModel
from underspec.construct.findings import GateFinding, NoProposalError, Verdict
from underspec.construct.project import Project
from underspec.errors import HarnessError, UsageError
from underspec.model.structured import Shape
from underspec.prompts import load_prompt, render
from underspec.sandbox.protocol import Owner, Sandbox, SandboxBackend, SandboxSpec

T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """The means of one proposal or one run of a gate.

    ``out`` are the stage's own files: while it proposes, a draft that begins as a copy of what there is when findings
    are mended and empty otherwise; while its gate runs, the files to judge. ``evidence`` is an empty folder for what a
    gate saw. ``turn`` counts proposals from 1.
    """

    stage: str
    project: Project
    out: Path
    evidence: Path
    needs: Mapping[str, Path]
    backend: SandboxBackend
    say: Callable[[str], None]
    log: Callable[..., None]
    model: StageModel | None = None
    turn: int = 1
    by_hand: str = "give --model"
    owner: Owner = field(default_factory=lambda: Owner(run="construct", purpose="stage"))

    @property
    def options(self) -> dict[str, Any]:
        """The stage's own options in ``construct.toml``."""
        return self.project.options_of(self.stage)

    def of(self, stage: str) -> Path:
        """The files of a stage before. Only those that the stage names in ``needs`` can be had."""
        if stage not in self.needs:
            raise HarnessError(f"the stage {self.stage} reads {stage}, which it does not name")
        return self.needs[stage]

    def prompt(self, name: str, *, sections: Mapping[str, bool] | None = None, **values: str) -> str:
        """A prompt of this stage's, ``prompts/<stage>/<name>.md`` or a user's in its place, filled in."""
        override = Path(self.project.prompts) if self.project.prompts else None
        return render(load_prompt(self.stage, name, override=override), sections=sections or {}, values=values)

    async def ask(
        self, system: str, user: str, shape: Shape, read: Callable[[dict[str, Any]], T | None], *, again: str
    ) -> T:
        """What ``read`` makes of the model's document; see :func:`underspec.model.structured.ask_structured`.

        Whatever comes from a repository or a person goes into ``user``, wrapped by
        :func:`underspec.construct.data.as_data`.

        Raises:
            NoProposalError: no attempt brought a document that ``read`` takes.
            UsageError: no model works in this stage.
            ModelServiceError, CostLimitError: the provider failed, or ``max_cost`` is spent.
        """
        if self.model is None:
            raise UsageError(f"the stage {self.stage} needs a model or a person", mend=self.by_hand)
        found = await self.model.ask(system, user, shape, read, again=again)
        if found is None:
            raise NoProposalError("the model gave no document of the form asked for")
        return found

    @contextlib.asynccontextmanager
    async def sandbox(self, **spec: Any) -> AsyncIterator[Sandbox]:
        """A started sandbox of the project's backend, closed at the end. ``spec`` as for :class:`SandboxSpec`, whose
        owner is set; repositories' code runs nowhere else."""
        sandbox = self.backend.create(SandboxSpec(owner=replace(self.owner, purpose=self.stage), **spec))
        try:
            await sandbox.start()
            yield sandbox
        finally:
            await sandbox.close()


class Stage(Protocol):
    """One stage: how its files are proposed, and the gate that they must pass.

    ``needs`` are the stages whose files it reads. ``version`` is raised when the same inputs would give other files or
    another verdict. ``prompts`` are names below ``prompts/<stage>/``. ``files`` says by path below ``out`` what the
    stage writes, for people who write or edit it by hand. ``calls`` bounds the model calls of one proposal and one run
    of the gate together, for the bound on costs; 0 means that no model ever works in it. A stage that can do without
    looks whether ``work.model`` is None; one that cannot just asks.
    """

    name: str
    needs: tuple[str, ...]
    version: int
    prompts: tuple[str, ...]
    files: Mapping[str, str]
    calls: int

    def reads(self, project: Project) -> dict[str, str]:
        """Hashes of what else decides the stage's files, by name: a source archive, say."""

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Write all files to ``work.out``. ``findings`` are what the gate said to the last proposal, which is then
        still in ``work.out``; none at first.

        Raises:
            NoProposalError: the model's answer is none. That counts as a turn, and its finding is the next turn's.
        """

    async def gate(self, work: Work) -> Verdict:
        """Look at the files in ``work.out`` for real; evidence goes to ``work.evidence``.

        Files may be edited by hand, or missing: that is a finding, never an exception.
        """
