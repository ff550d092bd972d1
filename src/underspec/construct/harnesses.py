"""The harness around a dispatcher, ``rcb_tests/test.sh`` and what it starts, for languages that have one here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent / "harness"


@dataclass(frozen=True)
class Harness:
    """``dispatcher`` is the file in which the dispatcher's function ``respond(text) -> text`` stands; ``runner`` the
    program that calls it for every case, started by ``start``."""

    dispatcher: str
    runner: str
    start: str
    comment: str


HARNESSES = {
    "python": Harness("dispatcher.py", "run_cases.py", "PYTHONDONTWRITEBYTECODE=1 exec python3", "#"),
    "javascript": Harness("dispatcher.js", "run_cases.js", "exec node", "//"),
}


def harness_files(language: str) -> dict[str, bytes]:
    """Files of the harness by path below the reference, empty for a language that has none: there a model or a person
    writes ``rcb_tests/test.sh`` too."""
    harness = HARNESSES.get(language)
    if harness is None:
        return {}
    script = (_FOLDER / "test.sh").read_text() + f'{harness.start} rcb_tests/{harness.runner} "$cases_dir"\n'
    program = (_FOLDER / f"{harness.runner}.txt").read_bytes()
    return {"rcb_tests/test.sh": script.encode(), f"rcb_tests/{harness.runner}": program}
