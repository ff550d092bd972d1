"""What a page may say. The operator reads everything; in a public site what is hidden stands nowhere.

What is hidden by its kind (records, replies, drafts, reference answers, private tests, ...) is left out where pages are
made. Text that somebody else wrote, such as a question, may quote it all the same: such text is looked through here,
and withheld as a whole where it does. Whoever says a hidden thing in other words is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from underspec.artifact.outcomes import SUITES
from underspec.errors import TaskError, UnderspecError
from underspec.report.html.visible import name, prose
from underspec.task import release
from underspec.task.model import Level, Task

WITHHELD = Markup('<i class="withheld">left out of the public site: it quotes hidden material, or may</i>')
_LEVELS: tuple[Level, ...] = ("L1", "L2", "L3")
_LEAST_OUTPUT = 12
_LEAST_SENTENCE = 24
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+")
_BLANK = re.compile(r"\s+")


class Telling:
    """Text of others as HTML: as it is for the operator (``hidden`` is None), withheld where it quotes one of
    ``hidden``."""

    def __init__(self, hidden: Iterable[str] | None = None, *, blind: bool = False):
        self._hidden = None if hidden is None else sorted({_flat(text) for text in hidden} - {""})
        self._blind = blind

    @classmethod
    def blind(cls) -> Telling:
        """Withholds everything: what is hidden is not known, so nobody can say that a text is free of it."""
        return cls((), blind=True)

    def beside(self, replies: Iterable[str]) -> Telling:
        """The same, that withholds what quotes one of these replies too; for the operator nothing changes."""
        if self._hidden is None:
            return self
        return Telling([*self._hidden, *_long(replies)], blind=self._blind)

    def quotes(self, text: str) -> bool:
        """Whether a text has something hidden in it, whatever its case and spacing."""
        flat = _flat(text)
        return self._blind or any(secret in flat for secret in self._hidden or ())

    def prose(self, text: str, most: int = 6000) -> Markup:
        """A text to read."""
        return WITHHELD if self.quotes(text) else prose(text, most)

    def name(self, text: str) -> Markup:
        """A short text inside a line."""
        return WITHHELD if self.quotes(text) else name(text)


def _flat(text: str) -> str:
    return _BLANK.sub(" ", text).strip().casefold()


def hidden_texts(task: Task, shown: Sequence[str]) -> list[str]:
    """Everything of a task by which its hidden material is known, but what stands in ``shown`` anyway.

    Canaries, names of the golden implementation, sentences of authored responses and of the complete requirement,
    questions, answers and tests of requirement units, inputs and expected outputs of hidden cases; not what is so short
    that it stands in any text.
    """
    known = " ".join(_flat(text) for text in shown)
    names = [*release.forbidden_strings(task), *task.toml.identity]
    long = _long(_texts(task))
    outputs = [text for text in _outputs(task) if len(_flat(text)) >= _LEAST_OUTPUT]
    return [*names, *(text for text in (*long, *outputs, *_tests(task)) if _flat(text) not in known)]


def _long(texts: Iterable[str]) -> list[str]:
    """Texts, their lines and sentences, but what is so short that it stands anywhere."""
    parts = [part for text in texts for part in [text, *text.splitlines(), *_SENTENCE.split(text)]]
    return [part for part in parts if len(_flat(part)) >= _LEAST_SENTENCE]


def _texts(task: Task) -> list[str]:
    found: list[str] = []
    for level in _LEVELS:
        try:
            records = release.session_records(task, level)
        except TaskError:
            continue  # the task has no such level
        found += records.responses().values()
    if task.units is not None:
        for unit in release.reference_units(task):
            found += [unit.requirement, unit.answer]
        found += [question.text for question in release.unit_questions(task)]
    try:
        found.append(release.request_text(task, "ground"))
    except UnderspecError:
        pass  # the task has no complete request
    return found


def _tests(task: Task) -> list[str]:
    tests = release.unit_tests(task).values() if task.units is not None else ()
    return [part for of_unit in tests for test in of_unit for part in (test, test.rpartition("::")[2])]


def _outputs(task: Task) -> list[str]:
    import json

    found: list[str] = []
    for suite in SUITES:
        shown = release.reader_cases(task, suite, hidden=False)
        for stem, cases in release.reader_cases(task, suite, hidden=True).items():
            for case, public in zip(cases, shown[stem], strict=True):
                if case is not None and public is None:
                    found += [case.expected_output, json.dumps(case.input, ensure_ascii=False)]
    return found
