"""``underspec run``: plan, execute, report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, SANDBOX_OPTION, command, echo_folded, print_json, run_async

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from underspec.report.collect import Collected
    from underspec.run.experiment import Experiment
    from underspec.run.plan import Tasks
    from underspec.run.prepare import Prepared
    from underspec.run.store import RunStore

_LITTLE_DISK = 1024**3


@command
def run(
    task: list[str] = typer.Option([], "--task", help="Task id or folder; may be repeated."),
    preset: str = typer.Option(
        "",
        "--preset",
        help="Settings of a paper, which other flags may change: icae or swe-clar; `--preset ?` lists.",
    ),
    agent: list[str] = typer.Option(
        [],
        "--agent",
        help="Agent, such as react, claude-code, asker or golden; may be repeated. `underspec doctor` lists them.",
    ),
    model: list[str] = typer.Option(
        [], "--model", help="The agent's model, as provider/name, or scripted/FILE; may be repeated."
    ),
    thinking: list[str] = typer.Option(
        [], "--thinking", help="off, adaptive, a number of tokens, or max; the provider's default; may be repeated."
    ),
    agent_command: str = typer.Option("", "--agent-command", help="What the agent 'command' runs, in bash."),
    exposure: list[str] = typer.Option(
        [], "--exposure", help="How much the request shows: L1, L2, L3, ground, recovered; may be repeated."
    ),
    budget: list[int] = typer.Option([], "--budget", help="Questions allowed; 16 by default; may be repeated."),
    router: list[str] = typer.Option([], "--router", help="Who finds the records; may be repeated."),
    stakeholder_model: list[str] = typer.Option(
        [], "--stakeholder-model", help="The stakeholder's model, for routers that work with one; may be repeated."
    ),
    protocol: list[str] = typer.Option(
        [], "--protocol", help="build (default), clarify-first or continued; may be repeated."
    ),
    information: list[str] = typer.Option(
        [],
        "--information",
        help="What an agent learns that clarifies: none, standard (what it asks for) or complete; may be repeated.",
    ),
    most_rounds: list[int] = typer.Option(
        [], "--most-rounds", help="Most questions while one clarifies; any number by default; may be repeated."
    ),
    most_revisions: list[int] = typer.Option(
        [],
        "--most-revisions",
        help="Revisions of one reply before its round has failed; 3 by default; may be repeated.",
    ),
    native_history: bool = typer.Option(
        False,
        "--native-history",
        help="Build on from the agent's own messages in place of the frozen context (react).",
    ),
    judge_model: str = typer.Option("", "--judge-model", help="Who labels answers to requirement questions."),
    judge_reviews: int = typer.Option(None, "--judge-reviews", min=1, help="How often each answer is judged; 1."),
    structure: bool = typer.Option(
        None,
        "--structure/--no-structure",
        help="Compare deliverables with a task's golden sources, where it has any; on unless an experiment says else.",
    ),
    critic_model: str = typer.Option(
        "", "--critic-model", help="Who reviews deliverables beside golden sources, after all scores; nobody."
    ),
    critic_repeats: int = typer.Option(
        None, "--critic-repeats", min=1, max=100, help="Verdicts of the critic for each of its three scores; 1."
    ),
    network: list[str] = typer.Option(
        [], "--network", help="What a builder reaches: none (default), registries or open; may be repeated."
    ),
    grade_network: list[str] = typer.Option(
        [], "--grade-network", help="What a deliverable reaches while it is graded: none (default), registries or open."
    ),
    scaffold: bool = typer.Option(False, "--scaffold", help="Put the public case files into the workspace."),
    image: list[str] = typer.Option(
        [], "--image", help="Which of a task's images: base (default) or provisioned; may be repeated."
    ),
    use_image: str = typer.Option(
        "",
        "--use-image",
        help="Use this image in place of every task's base image, for results that compare between machines; "
        "'language' takes the one that `underspec image list` has for each task's language.",
    ),
    build_seconds: int = typer.Option(
        None, "--build-seconds", min=1, help="Time an agent has, in seconds; 7200 by default."
    ),
    max_tokens: int = typer.Option(None, "--max-tokens", min=1, help="Tokens of one build's model, in and out."),
    max_turns: int = typer.Option(None, "--max-turns", min=1, help="Answers of one build's model."),
    max_build_cost: float = typer.Option(None, "--max-build-cost", min=0, help="Dollars for one build's model."),
    max_cost: float = typer.Option(
        None, "--max-cost", min=0, help="Dollars for all models of the whole run; it stops there and can go on."
    ),
    prices: Path = typer.Option(None, "--prices", help="A file of prices in place of the packaged one."),
    registries: Path = typer.Option(
        None, "--registries", help="A file of what networks reach, beside or in place of the packaged lists."
    ),
    prompts: Path = typer.Option(
        None, "--prompts", help="A folder with prompts of your own, as client/rules.md; see `underspec prompts show`."
    ),
    epochs: int = typer.Option(
        None, "--epochs", min=1, help="How often each task is run under each condition; 1 by default."
    ),
    experiment: Path = typer.Option(
        None, "--experiment", help="An experiment.toml; flags that are given replace its parts."
    ),
    name: str = typer.Option("", "--run", help="Name of the run; made from the plan when left out."),
    runs: Path = RUNS_OPTION,
    sandbox: str = SANDBOX_OPTION,
    concurrency: int = typer.Option(
        None, "--concurrency", min=1, help="Items at once; the number of cores, at most 4, when left out."
    ),
    executor: str = typer.Option(
        "local", "--executor", help="local, or ray: items are spread over the nodes of a Ray cluster."
    ),
    address: str = typer.Option(
        "", "--address", help="The Ray cluster, such as auto or HOST:6379; one of this machine alone when left out."
    ),
    redo: list[str] = typer.Option(
        [], "--redo", help="Redo a stale phase (one whose inputs changed): build, clarify, implement, review, ..."
    ),
    retry_unscored: bool = typer.Option(False, "--retry-unscored", help="Try again items whose attempts are used up."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Count and price what would be done, and do nothing."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Let agents build, grade what they hand over, and report.

    The same command goes on where it was interrupted: finished work is never done twice. Exit code 0 when at least one
    item of the run was scored, whatever the score; 1 when none was.

    Example: underspec run --task data-sizes --agent eager --agent asker --budget 8 --budget 16

    Example: underspec run --preset icae --task data-sizes --agent claude-code --model anthropic/claude-sonnet-5
    """
    from underspec.cli.common import ready_backend
    from underspec.run.prepare import prepare
    from underspec.run.presets import load_presets, with_preset

    if preset == "?":
        presets = load_presets()
        if as_json:
            print_json({"presets": {each: found.model_dump(mode="json") for each, found in presets.items()}})
        else:
            echo_folded("\n".join(f"{each:<10}{found.says}" for each, found in presets.items()), 10)
        return
    grid: dict[str, list[Any]] = {
        key: list(values)
        for key, values in (
            ("agent", agent),
            ("exposure", exposure),
            ("budget", budget),
            ("router", router),
            ("image", image),
            ("model", model),
            ("thinking", thinking),
            ("stakeholder_model", stakeholder_model),
            ("protocol", protocol),
            ("information", information),
            ("most_rounds", most_rounds),
            ("most_revisions", most_revisions),
            ("network", network),
            ("grade_network", grade_network),
        )
        if values
    }
    given = {
        "scaffold": scaffold or None,
        "command": agent_command or None,
        "judge_model": judge_model or None,
        "judge_reviews": judge_reviews,
        "native_history": native_history or None,
        "build_seconds": build_seconds,
        "max_tokens": max_tokens,
        "max_turns": max_turns,
        "max_cost": max_build_cost,
    }
    fixed = {key: value for key, value in given.items() if value is not None}
    plan = with_preset(_experiment(experiment, task, grid, fixed, epochs), preset or None)
    plan = _beside(plan, structure, critic_model, critic_repeats)
    plan = plan if prompts is None else plan.model_copy(update={"prompts": str(prompts)})
    _known_phases(redo, critic=plan.critic_model is not None)
    _usable_name(name)
    settings: dict[str, Any] = {
        "runs": runs,
        "run": name or None,
        "redo": redo,
        "use_image": use_image or None,
        "max_cost": max_cost,
        "prices": prices,
        "registries": registries,
    }
    execute = _executor(executor, address, settings)
    prepared = prepare(plan, backend=ready_backend(sandbox), **settings)
    if dry_run:
        _tell_plan(prepared, as_json)
        return
    workers = concurrency or min(4, os.cpu_count() or 1)
    run_async(execute_with_progress(prepared, concurrency=workers, retry_unscored=retry_unscored, execute_on=execute))
    report_on(prepared, as_json)


def _executor(name: str, address: str, settings: dict[str, Any]) -> Callable[[Prepared], Awaitable[None]] | None:
    """What executes in place of the local executor; None for that one."""
    from underspec.errors import UsageError

    if name not in ("local", "ray"):
        raise UsageError(f"there is no executor {name!r}", mend="give --executor local or --executor ray")
    if name == "local":
        if address:
            raise UsageError("--address is of a Ray cluster", mend="give --executor ray too, or leave it out")
        return None

    async def on_ray(prepared: Prepared) -> None:
        from underspec.run.cluster.driver import execute_on_ray

        await execute_on_ray(prepared, settings, address=address or None, environment=os.environ)

    return on_ray


def _experiment(
    path: Path | None, tasks: list[str], grid: dict[str, list[Any]], fixed: dict[str, Any], epochs: int
) -> Experiment:
    from underspec.errors import UsageError
    from underspec.run.experiment import make_experiment, read_experiment

    if path is not None:
        read = read_experiment(path, tasks=tasks or None, epochs=epochs or None)
        kept = {key: value for key, value in read.condition.items() if key not in grid}
        merged = {key: values for key, values in read.grid.items() if key not in fixed}
        return read.model_copy(update={"condition": {**kept, **fixed}, "grid": {**merged, **grid}})
    if not tasks or "agent" not in grid:
        raise UsageError(
            "say what to build and who builds it",
            mend="give --task and --agent, or --experiment with an experiment.toml",
        )
    return make_experiment({"tasks": tasks, "condition": fixed, "grid": grid, "epochs": epochs or 1})


def _beside(plan: Experiment, structure: bool | None, critic_model: str, critic_repeats: int | None) -> Experiment:
    """The experiment with what is to stand beside its scores, as far as flags say so."""
    from underspec.errors import UsageError

    flags = {"structure": structure, "critic_model": critic_model or None, "critic_repeats": critic_repeats}
    plan = plan.model_copy(update={name: value for name, value in flags.items() if value is not None})
    if critic_repeats is not None and plan.critic_model is None:
        raise UsageError("--critic-repeats is of a critic", mend="give --critic-model too, or leave it out")
    return plan


def _tell_plan(prepared: Prepared, as_json: bool) -> None:
    from underspec.cli.dry_run import plan_document, plan_lines

    document = plan_document(prepared)
    if as_json:
        print_json(document)
    else:
        typer.echo("\n".join(plan_lines(document)))


def _known_phases(redo: list[str], *, critic: bool) -> None:
    from underspec.errors import UsageError
    from underspec.run.protocols import PAID

    for phase in redo:
        if phase not in PAID:
            mend = f"{', '.join(PAID)}; grading redoes itself"
            raise UsageError(f"--redo {phase}: there is no such phase to redo", mend=mend)
    if "review" in redo and not critic:
        raise UsageError("--redo review: nobody reviews", mend="give --critic-model too")


def _usable_name(name: str) -> None:
    import re

    from underspec.errors import UsageError

    if name and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise UsageError(f"{name!r} cannot name a run", mend="use letters, digits, '.', '_' and '-', at most 64")


async def execute_with_progress(
    prepared: Prepared,
    *,
    concurrency: int,
    retry_unscored: bool = False,
    execute_on: Callable[[Prepared], Awaitable[None]] | None = None,
) -> None:
    """Execute a prepared plan with progress on stderr, locally unless ``execute_on`` does it elsewhere."""
    from underspec.cli.progress import RunProgress
    from underspec.run.executor import execute, status
    from underspec.run.prepare import begin
    from underspec.run.protocols import PAID, PHASES

    _warn_of_little_disk(prepared.context.store.path)
    store = begin(prepared, concurrency=concurrency)
    if retry_unscored:
        for item in prepared.items:
            for phase in PHASES:
                store.phase(item, phase).forgive()
    with RunProgress(len(prepared.items)) as progress:
        prepared.context.progress = progress
        if execute_on is not None:
            await execute_on(prepared)
        else:
            await execute(prepared.context, prepared.items, concurrency=concurrency)
    states = [status(prepared.context, item).stale for item in prepared.items]
    stale, phases = sum(map(bool, states)), " ".join(f"--redo {phase}" for phase in PAID if phase in sum(states, ()))
    if stale:
        typer.echo(
            f"{stale} of {len(prepared.items)} items are stale: what they were made from has changed since "
            f"(task, agent, prompts, image). They were paid for and stay; {phases} makes them anew.",
            err=True,
        )


def _warn_of_little_disk(path: Path) -> None:
    import shutil

    existing = next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if free < _LITTLE_DISK:
        typer.echo(
            f"warning: only {free // 1024**2} MiB are free where {path} lies; a run that fills the disk stops, "
            "and goes on by the same command once there is room",
            err=True,
        )


def report_on(prepared: Prepared, as_json: bool) -> None:
    """Write and print the report of the whole run that a plan belongs to. Exit code 1 where nothing is scored."""
    from underspec.cli.nothing_scored import why_nothing_is_scored
    from underspec.report.collect import collect
    from underspec.report.terminal import plain

    store = prepared.context.store
    collected = collect(store)
    document, pages = write_report(store, prepared.context.tasks, collected=collected)
    show_report(document, store.path, as_json, pages)
    if (why := why_nothing_is_scored(collected)) is not None:
        typer.echo(plain(why), err=True)
        raise typer.Exit(1)


def write_report(
    store: RunStore, tasks: Tasks, *, show_hidden: bool = False, collected: Sequence[Collected] | None = None
) -> tuple[dict[str, Any], list[Path]]:
    """Write ``report.json`` and the page into the run's folder; returns the document and where the pages lie.

    With ``show_hidden`` there is a second page, which shows what was expected of hidden cases. ``collected`` are the
    run's items where they have been read.
    """
    from underspec.artifact.files import write_atomic
    from underspec.report.collect import collect
    from underspec.report.document import document_bytes, report_document
    from underspec.report.html.write import write_page
    from underspec.run.manifest import read_manifest

    manifest = read_manifest(store.path)
    collected = collect(store) if collected is None else collected
    document = report_document(store.path.name, collected, comparable=manifest["sandbox"]["comparable"])
    write_atomic(store.path / "report.json", document_bytes(document))
    pages = [
        write_page(store.path, document, manifest, collected, find_task=tasks.__getitem__, show_hidden=hidden)
        for hidden in ((False, True) if show_hidden else (False,))
    ]
    return document, pages


def show_report(document: dict[str, Any], path: Path, as_json: bool, pages: Sequence[Path] = ()) -> None:
    """Print a report and where it lies."""
    if as_json:
        print_json(document)
        return
    from underspec.report.beside_text import print_beside
    from underspec.report.terminal import print_report, report_console

    console = report_console()
    print_report(document, console)
    print_beside(document, console)
    for page in pages:
        typer.echo(f"as a page: {page}")
    typer.echo(f"everything lies in {path}\none item: underspec show --run {path} ITEM")
