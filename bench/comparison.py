"""How fast outputs are compared, in one file and in a thousand."""

from __future__ import annotations

from typing import Any

from bench.figures import figure, median_seconds
from underspec.grade.compare import compare

CASES = 100_000


def _suite(files: int) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, bytes]]]:
    per_file = CASES // files
    text = "value={}\nunit=MiB\n"
    expected = {f"feature_{number:04}": tuple(text.format(each) for each in range(per_file)) for number in range(files)}
    outputs = [
        (f"{stem}@{index:03}.txt", answer.encode())
        for stem, answers in expected.items()
        for index, answer in enumerate(answers)
    ]
    return expected, outputs


def comparison(rounds: int = 5) -> dict[str, Any]:
    """Cases a second with 1 and with 1,000 case files; ``ratio`` is the second over the first."""
    rates = {}
    for files in (1, 1000):
        expected, outputs = _suite(files)

        def work(expected: dict[str, tuple[str, ...]] = expected, outputs: list[tuple[str, bytes]] = outputs) -> None:
            if compare(expected, outputs, limit=1 << 20).passed != CASES:
                raise RuntimeError("every case should pass")

        rates[files] = CASES / median_seconds(work, rounds)
    return {
        "comparison_100000_cases_1_file": figure(rates[1], "cases/s"),
        "comparison_100000_cases_1000_files": figure(
            rates[1000], "cases/s", ratio=rates[1000] / rates[1], baseline=rates[1]
        ),
    }
