"""What a catalogue lists: an exhibit by its paper's name, what it needs, and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from underspec.report.exhibits.evidence import Evidence
from underspec.report.exhibits.exhibit import Exhibit

Paper = Literal["ICAE", "SWE-Clar"]


@dataclass(frozen=True)
class Listed:
    """One table or figure of a paper. ``needs`` says what runs must have for it; ``make`` gives None where they do
    not."""

    name: str
    slug: str
    title: str
    needs: str
    make: Callable[[Evidence], Exhibit | None]
