"""``underspec tasks``: list, show, validate, import-icae."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, print_json, run_async
from underspec.cli.import_icae import import_icae

if TYPE_CHECKING:
    from underspec.artifact.condition import Exposure

app = typer.Typer(no_args_is_help=True, help="Look at tasks and check them.", rich_markup_mode=None)

_TASKS = typer.Argument(None, help="Task ids, task folders, or folders of tasks; all bundled tasks when left out.")


@app.command("list")
@command
def list_tasks(tasks: list[str] = _TASKS, as_json: bool = JSON_OPTION) -> None:
    """List the tasks there are."""
    from underspec.task.catalog import find_tasks
    from underspec.task.load import read_toml

    rows: list[dict[str, Any]] = []
    for path in find_tasks(tasks or []):
        toml = read_toml(path)
        rows.append(
            {
                "id": toml.id,
                "family": toml.family,
                "category": toml.category,
                "language": toml.language,
                "title": toml.title,
                "path": str(path),
            }
        )
    if as_json:
        print_json({"tasks": rows})
        return
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    from underspec.report.terminal import plain, report_console

    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, padding=0, show_edge=False)
    console = report_console()
    room = console.width
    for name in ("id", "family", "category", "language"):
        width = max((cell_len(plain(row[name])) for row in rows), default=0)
        table.add_column(name.capitalize(), no_wrap=True, min_width=width)
        room -= max(width, len(name)) + 1
    # Whoever wants a task types its id; a title that is cut can be read with `tasks show`.
    table.add_column("Title", no_wrap=True, overflow="ellipsis", max_width=max(room, 10))
    for row in rows:
        table.add_row(*(plain(row[name]) for name in ("id", "family", "category", "language", "title")))
    console.print(table)


@app.command("show")
@command
def show_task(
    task: str = typer.Argument(..., help="Task id or folder."),
    exposure: str = typer.Option(
        "", "--exposure", help="Which request to print: L1, L2, L3, ground or recovered; initial or ground."
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Show one task: its facts, and the request at one exposure."""
    from underspec.errors import UsageError
    from underspec.task import release
    from underspec.task.catalog import find_task
    from underspec.task.load import load_task

    loaded = load_task(find_task(task))
    is_commission = loaded.toml.family == "commission"
    known = sorted(loaded.requests if is_commission else {*loaded.requests, "recovered"})
    exposure = exposure or ("initial" if is_commission else "L1")
    if exposure not in known:
        raise UsageError(f"task {loaded.id} has no exposure {exposure!r}", mend=f"choose one of {', '.join(known)}")
    request = release.request_text(loaded, cast("Exposure", exposure))
    levels = loaded.records.levels if loaded.records else {}
    document = {
        "id": loaded.id,
        "title": loaded.toml.title,
        "family": loaded.toml.family,
        "category": loaded.toml.category,
        "language": loaded.toml.language,
        "digest": loaded.digest,
        "cases": {name: suite.total for name, suite in loaded.suites.items()},
        "records": {level: len(known.records) for level, known in levels.items()},
        "units": [unit.id for unit in loaded.units.units] if loaded.units else [],
        "tests": len(loaded.units.tests) if loaded.units else 0,
        "limits": loaded.toml.limits.model_dump(mode="json"),
        "exposure": exposure,
        "request": request,
    }
    if as_json:
        print_json(document)
        return
    from underspec.report.terminal import plain

    cases = ", ".join(f"{name} {total}" for name, total in document["cases"].items())  # type: ignore[attr-defined]
    records = ", ".join(f"{level} {number}" for level, number in document["records"].items())  # type: ignore[attr-defined]
    typer.echo(plain(f"{loaded.id}: {loaded.toml.title}"))
    typer.echo(
        plain(f"{loaded.toml.family}, {loaded.toml.category}, {loaded.toml.language}; digest {loaded.digest[:16]}")
    )
    if levels or not is_commission:
        typer.echo(f"cases: {cases}")
        typer.echo(f"records: {records}")
    if loaded.units:
        typer.echo(plain(f"requirement units: {', '.join(document['units'])}"))  # type: ignore[arg-type]
        typer.echo(f"acceptance tests: {document['tests']}")
    typer.echo(f"\n--- request at exposure {exposure} ---\n")
    typer.echo(plain(request))


@app.command("validate", short_help="Check tasks; with --golden and --variants, run what they come with.")
@command
def validate_tasks(
    tasks: list[str] = _TASKS,
    golden: bool = typer.Option(
        False, "--golden", help="Also grade the golden implementation (must pass everything) and an empty deliverable."
    ),
    variants: bool = typer.Option(
        False, "--variants", help="Also accept the starter files and every variant of tasks with requirement units."
    ),
    sandbox: str = SANDBOX_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Check all that can be known of a task without running it; with --golden, run its golden implementation too.

    With --variants, private acceptance tests are run: the reference and an equivalent implementation must pass all of
    them, each incorrect one must be rejected by the tests of its unit, and the starter files must pass no unit.

    Exit code 1 when anything is wrong.
    """
    from underspec.cli.validation import validate, variant_lines
    from underspec.report.terminal import plain
    from underspec.task.catalog import find_tasks

    results = run_async(
        validate(find_tasks(tasks or []), golden=golden, variants=variants, backend_name=sandbox, progress=_progress)
    )
    valid = all(result["valid"] for result in results)
    if as_json:
        print_json({"valid": valid, "tasks": results})
    else:
        for result in results:
            typer.echo(plain(f"{result['id']}: {'valid' if result['valid'] else 'NOT VALID'}"))
            for finding in result["findings"]:
                place = ": ".join(part for part in (finding["file"], finding["where"]) if part)
                typer.echo(plain(f"  {finding['severity']}: {place}: {finding['message']}"))
                if finding["mend"]:
                    typer.echo(plain(f"    mend: {finding['mend']}"))
            if result["golden"]:
                overall, empty = result["golden"]["overall"], result["golden"]["empty"]
                typer.echo(f"  golden implementation: {overall['passed']} of {overall['total']} cases pass")
                typer.echo(f"  empty deliverable: {empty['passed']} of {empty['total']} cases pass")
            for line in variant_lines(result["variants"]):
                typer.echo(plain(f"  {line}"))
    if not valid:
        raise typer.Exit(1)


def _progress(line: str) -> None:
    from underspec.report.terminal import plain

    typer.echo(plain(line), err=True)


app.command("import-icae", short_help="Make task folders of the published ICAE-Bench data.")(import_icae)


@app.command("manifest")
@command
def write_task_manifest(
    task: str = typer.Argument(..., help="Task folder."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Write a task's MANIFEST.sha256, so that a damaged copy of the task is noticed. Do it after the last change."""
    from underspec.task.catalog import find_task
    from underspec.task.digest import write_manifest

    path = find_task(task)
    write_manifest(path)
    if as_json:
        print_json({"task": path.name, "manifest": str(path / "MANIFEST.sha256")})
    else:
        typer.echo(f"wrote {path / 'MANIFEST.sha256'}")
