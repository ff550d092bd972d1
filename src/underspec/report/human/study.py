"""The folder of a study.

::

    <study>/key.json              which sample is whose: the operator's alone
    <study>/handout/rubric.md     what annotators are told
    <study>/handout/material/<sample>/...
    <study>/handout/sheets/<annotator>.csv, .html
    <study>/imports/<sha256>.csv  every sheet that came back, as it was
    <study>/scores.json           what stands in them
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from underspec.artifact.canonical import sha256_hex
from underspec.artifact.files import create_if_absent, host_exhaustion, write_atomic
from underspec.artifact.human import AnnotationKey, HumanScores, Sample
from underspec.errors import StoreError, UsageError
from underspec.report.human.agreement import Agreement, agreement
from underspec.report.human.form import form_page
from underspec.report.human.importing import ReadSheet, SheetError, merge, read_sheet
from underspec.report.human.machine import machine_scores
from underspec.report.human.material import (
    ANSWERS,
    Covered,
    JudgedAnswers,
    answers_markdown,
    blind_of,
    judged_answers,
    write_deliverable,
)
from underspec.report.human.rubric import rubric_markdown
from underspec.report.human.sheets import check_annotators, sheet_csv
from underspec.run.claim import locked
from underspec.task.model import Task

KEY, SCORES, HANDOUT, IMPORTS = "key.json", "scores.json", "handout", "imports"
SHEETS, MATERIAL, RUBRIC = "sheets", "material", "rubric.md"


@dataclass(frozen=True)
class Handout:
    """What was written for annotators."""

    folder: Path
    annotators: tuple[str, ...]
    samples: int
    covered: Covered


@dataclass(frozen=True)
class Imported:
    """What became of sheets; nothing was taken over where there are ``errors``."""

    errors: list[SheetError]
    sheets: list[dict[str, object]]
    scores: HumanScores | None = None


@dataclass(frozen=True)
class Study:
    """A study on disk."""

    path: Path

    def begin(self, key: AnnotationKey) -> None:
        """Write the key of a new study.

        Raises:
            UsageError: another study is there.
        """
        if not create_if_absent(self.path / KEY, key.to_bytes()) and self.key() != key:
            mend = "give --out another folder; people may be at work on this one"
            raise UsageError("holds another study", file=str(self.path), where="--out", mend=mend)
        (self.path / KEY).chmod(0o600)

    def key(self) -> AnnotationKey:
        """The key.

        Raises:
            UsageError: this is no study.
            StoreError: it is damaged.
        """
        if not (self.path / KEY).is_file():
            raise UsageError("this is no study", file=str(self.path), mend="make one with `underspec annotate sample`")
        with _mended(
            f"put back the {KEY} that the study had: sheets belong to it, and another one says who is whom anew"
        ):
            return AnnotationKey.read(self.path / KEY)

    def scores(self) -> HumanScores:
        """What was imported so far."""
        path = self.path / SCORES
        if path.exists():
            with _mended(f"move {SCORES} away and import the sheets in {IMPORTS}/ again, oldest first"):
                return HumanScores.read(path)
        key = self.key()
        return HumanScores(study=key.study, kind=key.kind)

    def agreement(self) -> Agreement:
        """How far people and models agree.

        Raises:
            UsageError: nobody has rated anything.
        """
        scores = self.scores()
        if not scores.annotators:
            raise UsageError(
                "nobody has rated anything yet",
                file=str(self.path),
                mend="import sheets with `underspec annotate import`",
            )
        key = self.key()
        return agreement(key, scores, machine_scores(key))

    def annotators(self) -> tuple[str, ...]:
        """Those for whom there are sheets, in this handout or an earlier one."""
        return tuple(sorted({each.stem for each in self.path.glob(f"{HANDOUT}*/{SHEETS}/*.csv")}))

    def hand_out(
        self, annotators: Sequence[str], find_task: Callable[[str], Task], progress: Callable[[str], None]
    ) -> Handout:
        """Write rubric, material and an empty sheet for each annotator; what was handed out before is made anew.

        Raises:
            UsageError: a name cannot be used.
            StoreError: a deliverable is gone or damaged.
        """
        key, names, blind = self.key(), check_annotators(annotators), blind_of(self.key())
        new, covered = self.path / f".{HANDOUT}.new", Covered()
        shutil.rmtree(new, ignore_errors=True)
        answers: dict[str, JudgedAnswers] = {}
        with host_exhaustion(new):
            (new / SHEETS).mkdir(parents=True)
            for place, sample in enumerate(key.samples, 1):
                progress(f"{place} of {len(key.samples)} samples")
                folder = new / MATERIAL / sample.id
                folder.mkdir(parents=True)
                if key.kind == "critic":
                    found = write_deliverable(key, sample, find_task(sample.task), folder, blind)
                    covered = _added(covered, found)
                else:
                    answers[sample.id] = judged_answers(key, sample, find_task(sample.task), blind)
                    (folder / ANSWERS).write_text(answers_markdown(sample, answers[sample.id]), encoding="utf-8")
            (new / RUBRIC).write_text(rubric_markdown(key.kind, key.study), encoding="utf-8")

            def judged(sample: Sample) -> JudgedAnswers:
                return answers[sample.id]

            for name in names:
                (new / SHEETS / f"{name}.csv").write_bytes(sheet_csv(key, name))
                (new / SHEETS / f"{name}.html").write_bytes(form_page(key, name, judged))
        _replace(new, self.path / HANDOUT)
        return Handout(self.path / HANDOUT, names, len(key.samples), covered)

    def take(self, files: Sequence[Path]) -> Imported:
        """Import sheets, all of them or, where anything is wrong with any, none."""
        key = self.key()
        read = [read_sheet(key, file, self.annotators()) for file in files]
        errors = [error for each in read for error in each.errors]
        if errors:
            return Imported(errors, [])
        with locked(self.path / "study.lock"):
            scores, told = self.scores(), []
            for each in read:
                merged = merge(key, scores, each)
                scores = merged.scores
                told.append(_told(each, merged.new, merged.same, merged.changed))
                # The sheet first: what scores say can be made anew from sheets, and not the other way round.
                create_if_absent(self.path / IMPORTS / f"{sha256_hex(each.data)}.csv", each.data)
            write_atomic(self.path / SCORES, scores.to_bytes())
        return Imported([], told, scores)


@contextlib.contextmanager
def _mended(mend: str) -> Iterator[None]:
    """What to do about a damaged file of a study. The usual advice, to remove its folder, would lose people's work."""
    try:
        yield
    except StoreError as error:
        error.mend = mend
        raise


def _told(sheet: ReadSheet, new: int, same: int, changed: int) -> dict[str, object]:
    filled = sum(any(name != "note" for name in given) for given in sheet.cells.values())
    counts = {"rows": sheet.rows, "begun": filled, "new": new, "same": same, "changed": changed}
    return {"file": sheet.file, "annotator": sheet.annotator, **counts}


def _added(one: Covered, other: Covered) -> Covered:
    return Covered(**{name: value + asdict(other)[name] for name, value in asdict(one).items()})


def _replace(new: Path, target: Path) -> None:
    """Put a folder in another's place, which people may have written into: a sheet that came back there stays."""
    if not target.exists():
        new.replace(target)
        return
    number = 1
    while target.with_name(f"{target.name}-{number}").exists():
        number += 1
    target.rename(target.with_name(f"{target.name}-{number}"))
    new.rename(target)
