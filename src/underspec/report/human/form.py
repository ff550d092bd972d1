"""A sheet as one page: filled in by hand in a browser, or printed. It loads nothing and sends nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from underspec.artifact.human import AnnotationKey, Sample
from underspec.artifact.judgements import Label
from underspec.artifact.review import CRITIC_DIMENSIONS
from underspec.report.human.material import JudgedAnswers
from underspec.report.human.rubric import TITLES, definitions, introduction
from underspec.report.human.sheets import COLUMNS, ordered
from underspec.report.terminal import plain


def _finalize(value: Any) -> Any:
    """Nothing invisible passes, even where a template writes a value as it is."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("underspec.report.human", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


@cache
def _part(name: str) -> str:
    return (resources.files("underspec.report.human") / "templates" / name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def content_policy(style: str, script: str) -> str:
    """The page's Content-Security-Policy: its own style sheet and script by hash, and nothing else at all."""
    sources = f"style-src 'sha256-{_digest(style)}'; script-src 'sha256-{_digest(script)}'"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def form_page(key: AnnotationKey, annotator: str, judged: Callable[[Sample], JudgedAnswers]) -> bytes:
    """The page of one annotator. ``judged`` has a sample's answers, where answers are what is labelled."""
    style, script = _part("form.css"), _part("form.js")
    samples = [
        {"id": sample.id, "units": sample.units, "judged": judged(sample) if key.kind == "judge" else None}
        for sample in ordered(key, annotator)
    ]
    text = (
        _environment()
        .get_template("form.html.j2")
        .render(
            policy=content_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            kind=key.kind,
            study=key.study,
            annotator=annotator,
            columns=json.dumps(COLUMNS[key.kind]),
            introduction=[" ".join(each.replace("`", "").split()) for each in introduction(key.kind).split("\n\n")],
            definitions=definitions(key.kind),
            dimensions=[(name, TITLES[name]) for name in CRITIC_DIMENSIONS],
            labels=[str(label) for label in Label],
            samples=samples,
        )
    )
    return text.encode("utf-8")
