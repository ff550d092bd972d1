"""Replaced strings: whether each was really replaced, once, and nothing else was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.omissions import Edit

_SHOWN = 80


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with every ``old`` that stands there once replaced by its ``new``, one after another. Others are left;
    :func:`check_edits` says which."""
    for edit in edits:
        if text.count(edit.old) == 1:
            text = text.replace(edit.old, edit.new)
    return text


def check_edits(file: str, before: str, after: str, edits: Sequence[Edit], *, where: str) -> Iterator[GateFinding]:
    """Each ``old`` stood once in ``before`` and is gone from ``after``; each ``new`` stands there once.

    ``where``: the edits' place in ``omissions.json``, as ``$.L3``.
    """
    for number, edit in enumerate(edits):
        place = f"{where}, edit {number}"

        def said(kind: str, message: str, evidence: str, mend: str, place: str = place) -> GateFinding:
            return GateFinding(kind=kind, message=message, file=file, where=place, evidence=_shown(evidence), mend=mend)

        if edit.old in edit.new:
            yield said("edit_changes_nothing", "puts the old text back", edit.new, "write what takes its place")
            continue
        stood = before.count(edit.old)
        if stood != 1:
            message = f"the old text stands {stood} times in what is edited, not once"
            yield said("edit_old_not_once", message, edit.old, "quote enough of it, exactly, to tell it apart")
            continue
        if edit.old in after:
            yield said("edit_old_left", "the old text still stands there", edit.old, "replace it")
        if edit.new and after.count(edit.new) != 1:
            message = f"the new text stands {after.count(edit.new)} times, not once"
            yield said("edit_new_not_once", message, edit.new, "let it stand once, where the old one stood")


def check_nothing_else(file: str, before: str, after: str, edits: Sequence[Edit]) -> Iterator[GateFinding]:
    """``after`` is ``before`` with the edits, and nothing else."""
    wanted, found = apply_edits(before, edits).rstrip().splitlines(), after.rstrip().splitlines()
    for number, (ours, theirs) in enumerate(zip(wanted, found, strict=False), 1):
        if ours != theirs:
            yield _changed(file, f"line {number}", f"{theirs[:_SHOWN]!a} instead of {ours[:_SHOWN]!a}")
            return
    if len(wanted) != len(found):
        yield _changed(file, None, f"{len(found)} lines instead of {len(wanted)}")


def _changed(file: str, where: str | None, evidence: str) -> GateFinding:
    return GateFinding(
        kind="changed_without_edit",
        message="differs from the requirement where no edit says so",
        file=file,
        where=where,
        evidence=evidence,
        mend="write the change as an edit in omissions.json, or take it back",
    )


def _shown(text: str) -> str:
    return ascii(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
