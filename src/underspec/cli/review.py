"""``underspec review``: what does a model say of a deliverable beside the golden sources?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import JSON_OPTION, command, print_json, run_async

if TYPE_CHECKING:
    from underspec.artifact.review import Review
    from underspec.model.ledger import Ledger

_WORDS = {"semantic": "behaviour", "api": "public interface", "design": "design"}


@command
def review(
    task: str = typer.Option(..., "--task", help="Task id or folder."),
    submission: Path = typer.Option(..., "--submission", help="The deliverable: a folder."),
    model: str = typer.Option(..., "--model", help="The critic's model, as provider/name or scripted/FILE."),
    repeats: int = typer.Option(1, "--repeats", min=1, max=100, help="Verdicts for each score, to see their spread."),
    budget: int = typer.Option(0, "--budget", min=0, help="Estimated tokens of source code in one prompt."),
    golden: Path | None = typer.Option(None, "--golden", help="A folder of golden sources, in place of the task's."),
    language: str = typer.Option("", "--language", help="The generated language, where it is not the task's."),
    prompts: Path | None = typer.Option(None, "--prompts", help="A folder with prompts of your own, as critic/api.md."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Let a model score a deliverable beside the golden sources: behaviour, public interface, design, each 0 to 1.

    Nothing is run: source files are read, and sent to the model. Tests, build output, vendored and generated code are
    left out. Exit code 0 when all three are scored, 1 when one is not.

    What the model is told: `underspec prompts show critic`.
    """
    from underspec.errors import UsageError
    from underspec.grade.critic.critic import BUDGET, Critic
    from underspec.grade.critic.view import review_document
    from underspec.model.ledger import Ledger
    from underspec.model.models import open_model
    from underspec.model.roles import Role
    from underspec.model.spec import make_spec
    from underspec.phase.review import model_name, read_subject
    from underspec.prompts.critic import critic_prompts
    from underspec.task import release
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task

    for path, option in ((submission, "--submission"), (golden, "--golden")):
        if path is not None and not path.is_dir():
            raise UsageError("there is no such folder", file=str(path), where=option, mend="name a folder of sources")
    loaded = load_task(find_task(task))
    spec = make_spec(model)
    told = critic_prompts(override=prompts)
    sources = golden.resolve() if golden is not None else release.golden_sources(loaded)
    subject = read_subject(loaded, sources, submission.resolve(), language=language or None, deliverable_sha256=None)
    ledger = Ledger.in_memory()

    async def ask() -> Review:
        critic = Critic(
            model=open_model(spec, role=Role.CRITIC, phase="review", ledger=ledger),
            name=model_name(spec),
            prompts=told,
            repeats=repeats,
            budget=budget or BUDGET,
            on_progress=lambda words: typer.echo(words, err=True),
        )
        return await critic.review(subject)

    found = run_async(ask())
    document = review_document(found) | {"spent": _spent(ledger)}
    if as_json:
        print_json(document)
    else:
        _print(document, model)
    if not found.scored:
        raise typer.Exit(1)


def _spent(ledger: Ledger) -> dict[str, Any]:
    from underspec.artifact.ledger import spending

    spent = spending(ledger.calls)
    return {"calls": spent.calls, "tokens": spent.tokens, "output": spent.output, "cost": spent.cost}


def _print(document: dict[str, Any], model: str) -> None:
    from underspec.cli.common import echo_folded
    from underspec.report.terminal import plain

    for name, score in document["scores"].items():
        repeats, scored = score["repeats"], score["score"] is not None
        spread = f"  sd {repeats['sd']:.3f} over {repeats['scored']}" if repeats["sd"] is not None else ""
        typer.echo(f"{_WORDS[name]:18}{score['score']:.3f}{spread}" if scored else f"{_WORDS[name]:18}not scored")
        said = score["rationale"] if scored else score["unscored"]["reason"]
        echo_folded(plain(f"  {said}".replace("\n", "\n  ")))
        for side in ("golden", "generated"):
            shown = score["shown"][side]
            if shown["cut"] or shown["left_out"]:
                typer.echo(f"  {side}: {shown['whole']} of {shown['files']} files shown whole, {shown['cut']} cut")
        typer.echo("")
    for side in ("golden", "generated"):
        for note in document[side]["notes"]:
            typer.echo(plain(f"{side}: {note}"))
    spent = document["spent"]
    cost = "cost unknown" if spent["cost"] is None else f"${spent['cost']:.4f}"
    typer.echo(plain(f"{model}: {spent['calls']} calls, {cost}"))
