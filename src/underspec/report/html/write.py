"""A run's page as a file in its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from underspec.artifact.files import write_atomic
from underspec.report.collect import Collected
from underspec.report.html.page import report_page
from underspec.task.model import Task

PAGE = "report.html"
HIDDEN_PAGE = "report-hidden.html"


def write_page(
    run: Path,
    document: dict[str, Any],
    manifest: dict[str, Any],
    collected: Sequence[Collected],
    *,
    find_task: Callable[[str], Task],
    show_hidden: bool = False,
) -> Path:
    """Write the page of a run and return where it lies.

    A page with hidden material has a name of its own, so that ``report.html`` can always be handed on.
    """
    page = report_page(document, manifest, collected, find_task=find_task, show_hidden=show_hidden)
    path = run / (HIDDEN_PAGE if show_hidden else PAGE)
    write_atomic(path, page)
    return path
