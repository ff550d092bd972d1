"""``underspec label``: after a run, who said what right, and what was disclosed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, print_json, run_async

if TYPE_CHECKING:
    from underspec.run.context import RunContext
    from underspec.run.item import Item


@command
def label(
    run: Path = typer.Argument(None, help="Folder or name of a run; the newest one when left out."),
    runs: Path = RUNS_OPTION,
    role: list[str] = typer.Option(
        [], "--role", help="assessor (are replies right?) or annotator (what do they disclose?); may be repeated."
    ),
    model: str = typer.Option("", "--model", help="Who labels, as provider/name or scripted/FILE."),
    labels: Path = typer.Option(None, "--import", help="A file of labels given by hand, which stand above a model's."),
    prompts: Path = typer.Option(
        None, "--prompts", help="A folder with prompts of your own, as assessor/rules.md; see `underspec prompts show`."
    ),
    task: list[str] = typer.Option([], "--task", help="Where a task lies that is not bundled; may be repeated."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Label the replies that agents got while they clarified, by a model or by hand; print what labels there are.

    Without --role and --import nothing is labelled. Scores do not depend on labels, except where an import settles what
    the judge could not.

    Example: underspec label --role assessor --role annotator --model openai/gpt-5.6-luna
    """
    from underspec.cli.report import run_folder
    from underspec.errors import UsageError
    from underspec.run.labels import import_labels, item_labels, label_item
    from underspec.run.manifest import read_manifest
    from underspec.run.store import RunStore

    path = run_folder(run, runs)
    read_manifest(path)
    store = RunStore(path)
    if unknown := sorted(set(role) - {"assessor", "annotator"}):
        raise UsageError(f"--role {unknown[0]}: there is no such role", mend="assessor or annotator")
    if role and not model:
        raise UsageError("nobody labels", mend="give --model provider/name")
    if labels is not None:
        import_labels(store, labels)
    context = _context(store, task)
    if prompts is not None:
        from underspec.run.prompts import own_prompts

        context.prompts = own_prompts(prompts)
    asking = [item for item in store.items() if item.condition.protocol != "build" and item.condition.asks]
    if role:
        from underspec.model.spec import make_spec

        spec = make_spec(model)

        async def all_of_them() -> None:
            for item in asking:
                for each in role:
                    await label_item(context, item, "assessor" if each == "assessor" else "annotator", spec)

        run_async(all_of_them())
    documents = []
    for item in asking:
        found = item_labels(store, item, context.tasks[item.task])
        if found is not None:
            documents.append(_document(item, found))
    if as_json:
        print_json({"run": path.name, "items": documents})
        return
    for document in documents:
        _print(document)
    if not documents:
        typer.echo("no item of this run asked a client")


def _context(store: Any, tasks: list[str]) -> RunContext:
    from underspec.run.context import RunContext
    from underspec.run.plan import Tasks
    from underspec.run.prepare import load_tasks
    from underspec.sandbox.backends import load_backend
    from underspec.task.catalog import bundled_tasks
    from underspec.task.load import load_task

    paths = {folder.name: folder for folder in bundled_tasks()} | (load_tasks(tasks).paths if tasks else {})
    return RunContext(
        store=store,
        tasks=Tasks(paths, load_task),
        backend=load_backend("bubblewrap"),
        agents={},
        routers={},
        image_digests={},
        progress=lambda item, words: typer.echo(f"{item.folder}: {words}", err=True),
    )


def _document(item: Item, found: Any) -> dict[str, Any]:
    disclosed = found.disclosures.first_complete() if found.disclosures else None
    return {
        "item": item.id,
        "folder": item.folder,
        "task": item.task,
        "transcript": found.digest,
        "rounds": len(found.transcript.rounds),
        "revised": sum(one.revised for one in found.transcript.rounds),
        "ungrounded": sum(len(one.ungrounded) for one in found.transcript.rounds),
        "replies": [label.model_dump(mode="json") for label in found.replies.labels] if found.replies else None,
        "revisions": [list(pair) for pair in found.replies.revised(found.transcript)] if found.replies else None,
        "disclosed": disclosed,
    }


def _print(document: dict[str, Any]) -> None:
    from underspec.report.terminal import plain

    typer.echo(plain(f"{document['folder']}: {document['rounds']} rounds, {document['revised']} revised"))
    if document["ungrounded"]:
        typer.echo(f"  {document['ungrounded']} numbers, names or quotations of replies stand nowhere else")
    if document["replies"] is not None:
        right = sum(label["final"] is True for label in document["replies"])
        typer.echo(f"  replies: {right} of {len(document['replies'])} labelled are correct")
    if document["disclosed"] is not None:
        found = [number for number in document["disclosed"].values() if number is not None]
        typer.echo(f"  hidden requirements fully disclosed: {len(found)} of {len(document['disclosed'])}")
