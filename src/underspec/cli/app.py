"""The application: which commands there are. Each command lives in a file of its own and imports late."""

from __future__ import annotations

import typer

from underspec.cli import (
    annotate,
    compare,
    construct,
    construct_commission,
    demo,
    doctor,
    exhibits,
    export,
    grade,
    image,
    keys,
    label,
    prompts,
    report,
    review,
    run,
    selftest,
    serve,
    stakeholder,
    structure,
    tasks,
)

app = typer.Typer(
    name="underspec",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Measures how well coding agents build software from requests that leave things out.\n\n"
        "Start with `underspec demo`, which needs no account and no model. Then `underspec tasks list` shows what "
        "there is to build, `underspec run --task data-sizes --agent asker` runs it, and `underspec report` shows "
        "the result."
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        from underspec import __version__

        typer.echo(f"underspec {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", help="Show the version.", callback=_version, is_eager=True),
) -> None:
    pass


app.command("demo", short_help="Four scripted agents build one real small library.")(demo.demo)
app.command("doctor", short_help="Say what works on this machine, and what to install.")(doctor.doctor)
app.add_typer(tasks.app, name="tasks")
app.command("run", short_help="Let agents build, grade what they hand over, report.")(run.run)
app.command("show", short_help="One item: how it was built, what was asked, what failed.")(report.show)
app.command("grade", short_help="Grade one deliverable on one task in fresh sandboxes.")(grade.grade)
app.command("structure", short_help="Compare two source trees: sizes, and names of what they define.")(
    structure.structure
)
app.command("review", short_help="Let a model score a deliverable beside the golden sources.")(review.review)
app.command("report", short_help="Turn a run into a table and a page to hand on.")(report.report)
app.command("compare", short_help="Say whether one run or condition is better than another, and how sure that is.")(
    compare.compare
)
app.command("selftest", short_help="Try to fool this installation: hostile work beside honest twins.")(
    selftest.selftest
)
app.command("keys", short_help="Hand keys to workers of a cluster on this node.")(keys.keys)
app.command("exhibits", short_help="The tables and figures of both papers for one's own runs.")(exhibits.exhibits)
app.command("label", short_help="After a run: label replies by a model or by hand.")(label.label)
app.command("export", short_help="Write runs as tables, documents and trajectories.")(export.export)
app.add_typer(annotate.app, name="annotate", short_help="See how far people agree with critic and judge.")
stakeholder.app.command("serve", short_help="Answer questions about tasks over HTTP.")(serve.serve)
app.add_typer(stakeholder.app, name="stakeholder")
app.add_typer(prompts.app, name="prompts")
app.add_typer(image.app, name="image", short_help="Root trees for sandboxes, and agents' programs.")
construct_commission.add_to(construct.app)
app.add_typer(construct.app, name="construct", short_help="Turn a repository or a commission into a task.")


def main() -> None:
    """Entry point of the ``underspec`` command."""
    app()
