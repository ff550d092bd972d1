"""``underspec tasks import-icae``: the published ICAE-Bench data as tasks."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from underspec.cli.common import JSON_OPTION, command, print_json

if TYPE_CHECKING:
    from underspec.task.finding import Finding
    from underspec.task.icae.importing import ImportResult

_EVERY = 20


@command
def import_icae(
    source: Path = typer.Argument(..., help="Checkout of the published data, with repo_alias.json and prd_json/."),
    out: Path = typer.Option(..., "--out", help="Folder for the task folders; an earlier import in it is renewed."),
    split: Literal["full", "lite"] = typer.Option(
        "full", "--split", help="All tasks, or the smallest by golden lines."
    ),
    size: int | None = typer.Option(None, "--size", help="How many tasks `--split lite` takes; 50 when left out."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Make a task folder of each task of the published ICAE-Bench data.

    The data itself is distributed by the benchmark's authors and never a part of this program. Case folders and golden
    sources may be absent; each task says what it lacks. Exit code 1 when a task could not be made; the others are made
    all the same.
    """
    from underspec.errors import UsageError
    from underspec.task.icae.importing import import_checkout
    from underspec.task.icae.repositories import LITE_SIZE

    if size is not None and split != "lite":
        raise UsageError("--size belongs to --split lite", mend="add --split lite, or leave --size out")
    if size is not None and size < 1:
        raise UsageError(f"--size {size} takes no task", mend="give a number from 1 on")
    result = import_checkout(
        source, out, split=split, size=size or LITE_SIZE, on_progress=None if as_json else _progress
    )
    document = _document(result, source, out, split)
    if as_json:
        print_json(document)
    else:
        _print(document)
    if result.failed:
        raise typer.Exit(1)


def _progress(done: int, planned: int, alias: str) -> None:
    from underspec.report.terminal import plain

    if done == planned or done % _EVERY == 0:
        print(plain(f"[{done}/{planned}] {alias}"), file=sys.stderr, flush=True)


def _document(result: ImportResult, source: Path, out: Path, split: str) -> dict[str, Any]:
    return {
        "source": str(source),
        "out": str(out),
        "split": split,
        "imported": [
            {
                "alias": each.alias,
                "task": each.task,
                "path": str(each.path),
                "state": each.state,
                "language": each.language,
                "levels": list(each.levels),
                "cases": dict(each.cases),
                "lacks": list(each.lacks),
                "findings": _findings(each.findings),
            }
            for each in result.imported
        ],
        "failed": [
            {
                "alias": each.alias,
                "file": each.error.file,
                "where": each.error.where,
                "message": each.error.message,
                "mend": each.error.mend,
                "findings": _findings(each.findings),
            }
            for each in result.failed
        ],
        "findings": _findings(result.findings),
    }


def _findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {"severity": one.severity, "file": one.file, "where": one.where, "message": one.message, "mend": one.mend}
        for one in findings
    ]


def _print(document: dict[str, Any]) -> None:
    from underspec.report.terminal import plain

    def say(finding: dict[str, Any], severity: str) -> None:
        place = ": ".join(part for part in (finding["file"], finding["where"]) if part)
        typer.echo(plain(f"  {severity}: {place}: {finding['message']}"))
        if finding["mend"]:
            typer.echo(plain(f"    mend: {finding['mend']}"))

    for finding in document["findings"]:
        say(finding, finding["severity"])
    for task in document["imported"]:
        cases = ", ".join(f"{suite} {number}" for suite, number in task["cases"].items())
        lacking = f"; lacks {', '.join(task['lacks'])}" if task["lacks"] else ""
        warned = f"; {len(task['findings'])} warnings" if task["findings"] else ""
        typer.echo(plain(f"{task['task']}: {task['state']}, {task['language']}, {cases}{lacking}{warned}"))
    for failure in document["failed"]:
        typer.echo(plain(f"{failure['alias']}: NOT IMPORTED"))
        say(failure, "error")
    total = len(document["imported"]) + len(document["failed"])
    typer.echo(f"{len(document['imported'])} of {total} tasks imported into {plain(document['out'])}")
    if any(task["findings"] for task in document["imported"]):
        typer.echo("`--json` shows every warning; `underspec tasks validate` shows those of the tasks themselves")
