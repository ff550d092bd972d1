"""``underspec selftest``: whether this installation can be fooled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from underspec.cli.common import JSON_OPTION, SANDBOX_OPTION, command, print_json, run_async

if TYPE_CHECKING:
    from underspec.selftest.trial import Group, Result, Trial


@command
def selftest(
    group: list[str] = typer.Option([], "--group", help="Only this group; `--group ?` lists; may be repeated."),
    only: str = typer.Option("", "--only", help="Only what has this in its name."),
    sandbox: str = SANDBOX_OPTION,
    concurrency: int = typer.Option(2, "--concurrency", min=1, help="Trials at once."),
    list_: bool = typer.Option(False, "--list", help="Say what would be tried, and do nothing."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Try to fool this installation: hostile work beside honest twins, judged by the real parts.

    Exit code 0 when every verdict is right, 1 when one is wrong. Takes a few minutes. No model is asked.

    Example: underspec selftest --group cases --group next
    """
    from underspec.cli.common import ready_backend
    from underspec.errors import UsageError
    from underspec.selftest.running import all_trials, run_trials
    from underspec.selftest.trial import GROUPS

    if "?" in group:
        for name, about in GROUPS.items():
            typer.echo(f"{name:<12}{about}")
        return
    unknown = [name for name in group if name not in GROUPS]
    if unknown:
        raise UsageError(f"there is no group {unknown[0]!r}", mend=f"use one of: {', '.join(GROUPS)}")
    wanted: list[Group] = [name for name in GROUPS if name in group]
    trials = all_trials(wanted or None, only)
    if not trials:
        raise UsageError(f"nothing that is tried has {only!r} in its name", mend="see `underspec selftest --list`")
    if list_:
        _list(trials, as_json)
        return
    done: list[Result] = []

    def progress(result: Result) -> None:
        done.append(result)
        if not as_json or result.wrong:
            _say(result, f"[{len(done)}/{len(trials)}]")

    results = run_async(run_trials(trials, ready_backend(sandbox), concurrency=concurrency, progress=progress))
    _conclude(results, sandbox, as_json)


def _list(trials: list[Trial], as_json: bool) -> None:
    if as_json:
        print_json({"trials": [{"group": each.group, "name": each.name, "role": each.role} for each in trials]})
        return
    for each in trials:
        typer.echo(f"{each.group:<12}{each.role:<9}{each.name}")


def _say(result: Result, place: str) -> None:
    trial = result.trial
    mark = "WRONG" if result.wrong else "skipped" if result.skipped else "right"
    why = result.wrong or result.skipped
    typer.echo(f"{place} {mark:<8}{trial.group}, {trial.role}: {trial.name}{f': {why}' if why else ''}", err=True)


def _conclude(results: list[Result], sandbox: str, as_json: bool) -> None:
    wrong = [each for each in results if each.wrong]
    skipped = [each for each in results if each.skipped]
    hostile = sum(each.trial.role == "hostile" for each in results)
    if as_json:
        print_json(
            {
                "sandbox": sandbox,
                "tried": len(results) - len(skipped),
                "hostile": hostile,
                "honest": len(results) - hostile,
                "wrong": len(wrong),
                "skipped": len(skipped),
                "trials": [
                    {
                        "group": each.trial.group,
                        "name": each.trial.name,
                        "role": each.trial.role,
                        "right": None if each.skipped else not each.wrong,
                        "why": each.wrong or each.skipped,
                        "seconds": round(each.seconds, 3),
                    }
                    for each in results
                ],
            }
        )
    else:
        typer.echo(
            f"{hostile} hostile and {len(results) - hostile} honest pieces of work in {sandbox} sandboxes: "
            f"{len(wrong)} wrong verdicts, {len(skipped)} not to be tried here"
        )
    if wrong:
        raise typer.Exit(1)
