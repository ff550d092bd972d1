"""Runs stages in order: proposes, lets the gate judge, gives findings back, remembers, and stops where it must.

What happens to a stage depends on what is there:

=========  =====================================================  ==================================================
standing   what it means                                          what is done
=========  =====================================================  ==================================================
missing    no files                                               proposed, by the model or by code
passed     the gate was open for these files and inputs           nothing
edited     a person changed files since the runner last saw them  kept; the gate runs again
changed    what it reads changed                                  proposed anew; kept, with the gate run again, where a
                                                                  person has edited it
stale      only prompts or the model changed                      kept; proposed anew when asked for
refused    the gate is shut                                       findings go back to the model; with hand-edited files,
                                                                  to the person
ungated    files whose gate did not end                           the gate runs
blocked    a stage before it is not passed                        nothing
=========  =====================================================  ==================================================
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.construct.asking import StageModel
from underspec.construct.findings import GateFinding, NoProposalError, Verdict
from underspec.construct.folder import COST, StageFolder, held
from underspec.construct.project import Project
from underspec.construct.stage import Stage, Work
from underspec.construct.state import Inputs, Maker, StageState, Standing, Turn
from underspec.errors import UsageError
from underspec.model.cost_counter import CostCounter
from underspec.model.spec import ModelSpec, make_spec
from underspec.phase.models import identity_of
from underspec.prompts import load_prompt
from underspec.sandbox.protocol import Owner, SandboxBackend


@dataclass
class Runner:
    """One working folder and the stages of its pipeline, in order."""

    root: Path
    project: Project
    stages: Sequence[Stage]
    backend: Callable[[], SandboxBackend]
    say: Callable[[str], None] = field(default=lambda words: None)

    def folder(self, stage: str) -> StageFolder:
        """The places of a stage."""
        return StageFolder(self.root, stage)

    def inputs(self, stage: Stage) -> Inputs:
        """What decides a stage's files now.

        Raises:
            StoreError: files of a stage before cannot be read.
            UsageError: a prompt of the user's cannot be read.
        """
        override = Path(self.project.prompts) if self.project.prompts else None
        spec = self._spec(stage)
        return Inputs(
            needs={name: self.folder(name).digest() or "" for name in stage.needs},
            reads=stage.reads(self.project),
            version=stage.version,
            prompts={name: load_prompt(stage.name, name, override=override).sha256 for name in stage.prompts},
            model=identity_of(spec) if stage.calls else None,
        )

    def standings(self) -> dict[str, Standing]:
        """How each stage stands, in order; see the table of this module."""
        found: dict[str, Standing] = {}
        for stage in self.stages:
            if any(found[name] not in ("passed", "stale") for name in stage.needs):
                found[stage.name] = "blocked"
            else:
                found[stage.name] = self._own_standing(stage, self.folder(stage.name).state(), self.inputs(stage))
        return found

    def _own_standing(self, stage: Stage, state: StageState, inputs: Inputs) -> Standing:
        outputs = self.folder(stage.name).digest()
        if outputs is None:
            return "missing"
        if outputs != state.outputs:
            return "edited"
        if not inputs.same_material(state.inputs):
            if not state.hand:
                return "changed"
            if state.gated_inputs is None or not inputs.same_material(state.gated_inputs):
                return "changed"
        if state.verdict is None or state.gated != outputs:
            return "ungated"
        if not state.verdict.ok:
            return "refused"
        if not state.hand and (state.inputs.prompts, state.inputs.model) != (inputs.prompts, inputs.model):
            return "stale"
        return "passed"

    async def run(self, *, until: str | None = None, redo: Collection[str] = ()) -> bool:
        """Bring every stage, up to and with ``until``, to a passed gate. False where one stays shut.

        ``redo`` names stages that are proposed anew, whatever they hold; their files go to ``earlier``.

        Raises:
            UsageError: there is no such stage; or a stage needs a model, or a person, and has none.
            StoreError: another process works here, or files cannot be read.
            ModelServiceError, CostLimitError, SandboxError: what the work itself raises. What was done stays.
        """
        for name in [*redo, *([until] if until else [])]:
            self._named(name)
        with held(self.root):
            for stage in self.stages:
                if not await self._bring(stage, again=stage.name in redo):
                    return False
                if stage.name == until:
                    break
        return True

    async def _bring(self, stage: Stage, *, again: bool) -> bool:
        standing = self._own_standing(stage, self.folder(stage.name).state(), self.inputs(stage))
        folder = self.folder(stage.name)
        state = folder.state()
        if again:
            return await self._propose(stage, self._blamed(stage.name))
        if standing in ("passed", "stale"):
            note = " (its prompts or model have changed since; --redo proposes it anew)" if standing == "stale" else ""
            self.say(f"{stage.name}: passed{note}")
            return True
        if standing == "edited" or (standing == "changed" and state.hand):
            reason = "edited by hand" if standing == "edited" else "edited by hand earlier, and what it reads changed"
            self.say(f"{stage.name}: {reason}; kept, and the gate runs again")
            folder.log("kept", reason=reason)
            return (await self._judge(stage, made_by="hand")).ok
        if standing == "ungated":
            return (await self._judge(stage, made_by=None)).ok
        if standing == "refused" and state.verdict is not None:
            if state.hand or (stage.calls and self._spec(stage) is None):
                why = "edited by hand" if state.hand else "no model works in it"
                self.say(f"{stage.name}: refused, and {why}; mend it, or use --redo {stage.name}")
                return False
            return await self._propose(stage, state.verdict.findings)
        return await self._propose(stage, ())

    def _blamed(self, name: str) -> tuple[GateFinding, ...]:
        """What the gates of later stages said about this one's files."""
        later = [state.verdict for one in self.stages if (state := self.folder(one.name).state()).verdict is not None]
        said = (finding for verdict in later if verdict for finding in verdict.findings if finding.stage == name)
        # A case is called differently in a task and in the stage that made it.
        return tuple(
            finding.model_copy(update={"file": finding.file.removeprefix("hidden/cases/")}) if finding.file else finding
            for finding in said
        )

    async def _propose(self, stage: Stage, findings: Sequence[GateFinding]) -> bool:
        """Propose and judge until the gate opens, with ``repairs`` turns after the first."""
        maker: Maker = "model" if stage.calls and self._spec(stage) is not None else "code"
        turns = 1 + self.project.repairs
        for turn in range(1, turns + 1):
            self.say(f"{stage.name}: proposal {turn} of at most {turns}")
            refused = await self._one_proposal(stage, findings, turn, maker)
            if refused is not None:
                findings = [*findings, refused] if refused.kind not in {one.kind for one in findings} else findings
                continue
            verdict = await self._judge(stage, made_by=maker, turn=turn)
            if verdict.ok:
                return True
            if maker == "code":
                return False  # code proposes the same again
            findings = verdict.findings
        return False

    async def _one_proposal(
        self, stage: Stage, findings: Sequence[GateFinding], turn: int, maker: Maker
    ) -> GateFinding | None:
        """Write a proposal; the finding where there is none."""
        folder = self.folder(stage.name)
        inputs = self.inputs(stage)
        model = self._model(stage)
        try:
            with folder.draft(keep=bool(findings)) as draft:
                await stage.propose(self._work(stage, draft, folder.fresh_evidence(), model, turn), findings)
        except NoProposalError as error:
            finding = error.finding()
            folder.log("no_proposal", turn=turn, kind=finding.kind, message=finding.message)
            self.say(f"{stage.name}: {finding.message}")
            state = folder.state()
            past = Turn(turn=turn, made_by=maker, outputs=None, errors=1, kinds=(finding.kind,))
            refused = Verdict(findings=(finding,)) if folder.digest() is None else state.verdict
            folder.write_state(state.model_copy(update={"turns": (*state.turns, past), "verdict": refused}))
            return finding
        finally:
            if model is not None:
                model.close()
        outputs = folder.digest()
        state = folder.state()
        folder.write_state(StageState(stage=stage.name, inputs=inputs, outputs=outputs, turns=state.turns, hand=False))
        folder.log("proposed", turn=turn, made_by=maker, outputs=outputs)
        return None

    async def _judge(self, stage: Stage, *, made_by: Maker | None, turn: int = 0) -> Verdict:
        """Run the gate and remember what it said."""
        folder = self.folder(stage.name)
        state = folder.state()
        outputs, inputs = folder.digest(), self.inputs(stage)
        self.say(f"{stage.name}: the gate runs")
        model = self._model(stage)
        try:
            verdict = await stage.gate(self._work(stage, folder.out, folder.fresh_evidence(), model, turn))
        finally:
            if model is not None:
                model.close()
        errors = [finding for finding in verdict.findings if finding.severity == "error"]
        kinds = tuple(sorted({finding.kind for finding in errors}))
        update: dict[str, Any] = {
            "hand": state.hand or made_by == "hand",
            "outputs": outputs,
            "gated": outputs,
            "gated_inputs": inputs,
            "verdict": verdict,
        }
        if made_by is not None:
            past = Turn(turn=turn, made_by=made_by, outputs=outputs, errors=len(errors), kinds=kinds)
            update["turns"] = (*state.turns, past)
        folder.write_state(state.model_copy(update=update))
        folder.log("judged", turn=turn, ok=verdict.ok, errors=len(errors), kinds=list(kinds))
        self.say(f"{stage.name}: passed" if verdict.ok else f"{stage.name}: refused, {len(errors)}: {', '.join(kinds)}")
        return verdict

    def _work(self, stage: Stage, out: Path, evidence: Path, model: StageModel | None, turn: int) -> Work:
        return Work(
            stage=stage.name,
            project=self.project,
            out=out,
            evidence=evidence,
            needs={name: self.folder(name).out for name in stage.needs},
            backend=self.backend(),
            say=lambda words: self.say(f"{stage.name}: {words}"),
            log=self.folder(stage.name).log,
            model=model,
            turn=turn,
            by_hand=self._by_hand(stage),
            owner=Owner(run="construct", purpose=stage.name),
        )

    def _model(self, stage: Stage) -> StageModel | None:
        spec = self._spec(stage) if stage.calls else None
        if spec is None:
            return None
        cost = CostCounter(self.project.max_cost, self.root / COST)
        return StageModel(spec, stage.name, self.folder(stage.name).path, cost)

    def _spec(self, stage: Stage) -> ModelSpec | None:
        name = self.project.model_of(stage.name)
        return make_spec(name, thinking=self.project.thinking) if name else None

    def _named(self, name: str) -> Stage:
        found = next((stage for stage in self.stages if stage.name == name), None)
        if found is None:
            known = ", ".join(stage.name for stage in self.stages)
            raise UsageError(f"there is no stage {name!r}", mend=f"the stages are {known}")
        return found

    def _by_hand(self, stage: Stage) -> str:
        """What a person does where no model works."""
        wanted = "; ".join(f"{path} ({what})" for path, what in stage.files.items())
        return f"give --model, or write these files in {self.folder(stage.name).out} and resume: {wanted}"
