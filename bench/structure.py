"""How fast source trees are read for structure, and what a second process brings."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.figures import figure, median_seconds
from underspec.grade.structure.languages import find_language
from underspec.grade.structure.measure import measure_tree
from underspec.grade.structure.source import read_source

FILES, CLASSES = 2_000, 6

_METHOD = '''
    @property
    def value_{number}(self) -> int:
        """What is stored under this number."""
        # A comment of its own line.
        found = self.table.get({number}, 0)  # and one behind code
        if found > {number}:
            return found * 2
        return {number}
'''


def _module(number: int) -> str:
    """About 200 lines of ordinary Python."""
    classes = (
        f"\n\nclass Part{number}x{each}(Base):\n    table: dict[int, int] = {{}}\n"
        + "".join(_METHOD.format(number=place) for place in range(3))
        for each in range(CLASSES)
    )
    return f'"""Module {number}."""\n\nfrom __future__ import annotations\n\nfrom base import Base\n' + "".join(classes)


def structure(rounds: int = 3) -> dict[str, Any]:
    """Files a second with two workers (``ratio``: over one), and lines a second of processor time on one core."""
    language = find_language("Python")
    if language is None:
        raise RuntimeError("Python should be known")
    with tempfile.TemporaryDirectory(prefix="underspec-bench-") as name:
        folder = Path(name)
        lines = 0
        for number in range(FILES):
            place = folder / f"pkg{number % 50}" / f"module{number}.py"
            place.parent.mkdir(exist_ok=True)
            text = _module(number)
            lines += text.count("\n")
            place.write_text(text)

        def measured(workers: int) -> None:
            size = measure_tree(folder, language, workers=workers).size
            if (size.files, size.classes, size.methods) != (FILES, FILES * CLASSES, FILES * CLASSES * 3):
                raise RuntimeError(f"not what was written: {size}")

        taken: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(rounds):
            # Turn about, so that a slow moment of the machine meets both.
            for workers, seconds in taken.items():
                seconds.append(median_seconds(lambda workers=workers: measured(workers), 1))  # type: ignore[misc]
        one, two = (statistics.median(seconds) for seconds in taken.values())
        paths = sorted(str(path) for path in folder.rglob("*.py"))
        read_source(paths[0], "python", "python")  # loads the grammar
        start = time.process_time()
        for path in paths:
            read_source(path, "python", "python")
        processor = time.process_time() - start
    return {
        "structure_files": figure(FILES / two, "files/s", ratio=one / two, baseline=FILES / one),
        "structure_python_lines_one_core": figure(lines / processor, "lines/s", lines=lines),
    }
