"""``underspec annotate``: people rate what a critic or a judge has rated, and how far they agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, echo_folded, print_json

if TYPE_CHECKING:
    from underspec.report.human.agreement import Agreement
    from underspec.report.human.study import Study

app = typer.Typer(no_args_is_help=True, help="Let people rate what models rated, and see how far they agree.")
_STUDY = typer.Argument(..., metavar="STUDY", help="The study's folder.")


@app.command("sample", short_help="Sample what people are to rate.")
@command
def sample(
    run: list[Path] = typer.Argument(..., metavar="RUN...", help="Folders or names of runs."),
    number: int = typer.Option(..., "--number", "-n", min=1, help="How many deliverables, or sets of answers."),
    out: Path = typer.Option(..., "--out", help="Folder of the new study."),
    of: str = typer.Option("critic", "--of", help="critic: rate deliverables. judge: label requirement answers."),
    seed: int = typer.Option(0, "--seed", help="Another seed draws others."),
    unscored: bool = typer.Option(False, "--unscored", help="Also what no critic, or judge, has scored yet."),
    runs: Path = RUNS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Sample what people are to rate, from one or several runs, spread over their conditions.

    Writes STUDY/key.json, which says whose each sample is: keep it from annotators. Then make their sheets with
    `underspec annotate sheets STUDY`.

    Example: underspec annotate sample main lite --number 200 --out validation
    """
    from underspec.cli.report import run_folder
    from underspec.errors import UsageError
    from underspec.report.human.sampling import sample_study
    from underspec.report.human.study import KEY, Study

    if of not in ("critic", "judge"):
        raise UsageError(f"--of {of[:40]}: there is nothing of that name to validate", mend="critic or judge")
    folders = [run_folder(each, runs) for each in run]
    key = sample_study(folders, "critic" if of == "critic" else "judge", number, seed, unscored=unscored)
    Study(out).begin(key)
    document = {
        "study": key.study,
        "kind": key.kind,
        "key": str(out / KEY),
        "samples": len(key.samples),
        "strata": [each.model_dump(mode="json") for each in key.strata],
        "excluded": key.excluded,
    }
    if as_json:
        print_json(document)
        return
    typer.echo(f"study {key.study}: {len(key.samples)} samples; keep {out / KEY} from annotators")
    for each in key.strata:
        model = f", {each.model}" if each.model else ""
        typer.echo(_plain(f"  {each.agent}{model} ({each.condition[:8]}): {each.sampled} of {each.eligible}"))
    for why, count in key.excluded.items():
        typer.echo(f"  left out {count}: {why}")


@app.command("sheets", short_help="Write what annotators get: rubric, material, sheets.")
@command
def sheets(
    study: Path = _STUDY,
    annotators: int = typer.Option(3, "--annotators", min=1, max=100, help="How many people, called A1, A2, ..."),
    annotator: list[str] = typer.Option([], "--annotator", help="A person's name in the sheets; may be repeated."),
    task: list[str] = typer.Option([], "--task", help="Where a task lies that is not bundled; may be repeated."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write what annotators get: the rubric, the material by sample, and a sheet each as CSV and as a page.

    Give them the folder STUDY/handout and nothing else. Names of agents and models are covered; what stands in files
    that are no text cannot be, and is counted.
    """
    from dataclasses import asdict

    from underspec.report.human.study import Study
    from underspec.run.plan import Tasks
    from underspec.run.prepare import load_tasks
    from underspec.task.catalog import bundled_tasks
    from underspec.task.load import load_task

    known = {folder.name: folder for folder in bundled_tasks()} | (load_tasks(task).paths if task else {})
    names = annotator or [f"A{place}" for place in range(1, annotators + 1)]
    tasks = Tasks(known, load_task)
    made = Study(study).hand_out(names, tasks.__getitem__, lambda words: typer.echo(words, err=True))
    if as_json:
        print_json(
            {
                "handout": str(made.folder),
                "annotators": list(made.annotators),
                "samples": made.samples,
                "covered": asdict(made.covered),
            }
        )
        return
    typer.echo(f"{made.samples} samples for {', '.join(made.annotators)} in {made.folder}; give them that folder alone")
    covered = made.covered
    if covered.names or covered.traces or covered.links:
        typer.echo(
            f"  {covered.names} names of programs and models covered, {covered.traces} files of programs for "
            f"themselves and {covered.links} links left out"
        )
    if covered.uncovered:
        typer.echo(f"  {covered.uncovered} names stand in files that are no text, and are not covered: look at them")


@app.command("import", short_help="Import filled sheets, as often as they come.")
@command
def import_sheets(
    study: Path = _STUDY,
    files: list[Path] = typer.Argument(..., metavar="FILE...", help="Sheets that came back, as CSV."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Import filled sheets, also partly filled ones, as often as they come.

    An empty cell takes nothing away; a changed one replaces, and what it said before is kept. Where anything is wrong
    with a sheet, each place is named, nothing at all is imported, and the exit code is 1.
    """
    from dataclasses import asdict

    from underspec.report.human.study import Study

    found = Study(study)
    imported = found.take(files)
    if as_json:
        print_json(
            {
                "imported": not imported.errors,
                "errors": [asdict(error) for error in imported.errors],
                "sheets": imported.sheets,
                "progress": _progress(found),
            }
        )
    else:
        for error in imported.errors:
            typer.echo(_plain(f"error: {error}"), err=True)
        for each in imported.sheets:
            words = ", ".join(f"{each[name]} {name}" for name in ("new", "same", "changed"))
            typer.echo(
                _plain(f"{each['file']}: {each['annotator']}, {each['rows']} rows, {each['begun']} begun: {words}")
            )
        if not imported.errors:
            for name, (filled, of) in _progress(found).items():
                typer.echo(_plain(f"  {name}: {filled} of {of} filled in"))
    if imported.errors:
        raise typer.Exit(1)


def _progress(study: Study) -> dict[str, tuple[int, int]]:
    key, scores = study.key(), study.scores()
    rows = scores.ratings if key.kind == "critic" else scores.labels
    cells = len(key.samples) if key.kind == "critic" else sum(len(each.units) for each in key.samples)
    return {name: (sum(each.filled for each in rows if each.annotator == name), cells) for name in scores.annotators}


@app.command("agreement", short_help="Say how far models and people agree.")
@command
def agreement(study: Path = _STUDY, as_json: bool = JSON_OPTION) -> None:
    """Say how far the critic, or the judge, agrees with people, and people with each other.

    For a critic: Pearson's r, errors and ICCs in each dimension (ICAE Table XVI). For a judge: confusion and kappa.
    Sheets need not be complete; what is missing is counted.
    """
    from underspec.report.human.agreement import agreement_document
    from underspec.report.human.study import Study

    found = Study(study).agreement()
    if as_json:
        print_json(agreement_document(found))
    else:
        echo_folded(_text(found))


def _text(found: Agreement) -> str:
    from underspec.report.human.exhibit import human_table
    from underspec.report.human.text import table_text

    filled = ", ".join(f"{name} {number} of {found.cells}" for name, number in found.filled.items())
    return _plain(f"{table_text(human_table(found))}\nfilled in: {filled}")


def _plain(text: str) -> str:
    from underspec.report.terminal import plain

    return plain(text)
