"""What annotators look at: a deliverable's files with names covered, or answers beside what was required."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from underspec.artifact.answers import Answers
from underspec.artifact.files import host_exhaustion
from underspec.artifact.human import AnnotationKey, Sample
from underspec.errors import StoreError
from underspec.phase.answer import ANSWERS_FILE
from underspec.phase.build import DELIVERABLE_TAR
from underspec.report.human.blinding import Blind, is_trace
from underspec.report.terminal import plain
from underspec.run.item import Item
from underspec.run.labels import chosen_artifact
from underspec.run.store import RunStore
from underspec.sandbox.deliverable import extract_deliverable
from underspec.task import release
from underspec.task.model import Task

DELIVERABLE = "deliverable"
ANSWERS = "answers.md"
ABOUT = "about.md"


@dataclass(frozen=True)
class Covered:
    """What was done to one sample's material: names covered, traces of programs and links left out, and names that
    stand in files that are no text, where they cannot be covered."""

    names: int = 0
    traces: int = 0
    links: int = 0
    uncovered: int = 0


@dataclass(frozen=True)
class JudgedAnswer:
    """One answer with what it is judged by."""

    unit: str
    requirement: str
    question: str
    reference: str
    tests: str
    answer: str


@dataclass(frozen=True)
class JudgedAnswers:
    """All answers of one sample; ``besides`` is what was written outside any of them."""

    interface: str
    answers: tuple[JudgedAnswer, ...]
    besides: str


def blind_of(key: AnnotationKey) -> Blind:
    """What covers the names of this study's agents and models."""
    return Blind(name for each in key.strata for name in (each.agent, each.model or ""))


def item_of(key: AnnotationKey, sample: Sample) -> tuple[RunStore, Item]:
    """The item behind a sample.

    Raises:
        StoreError: it is gone.
    """
    store = RunStore(Path(key.runs[sample.run]))
    record = store.path / "items" / sample.folder / "item.json"
    item = Item.read(record)
    if item.id != sample.item:
        raise StoreError("not the item that was sampled", file=str(record), mend="sample anew")
    return store, item


def write_deliverable(key: AnnotationKey, sample: Sample, task: Task, into: Path, blind: Blind) -> Covered:
    """Write the sample's files into the new folder ``into``, without links, traces of programs and times.

    Raises:
        StoreError: the deliverable is gone, damaged or another one.
    """
    store, item = item_of(key, sample)
    built = chosen_artifact(store, item, "build" if item.condition.protocol == "build" else "implement")
    if built is None:
        raise StoreError("the deliverable is gone", file=str(store.path / "items" / sample.folder), mend="sample anew")
    covered = Covered()
    with host_exhaustion(into), tempfile.TemporaryDirectory(prefix=".unpacked-", dir=into) as folder:
        tree = Path(folder) / "tree"
        extract_deliverable(built / DELIVERABLE_TAR, tree)
        covered = _copied(tree, into / DELIVERABLE, blind)
        (into / ABOUT).write_text(_about(sample, task, item, covered), encoding="utf-8")
    return covered


def _copied(tree: Path, target: Path, blind: Blind) -> Covered:
    names = traces = links = uncovered = 0
    target.mkdir(parents=True)
    for folder, folders, files in os.walk(tree):
        inside = os.path.relpath(folder, tree)
        here = "" if inside == "." else inside + "/"
        kept = []
        for name in sorted(folders):
            if Path(folder, name).is_symlink():
                links += 1
            elif is_trace(f"{here}{name}/"):
                traces += sum(len(each[2]) for each in os.walk(Path(folder, name)))
            else:
                kept.append(name)
        folders[:] = kept
        for name in sorted(files):
            source = Path(folder, name)
            if source.is_symlink():
                links += 1
                continue
            if is_trace(here + name):
                traces += 1
                continue
            path, in_path = blind.text(here + name)
            content, inside_it = blind.content(source.read_bytes())
            names, uncovered = names + in_path + max(inside_it, 0), uncovered + max(-inside_it, 0)
            written = _free(target / path)
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(content)
            # When it was built would tell one run from another.
            os.utime(written, (0, 0))
    return Covered(names, traces, links, uncovered)


def _free(path: Path) -> Path:
    """The path, numbered where names that were told apart by what is covered now are the same."""
    number, found = 2, path
    while found.exists():
        found = path.with_name(f"{path.stem}~{number}{path.suffix}")
        number += 1
    return found


def _about(sample: Sample, task: Task, item: Item, covered: Covered) -> str:
    reference = release.golden_reference(task)
    lines = [f"# Sample {sample.id}", "", f"Task: {task.toml.title} ({task.id})", "", "The original, by reference:", ""]
    lines += [f"- {name}: `{value}`" for name, value in reference.items()]
    generated = item.condition.language or task.toml.language
    lines += ["", f"The original is written in {task.toml.language}, the generated tree in {generated}."]
    left_out = [
        f"{number} {what}"
        for number, what in ((covered.traces, "files of programs for themselves"), (covered.links, "links"))
        if number
    ]
    lines += ["", f"Left out: {', '.join(left_out)}."] if left_out else []
    return plain("\n".join(lines)) + "\n"


def judged_answers(key: AnnotationKey, sample: Sample, task: Task, blind: Blind) -> JudgedAnswers:
    """The sample's answers with names covered, beside what they are judged by.

    Raises:
        StoreError: the answers are gone or damaged.
        TaskError: the task has no requirement units.
    """
    store, item = item_of(key, sample)
    answered = chosen_artifact(store, item, "answer")
    if answered is None:
        raise StoreError("the answers are gone", file=str(store.path / "items" / sample.folder), mend="sample anew")
    answers = Answers.read(answered / ANSWERS_FILE)
    said = {each.unit: blind.text(each.text)[0] for each in answers.answers}
    questions = {each.unit: each.text for each in release.unit_questions(task)}
    units = [
        JudgedAnswer(
            unit=unit.id,
            requirement=unit.requirement,
            question=questions[unit.id],
            reference=unit.answer,
            tests=release.unit_source(task, unit.id),
            answer=said[unit.id],
        )
        for unit in release.reference_units(task)
        if unit.id in said
    ]
    missing = set(sample.units) - {each.unit for each in units}
    if missing:
        raise StoreError(
            f"the task has no unit {sorted(missing)[0]!r} any more, which was answered",
            file=str(task.path),
            mend="give the task as it was when the run was made, with --task",
        )
    return JudgedAnswers(release.delivery_interface(task), tuple(units), blind.text(answers.besides)[0])


def answers_markdown(sample: Sample, judged: JudgedAnswers) -> str:
    """The same as a file. What somebody wrote is indented, so that no line of it passes for one of ours."""
    lines = [f"# Sample {sample.id}", ""]
    if judged.interface:
        lines += ["How what is delivered is invoked:", "", _indented(judged.interface), ""]
    for each in judged.answers:
        parts: Mapping[str, str] = {
            "Requirement": each.requirement,
            "Question": each.question,
            "Reference answer": each.reference,
            "Tests": each.tests,
            "The developer's answer": each.answer or "(nothing)",
        }
        lines += [f"## {each.unit}", ""]
        for title, text in parts.items():
            lines += [f"{title}:", "", _indented(text), ""]
    if judged.besides.strip():
        lines += ["## Written beside the answers", "", _indented(judged.besides), ""]
    return plain("\n".join(lines)) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines() or [""])
