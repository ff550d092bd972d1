"""The stage: what the model is given, and what becomes of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from underspec.artifact.files import write_atomic
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.ground.draft import SHAPE, Draft, DraftFeature, Kept, KeptFeature, read_draft
from underspec.construct.ground.gate import FEATURES, GROUND, judge_ground
from underspec.construct.ground.page import ground_page
from underspec.construct.ground.sources import golden_text
from underspec.construct.materials import (
    CONTRACT,
    NATIVE,
    PUBLIC,
    Contract,
    case_bytes,
    read_cases,
    read_part,
    write_part,
)
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.construct.text_gates.vocabulary import Files
from underspec.task.model import CaseFile

MOST_CASES = 90_000


class GroundStage:
    """Writes ``ground.md`` and the public cases."""

    name = "ground"
    needs: tuple[str, ...] = ("select", "refactor")
    version = 1
    prompts: tuple[str, ...] = ("rules", "material", "malformed")
    files: Mapping[str, str] = {
        GROUND: "the complete requirement; each leaf feature shows its public cases",
        f"{PUBLIC}/<feature>.json": "one or two native cases of the feature",
        FEATURES: "titles and other names of the features, and constants that are rules",
    }
    calls = 1

    def reads(self, project: Project) -> dict[str, str]:
        """Nothing else."""
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Ask for the prose, choose the public cases as it says, and put both together."""
        problems: list[GateFinding] = []
        contract = read_part(work.of("refactor"), CONTRACT, Contract, problems)
        native = read_cases(work.of("refactor"), NATIVE, problems)
        if contract is None or not native:
            raise NoProposalError(f"the stage refactor has left no cases: {feedback(problems)}", kind="bad_needs")
        last = work.out / GROUND
        user = work.prompt(
            "material",
            sections={"findings": bool(findings)},
            findings=as_data(findings=feedback(findings)),
            last=as_data(requirement=last.read_text(encoding="utf-8") if findings and last.is_file() else "(nothing)"),
            material=as_data(
                contract=contract.model_dump_json(indent=1),
                cases=_cases_text(native),
                source=golden_text(work.of("select") / "golden"),
            ),
        )
        wanted = [feature.id for feature in contract.features]
        draft = await work.ask(
            work.prompt("rules"), user, SHAPE, lambda found: read_draft(found, wanted), again=work.prompt("malformed")
        )
        public = {feature.id: _chosen(feature, native.get(feature.id)) for feature in draft.features}
        _write(work, draft, contract, public)

    async def gate(self, work: Work) -> Verdict:
        """See :func:`underspec.construct.ground.gate.judge_ground`."""
        return judge_ground(work.out, work.of("select"), work.of("refactor"))


def _write(work: Work, draft: Draft, contract: Contract, public: dict[str, bytes]) -> None:
    folder = work.out / PUBLIC
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for stem, content in public.items():
        write_atomic(folder / f"{stem}.json", content)
    texts = {stem: content.decode() for stem, content in public.items()}
    write_atomic(work.out / GROUND, ground_page(draft, contract.features, texts).encode())
    kept = Kept(
        features=tuple(KeptFeature(id=each.id, title=each.title, called=each.called) for each in draft.features),
        constants=draft.constants,
    )
    write_part(work.out / FEATURES, kept)


def _chosen(feature: DraftFeature, native: CaseFile | None) -> bytes:
    """The public file: the chosen native cases, as they are.

    Raises:
        NoProposalError: there is no such case.
    """
    if native is None:
        raise NoProposalError(f"{feature.id} has no native cases", kind="leaf_without_cases")
    places = list(dict.fromkeys(feature.public))
    if not all(0 <= place < len(native.cases) for place in places):
        message = f"{feature.id} has cases 0 to {len(native.cases) - 1}, and {places} are to be public"
        raise NoProposalError(message, kind="no_such_case", mend="choose among those that there are")
    cases = [native.cases[place] for place in places]
    return case_bytes(
        native.description, [{"input": case.input, "expected_output": case.expected_output} for case in cases]
    )


def _cases_text(native: Files) -> str:
    """Every case file with numbered cases, as much as is bounded."""
    parts = []
    for stem, file in sorted(native.items()):
        parts.append(f"--- {stem}: {file.description}")
        parts += [f"{index}: {case.model_dump_json()}" for index, case in enumerate(file.cases)]
    text = "\n".join(parts)
    return text if len(text) <= MOST_CASES else text[:MOST_CASES] + "\n(… and more)"
