"""``underspec compare``: whether B is better than A, on the same tasks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from underspec.cli.common import JSON_OPTION, RUNS_OPTION, command, echo_folded, print_json
from underspec.cli.report import run_folder

if TYPE_CHECKING:
    from underspec.artifact.condition import Condition
    from underspec.report.comparison import Side

_CHOOSE_A = typer.Option(
    [], "--a", metavar="FIELD=VALUE", help="What the condition from A has, such as agent=asker; may be repeated."
)
_CHOOSE_B = typer.Option([], "--b", metavar="FIELD=VALUE", help="The same for B.")


@command
def compare(
    a: Path = typer.Argument(..., metavar="A", help="Folder or name of a run: what B is measured against."),
    b: Path = typer.Argument(..., metavar="B", help="Folder or name of a run; may be the same."),
    choose_a: list[str] = _CHOOSE_A,
    choose_b: list[str] = _CHOOSE_B,
    runs: Path = RUNS_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Compare two runs, or two conditions of one, on the tasks that both have scored.

    Prints one sentence to quote, the paired differences with intervals and exact tests, cost and time side by side, and
    the tasks that changed with the folders of their items. With one condition on a side, all of the other are compared
    with it; else conditions are compared that are the same in both runs.
    """
    from underspec.errors import UsageError
    from underspec.report.comparison import comparison_document
    from underspec.report.comparison_text import comparison_text, sentence

    first, second = run_folder(a, runs), run_folder(b, runs)
    pairs = _pairs(_chosen(first, choose_a, "--a"), _chosen(second, choose_b, "--b"))
    try:
        document = comparison_document(pairs)
    except ValueError as error:
        raise UsageError(str(error), file=str(second), mend="see what is unscored with `underspec report`") from error
    if as_json:
        for each in document["comparisons"]:
            each["sentence"] = sentence(each)
        print_json(document)
    else:
        echo_folded("\n\n\n".join(comparison_text(each) for each in document["comparisons"]))


def _chosen(path: Path, choices: list[str], option: str) -> list[Side]:
    """The conditions of a run that fit, each as a side.

    Raises:
        UsageError: none does, or a choice is none.
    """
    from underspec.errors import UsageError
    from underspec.report.collect import collect
    from underspec.report.comparison import Side
    from underspec.report.durations import builder_seconds
    from underspec.run.manifest import read_manifest
    from underspec.run.store import RunStore

    store, comparable = RunStore(path), read_manifest(path)["sandbox"]["comparable"]
    collected = collect(store)
    conditions = {each.item.condition.id: each.item.condition for each in collected}
    wanted = [choice.partition("=") for choice in choices]
    for (field, equals, _value), choice in zip(wanted, choices, strict=True):
        if not equals or any(not hasattr(condition, field) for condition in conditions.values()):
            raise UsageError(f"{choice!r} is no FIELD=VALUE of a condition", where=option, mend="such as agent=asker")
    sides = []
    for condition in conditions.values():
        values = {"id": condition.id, **condition.model_dump(mode="json")}
        if all(_fits(values.get(field), value) for field, _equals, value in wanted):
            members = [each for each in collected if each.item.condition.id == condition.id]
            seconds = {each.item.id: builder_seconds(store, each.item) for each in members}
            sides.append(Side(path, comparable, condition, members, seconds))
    if not sides:
        raise UsageError(
            "no condition of the run fits", file=str(path), where=option, mend=_listed(conditions.values())
        )
    return sides


def _fits(value: object, wanted: str) -> bool:
    spoken = {None: ("none", "null", ""), True: ("true", "yes"), False: ("false", "no")}
    if value is None or isinstance(value, bool):
        return wanted.lower() in spoken[value]
    return str(value) == wanted


def _listed(conditions: Iterable[Condition]) -> str:
    """Conditions by the fields in which they differ, as they can be chosen."""
    known = [condition.model_dump(mode="json") for condition in conditions]
    differing = [name for name in known[0] if len({str(each[name]) for each in known}) > 1] or ["agent"]
    listed = [" and ".join(f"{name}={each[name]}" for name in differing) for each in known]
    return "; ".join(listed[:10]) + ("; ..." if len(listed) > 10 else "")


def _pairs(first: list[Side], second: list[Side]) -> list[tuple[Side, Side]]:
    """Which condition is compared with which.

    Raises:
        UsageError: there is nothing to compare, or it is not clear what with what.
    """
    from underspec.errors import UsageError

    if len(first) == 1 or len(second) == 1:
        found = [(one, other) for one in first for other in second]
    else:
        found = [(one, other) for one in first for other in second if one.condition.id == other.condition.id]
    apart = [(one, other) for one, other in found if (one.run, one.condition.id) != (other.run, other.condition.id)]
    if not apart:
        conditions = {each.condition.id: each.condition for each in (*first, *second)}.values()
        message = "nothing would be compared with anything else" if found else "no condition is in both runs"
        raise UsageError(message, where="--a, --b", mend=f"choose one on each side: {_listed(conditions)}")
    if any(one.condition.protocol != other.condition.protocol for one, other in apart):
        raise UsageError(
            "the protocols differ, and so does what is scored", where="protocol", mend="choose with --a, --b"
        )
    return apart
