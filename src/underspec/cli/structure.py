"""``underspec structure``: how is a generated tree built, beside the golden one?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import JSON_OPTION, command, print_json

if TYPE_CHECKING:
    from underspec.grade.structure.languages import Language
    from underspec.grade.structure.scope import Side

_WORDS = {
    "class": "classes",
    "method": "methods",
    "method_qualified": "methods with their owners",
    "namespace": "namespaces",
    "namespace_relative": "namespaces below the root",
}


@command
def structure(
    golden: Path = typer.Option(..., "--golden", help="Folder with the golden sources."),
    generated: Path = typer.Option(..., "--generated", help="Folder with the generated sources."),
    language: str = typer.Option(..., "--language", help="The golden language, as Python, C++ or csharp."),
    generated_language: str = typer.Option("", "--generated-language", help="The generated one, where it is another."),
    in_scope: list[str] = typer.Option(
        [], "--in-scope", help="A file of globs, or a glob, of what counts; may be given again."
    ),
    names: bool = typer.Option(False, "--names", help="Name what is missing and what is new."),
    workers: int = typer.Option(0, "--workers", min=0, max=64, help="Processes; as many as processors when left out."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Compare two source trees: files, lines of code, and the names of classes, methods and namespaces.

    Both are only read. Tests, build output, vendored and generated code do not count. Exit code 0 when it was
    measured, 1 when there is nothing to compare, 2 when there is no such folder or language.
    """
    from underspec.grade.structure.compare import compare_structure
    from underspec.grade.structure.scope import read_scope_options
    from underspec.grade.structure.view import names_document, structure_document

    spoken = _language(language, "--language")
    comparison = compare_structure(
        _folder(golden, "--golden"),
        _folder(generated, "--generated"),
        spoken,
        _language(generated_language, "--generated-language") if generated_language else spoken,
        read_scope_options(in_scope),
        workers=workers or None,
        on_progress=None if as_json else _progress,
    )
    document = structure_document(comparison.structure)
    if names:
        document["names"] = names_document(comparison)
    if as_json:
        print_json(document)
    else:
        _print(document)
    if not comparison.structure.scored:
        raise typer.Exit(1)


def _language(word: str, option: str) -> Language:
    from underspec.errors import UsageError
    from underspec.grade.structure.languages import LANGUAGES, find_language

    found = find_language(word)
    if found is None:
        names = ", ".join(one.name for one in LANGUAGES)
        raise UsageError(
            f"{word!r} is no language whose structure can be read", where=option, mend=f"use one of {names}"
        )
    return found


def _folder(path: Path, option: str) -> Path:
    from underspec.errors import UsageError

    if not path.is_dir():
        raise UsageError("there is no such folder", file=str(path), where=option, mend="name a folder of sources")
    return path.resolve()


def _progress(side: Side, done: int, total: int) -> None:
    # Small trees are done before anybody could read it.
    if total >= 500 and (done % 500 == 0 or done == total):
        typer.echo(f"{side}: {done:,} of {total:,} files", err=True)


def _print(document: dict[str, Any]) -> None:
    from underspec.report.terminal import percent, plain

    ours, theirs = document["golden"], document["generated"]
    typer.echo(f"{'':24}{'golden':>12}{'generated':>12}{'ratio %':>14}")
    for label, key in (("files", "files"), ("lines of code", "loc"), ("classes", "classes"), ("methods", "methods")):
        ratio = document["ratio"].get(key)
        shown = "" if key not in document["ratio"] else "–" if ratio is None else f"{100 * ratio:.1f}"
        typer.echo(f"{label:24}{ours[key]:>12,}{theirs[key]:>12,}{shown:>14}".rstrip())
    typer.echo("")
    if document["scored"]:
        typer.echo(f"{'similarity of':28}{'%':>6}   in both, golden, generated")
        for key, words in _WORDS.items():
            of = document["overlap"][key]
            counts = f"{of['common']:,}, {of['golden']:,}, {of['generated']:,}"
            typer.echo(f"{words:28}{percent(document['similarity'][key]):>6}   {counts}")
    else:
        typer.echo(plain(f"not scored: {document['unscored']}"))
    for key, words in _WORDS.items():
        for kind in ("missing", "extra"):
            found = document.get("names", {}).get(key, {}).get(kind, [])
            if found:
                typer.echo(plain(f"{kind} {words}: {', '.join(found)}"))
    for side, size in (("golden", ours), ("generated", theirs)):
        if size["excluded"]:
            counts = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in size["excluded"].items())
            typer.echo(plain(f"{side}: not counted: {counts}"))
        if size["parse_errors"]["files"]:
            places, files = size["parse_errors"]["places"], size["parse_errors"]["files"]
            typer.echo(
                f"{side}: {places} places in {files} files could not be parsed; what is there may be missing above"
            )
    if document["normalized_names"]:
        typer.echo("the languages differ: names are compared without case and underscores")
    for note in document["notes"]:
        typer.echo(plain(f"note: {note}"))
