"""The application: which commands there are. Each command lives in a file of its own and imports late."""

from __future__ import annotations

import typer

from underspec.cli import demo, doctor, grade, prompts, report, run, stakeholder, tasks

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


app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.add_typer(tasks.app, name="tasks")
app.command("run")(run.run)
app.command("show")(report.show)
app.command("grade")(grade.grade)
app.command("report")(report.report)
app.add_typer(stakeholder.app, name="stakeholder")
app.add_typer(prompts.app, name="prompts")


def main() -> None:
    """Entry point of the ``underspec`` command."""
    app()
