"""``underspec grade``: what is a deliverable worth?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, print_json, run_async

if TYPE_CHECKING:
    from underspec.grade.grader import Grade

_RETRIES = 2  # as a run does: a sandbox that fails is nobody's score


@command
def grade(
    task: str = typer.Option(..., "--task", help="Task id or folder."),
    submission: Path = typer.Option(..., "--submission", help="The deliverable: a folder holding rcb_tests/test.sh."),
    sandbox: str = SANDBOX_OPTION,
    image: str = typer.Option("", "--image", help="Image to grade in; the task's own when left out."),
    compare: Literal["bytes", "published"] = typer.Option(
        "bytes", "--compare", help="Compare byte for byte, or as the released harness of ICAE-Bench does."
    ),
    by_tests: bool = typer.Option(
        False, "--by-tests", help="Accept or reject it by private tests, where the task has cases as well."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Grade one deliverable on one task in fresh sandboxes. The folder is not changed.

    Exit code 0 when it was graded, whatever the score; 1 when the task is bad or there is no score; 2 when there is no
    such folder.

    What a deliverable must hold: `underspec prompts show`, under "What to hand over". What was made for a commission
    is accepted or rejected by its private tests instead, and so is anything with --by-tests.
    """
    from underspec.artifact.outcomes import Unscored
    from underspec.cli.accepting import accept_and_tell, has_tests_alone
    from underspec.cli.common import ready_backend
    from underspec.errors import HarnessError, SandboxError, UsageError
    from underspec.grade.compare import BYTES
    from underspec.grade.grader import grade_in_full
    from underspec.grade.published import COLUMNS, PUBLISHED
    from underspec.grade.view import grade_document, unscored_document
    from underspec.sandbox.protocol import Owner
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task

    loaded = load_task(find_task(task))
    backend = ready_backend(sandbox)
    backend.reap()
    if by_tests and loaded.units is None:
        raise UsageError(f"task {loaded.id} has no private tests", mend="leave --by-tests out")
    if by_tests or has_tests_alone(loaded):
        accept_and_tell(loaded, submission, backend, image=image or loaded.toml.image.base, as_json=as_json)
        return

    async def patiently() -> Grade:
        for _ in range(_RETRIES):
            try:
                return await once()
            except SandboxError as error:
                typer.echo(f"{error}; trying again", err=True)
        return await once()

    async def once() -> Grade:
        return await grade_in_full(
            loaded,
            submission,
            backend,
            image=image or loaded.toml.image.base,
            owner=Owner(run="grade", purpose=loaded.id),
            on_progress=None if as_json else lambda words: typer.echo(words, err=True),
            comparison=PUBLISHED if compare == "published" else BYTES,
        )

    try:
        outcomes = run_async(patiently()).outcomes
    except (SandboxError, HarnessError) as error:
        # Not the deliverable's doing: no score, and not 0 either.
        if as_json:
            print_json(unscored_document(loaded, Unscored(boundary=error.boundary, reason=str(error))))
        raise
    document = grade_document(outcomes)
    if compare == "published":
        document["published_columns"] = COLUMNS
    if as_json:
        print_json(document)
        return
    from underspec.report.terminal import percent, plain

    for name, suite in document["suites"].items():
        states = f"  [{', '.join(suite['states'])}]" if suite["states"] else ""
        typer.echo(f"{name:9} {percent(suite['rate']):>6} %  {suite['passed']} of {suite['total']}{states}")
    overall = document["overall"]
    typer.echo(f"{'overall':9} {percent(overall['rate']):>6} %  {overall['passed']} of {overall['total']}")
    if any("no_test" in suite["states"] for suite in document["suites"].values()):
        typer.echo("no_test: the folder holds no rcb_tests/test.sh; `underspec prompts show` says what that must do")
    if compare == "published":
        typer.echo("compared as published, where `hidden` is the name of the whole native suite")
    for note in outcomes.notes:
        typer.echo(plain(f"note: {note}"))
