"""The GroundPRD as a page: the draft's prose, how the program is invoked, and the public cases, pasted."""

from __future__ import annotations

from collections.abc import Mapping

from underspec.construct.ground.draft import Draft, DraftFeature
from underspec.construct.materials import Feature

INVOCATION = """\
The program reads exactly one JSON object from standard input and writes its answer to standard output.

`bash rcb_tests/test.sh --cases-dir <folder>`, run from the root of the repository, runs every case of
`rcb_tests/<folder>/*.json`. Each such file is `{"description": …, "cases": [{"input": …}, …]}`; `input` is the request.
The raw answer to the case number `index` (from 0, at least three digits) of the file `<stem>.json` is written to
`rcb_tests/stdout/<folder>/<stem>@<index>.txt`. Folders are `public_test_cases`, `test_cases` (the default when
`--cases-dir` is absent) and `enhanced_test_cases`. Nothing of one case may be seen in the answer to another."""


def pointer(stem: str) -> str:
    """The line that points to a feature's public cases."""
    return f"Public cases: `rcb_tests/public_test_cases/{stem}.json`"


def ground_page(draft: Draft, features: tuple[Feature, ...], public: Mapping[str, str]) -> str:
    """The whole page. ``public``: contents of the public files by stem, which stand in it byte for byte."""
    constraints = draft.constraints
    parts = [
        f"# {_line(draft.title)}",
        f"## 1. What is wanted\n\n{draft.purpose.strip()}",
        "## 2. Engineering constraints\n\n"
        + "\n".join(
            f"- **{name}.** {_line(text)}"
            for name, text in (
                ("Organisation fits the scale", constraints.organisation),
                ("Core apart from adapter", constraints.separation),
                ("One responsibility each, open for extension", constraints.solid),
                ("Robust", constraints.robustness),
            )
        ),
        f"## 3. Program contract\n\n### 3.1 Invocation\n\n{INVOCATION}",
        f"### 3.2 Requests and answers\n\n{draft.answers.strip()}",
        f"### 3.3 Errors\n\n{draft.errors.strip()}",
    ]
    for number, section in enumerate(draft.sections, 4):
        parts.append(f"## {number}. {_line(section.heading)}\n\n{section.body.strip()}")
    parts.append(_features(4 + len(draft.sections), draft, features, public))
    return "\n\n".join(parts) + "\n"


def _features(number: int, draft: Draft, features: tuple[Feature, ...], public: Mapping[str, str]) -> str:
    known = {feature.id: feature for feature in features}
    parts, group, places = [f"## {number}. Features"], None, [0, 0]
    for each in draft.features:
        parent = known[each.id].parent
        if parent is None or parent != group:
            places = [places[0] + 1, 0]
            group = parent
            if parent is not None:
                parts.append(f"### {number}.{places[0]} {_line(parent)}")
        if parent is None:
            heading = f"### {number}.{places[0]}"
        else:
            places[1] += 1
            heading = f"#### {number}.{places[0]}.{places[1]}"
        parts.append(_feature(heading, each, public[each.id]))
    return "\n\n".join(parts)


def _feature(heading: str, feature: DraftFeature, example: str) -> str:
    story = _line(feature.story).strip("*_ ")
    return (
        f"{heading} {_line(feature.title)} (`{feature.id}`)\n\n*{story}*\n\n{feature.behaviour.strip()}\n\n"
        f"{pointer(feature.id)}\n\n```json\n{example.rstrip()}\n```"
    )


def _line(text: str) -> str:
    return " ".join(text.split())
