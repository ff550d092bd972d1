"""``underspec image``: root trees that sandboxes show, the same on every machine, and agents' programs beside them."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Self

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, echo_folded, print_json, run_async

if TYPE_CHECKING:
    from underspec.sandbox.images.agents.layer import LayerDocument
    from underspec.sandbox.images.store import ImageDocument

app = typer.Typer(
    name="image",
    no_args_is_help=True,
    help="Root trees for sandboxes, made by recipes so that results are comparable between machines, and the programs "
    "of agents, each to be shown in any of them.",
)
_MIB = 1024**2


@app.command("build")
@command
def build(
    names: list[str] = typer.Argument(None, metavar="[NAME]...", help="Images of the catalogue, and agents."),
    all_base: bool = typer.Option(False, "--all-base", help="Every image that Debian packages can serve."),
    from_docker: str = typer.Option("", "--from-docker", help="Take the file system of this Docker image instead."),
    all_agents: bool = typer.Option(False, "--all-agents", help="The program of every agent that has one."),
    provisioned: list[str] = typer.Option(
        [], "--provisioned", help="A task: its base image, which must be there, with what its recipe lays over it."
    ),
    again: bool = typer.Option(False, "--again", help="Make it even when it is there."),
    mirror: str = typer.Option("", "--mirror", help="Address of a Debian mirror; debootstrap's own when left out."),
    sandbox: str = SANDBOX_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Make images under $UNDERSPEC_HOME/images. Needs root and debootstrap; takes a minute or two each.

    The name of an agent makes its program, of packages of npm or PyPI named by version and hash, under
    $UNDERSPEC_HOME/agents; it is tried in a sandbox. What is there already, and was made by the same recipe, is left
    alone.

    Example: underspec image build python javascript claude-code
    """
    from underspec.errors import UsageError
    from underspec.sandbox.images.agents.recipe import agent_catalogue
    from underspec.sandbox.images.build import build_from_docker, build_image
    from underspec.sandbox.images.recipe import catalogue

    wanted = list(dict.fromkeys(names or []))
    if all_base:
        wanted += [each.name for each in catalogue().values() if each.unavailable is None and each.name not in wanted]
    agents = agent_catalogue()
    if all_agents:
        wanted += [name for name in agents if name not in wanted]
    if not wanted and not provisioned:
        raise UsageError("say which images to build", mend="name them, as `underspec image list` does, or --all-base")
    if from_docker and (len(wanted) != 1 or mirror or wanted[0] in agents):
        raise UsageError("--from-docker makes one image, and of no mirror", mend="give one name and no --mirror")
    made: list[ImageDocument | LayerDocument] = []
    for name in wanted:
        document: ImageDocument | LayerDocument
        with _Progress(name) as say:
            if from_docker:
                document = build_from_docker(name, from_docker, on_progress=say)
            elif name in agents:
                document = _build_agent(name, sandbox, again=again, mirror=mirror or None, say=say)
            else:
                document = build_image(name, again=again, mirror=mirror or None, on_progress=say)
        made.append(document)
        if not as_json:
            typer.echo(f"{name}: {document.bytes // _MIB} MiB in {document.files} files, {document.digest}")
    for task in provisioned:
        document = _build_provisioned(task)
        made.append(document)
        if not as_json:
            typer.echo(f"{document.name}: {document.bytes // _MIB} MiB in {document.files} files, {document.digest}")
            typer.echo(f'in its task.toml: [image] provisioned = "{document.name}"')
    if as_json:
        about = [(document.name in agents, _about(document)) for document in made]
        print_json({"images": [each for is_agent, each in about if not is_agent], "agents": [e for a, e in about if a]})


def _build_provisioned(task: str) -> ImageDocument:
    from underspec.sandbox.images.provisioned import build_provisioned, provisioned_name
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task

    loaded = load_task(find_task(task))
    with _Progress(provisioned_name(loaded)) as say:
        return build_provisioned(loaded, on_progress=say)


def _build_agent(name: str, sandbox: str, *, again: bool, mirror: str | None, say: _Progress) -> LayerDocument:
    from underspec.cli.common import ready_backend
    from underspec.sandbox.images.agents.build import build_layer

    return run_async(build_layer(name, ready_backend(sandbox), again=again, mirror=mirror, on_progress=say))


class _Progress:
    """Steps on stderr with the seconds since the start: on a terminal one line that changes, elsewhere a line each."""

    def __init__(self, name: str) -> None:
        from rich.console import Console

        self._name = name
        self._began = time.monotonic()
        self._step = ""
        console = Console(file=sys.stderr)
        self._status = console.status(f"{name}: starting") if console.is_terminal else None

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, words: str) -> None:
        """``words`` are a step, or a step, a colon and what it is at."""
        from rich.markup import escape

        from underspec.report.terminal import plain

        step, seconds = words.partition(": ")[0], int(time.monotonic() - self._began)
        if self._status is not None:
            self._status.update(escape(plain(f"{self._name}, {seconds} s: {words}")[:100]))
        elif step != self._step:
            print(f"{self._name}, {seconds} s: {step}", file=sys.stderr, flush=True)
        self._step = step


def _about(document: ImageDocument | LayerDocument) -> dict[str, Any]:
    return {**document.model_dump(mode="json", exclude={"seal", "schema_version"}), "digest": document.digest}


@app.command("list")
@command
def list_images(as_json: bool = JSON_OPTION) -> None:
    """Say which images and agents' programs there are recipes for, and which are on this machine."""
    from underspec.sandbox.images.agents.listing import listed_agents
    from underspec.sandbox.images.listing import listed

    rows, agents = listed(), listed_agents()
    if as_json:
        print_json({"images": rows, "agents": agents})
        return
    for row in [*rows, *agents]:
        built = row["built"]
        if built:
            state = f"{built['bytes'] // _MIB} MiB  {built['digest'][:19]}…"
            if not built["current"]:
                state += "  (made by another recipe)"
        elif row["damaged"]:
            state = "damaged; remove its folder and build it again"
        else:
            state = "not built" if row["available"] else "from a Docker image only"
        what = "agent" if "program" in row else row["language"] or "-"
        typer.echo(f"{row['name']:<14} {what:<11} {row['version'] or '-':<8} {state}")


@app.command("verify")
@command
def verify(
    name: str = typer.Argument(..., help="An image on this machine."),
    task: str = typer.Option("", "--task", help="See also that it holds nothing called like this task's golden code."),
    sandbox: str = SANDBOX_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """See whether an image is still what was made, and try its language in a sandbox.

    Exit code 1 when something is wrong with it, 3 when it is not on this machine.
    """
    from underspec.cli.common import ready_backend
    from underspec.sandbox.images.store import read_image
    from underspec.sandbox.images.verify import verify_image
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task

    document = read_image(name)
    loaded = load_task(find_task(task)) if task else None
    findings = run_async(verify_image(name, ready_backend(sandbox), task=loaded))
    fine = all(finding.ok for finding in findings)
    if as_json:
        print_json(
            {
                "image": name,
                "ok": fine,
                "digest": document.digest,
                "checks": [{"name": each.name, "ok": each.ok, "detail": each.detail} for each in findings],
            }
        )
    else:
        from underspec.report.terminal import plain

        for each in findings:
            echo_folded(plain(f"{'ok' if each.ok else 'WRONG':>5}  {each.name}: {each.detail}"), indent=7)
    if not fine:
        raise typer.Exit(1)
