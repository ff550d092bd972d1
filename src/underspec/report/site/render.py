"""Pages from templates: one frame, one policy, everything escaped, links relative to the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from underspec.report.html.page import finalize
from underspec.report.html.visible import name, prose
from underspec.report.site.plan import SitePlan
from underspec.report.terminal import dollars, percent

# ``file:`` beside ``self``: browsers disagree whether a page from disk has a self. Over HTTP no browser loads a file.
POLICY = (
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file:; "
    "base-uri 'none'; form-action 'none'"
)
SECTIONS = (
    ("index.html", "Leaderboard"),
    ("breakdown.html", "Breakdown"),
    ("tasks.html", "Tasks"),
    ("compare.html", "Compare"),
    ("exhibits.html", "Exhibits"),
    ("runs.html", "Runs"),
    ("reading.html", "How to read"),
)


@cache
def environment() -> Environment:
    """The templates of the site."""
    made = Environment(
        loader=PackageLoader("underspec.report.site", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
    )
    made.filters |= {
        "name": name,
        "prose": prose,
        "percent": percent,
        "dollars": dollars,
        "duration": duration,
        "count": count,
        "points": points,
        "words": lambda text: str(text).replace("_", " "),
    }
    return made


def count(number: float | None) -> str:
    """``12345`` as ``12,345``; an unknown one as an en dash."""
    return "–" if number is None else f"{number:,.0f}"


def points(difference: float | None) -> str:
    """A difference of rates in points, with its sign."""
    if difference is None:
        return "–"
    shown = f"{100 * difference:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown.replace("-", "−")


def duration(seconds: float | None) -> str:
    """Wall time for people."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60}:{minutes % 60:02} h"
    return f"{minutes}:{rest:02} min" if minutes else f"{seconds:.1f} s"


def relative_root(page: str) -> str:
    """From a page up to the site's folder: empty, or ``../`` as often as needed."""
    return "../" * page.count("/")


class Pages:
    """Makes the bytes of pages and hands them to ``write`` (address, bytes). ``site_folder`` is where they will lie."""

    def __init__(self, plan: SitePlan, site_folder: Path, write: Callable[[str, bytes], None]):
        self.plan = plan
        self.site_folder = site_folder
        self._write = write

    def add(self, page: str, template: str, title: str, section: str = "", **values: Any) -> None:
        """Make one page. ``section`` is the entry of the navigation that it belongs to."""
        text = (
            environment()
            .get_template(template)
            .render(
                site=self.plan,
                page=page,
                root=relative_root(page),
                policy=POLICY,
                sections=SECTIONS,
                section=section or page,
                title=title,
                **values,
            )
        )
        self._write(page, text.encode("utf-8"))

    def add_bytes(self, page: str, data: bytes) -> None:
        """A file that is no page."""
        self._write(page, data)


def svg(text: str) -> Markup:
    """Our own drawing, as it is."""
    return Markup(text)
