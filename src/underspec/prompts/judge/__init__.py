"""What the judge of requirement answers is told (SWE-Clar B.3, Table 4, F.7).

Answers are data: each is one line of JSON in which ``<`` is escaped, so that nothing in one can pass for the end of the
place where they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.prompts import Prompt, load_prompt, render
from underspec.prompts.router import as_data

NAMES = ("rules", "unit", "malformed")


@dataclass(frozen=True)
class JudgePrompts:
    """The prompts behind one judge. ``version`` changes with any of their bytes."""

    rules: Prompt
    unit: Prompt
    malformed: Prompt

    @property
    def version(self) -> str:
        """A short digest over all of them, for phase keys."""
        return "-".join(prompt.sha256[:8] for prompt in (self.rules, self.unit, self.malformed))

    def system(self) -> str:
        """The rubric."""
        return render(self.rules, sections={}, values={})

    def ask(
        self,
        *,
        mark: str,
        question: str,
        requirement: str,
        reference: str,
        interface: str,
        tests: str,
        answers: Sequence[tuple[str, str, str]],
    ) -> str:
        """One unit. ``answers`` are all of the task: mark, question and answer of each."""
        unit = {"question": question, "requirement": requirement, "reference_answer": reference}
        return render(
            self.unit,
            sections={},
            values={
                "mark": mark,
                "unit": as_data({**unit, "delivery_interface": interface}),
                "tests": as_data({"source": tests}),
                "answers": "\n".join(
                    as_data({"mark": each, "question": asked, "answer": said}) for each, asked, said in answers
                ),
            },
        )

    def again(self) -> str:
        """What is said to an answer that is no label."""
        return render(self.malformed, sections={}, values={})


def judge_prompts(*, override: Path | None = None) -> JudgePrompts:
    """The packaged prompts, or a user's.

    Raises:
        UsageError: a prompt of the user's does not fit.
    """
    return JudgePrompts(*(load_prompt("judge", name, override=override) for name in NAMES))
