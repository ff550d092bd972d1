"""Whether a GroundPRD is whole: engineering constraints, invocation, and every leaf feature with its example cases.

Each leaf is a section whose text holds a user story and the behaviour, then the pointer
``rcb_tests/public_test_cases/<stem>.json`` and, in a fenced block, that file's content.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.vocabulary import CaseValue, Files
from underspec.construct.text_gates.wording import Text
from underspec.task.cases import case_key

_POINTER = re.compile(r"rcb_tests/public_test_cases/([^\s`]+)\.json")
_FENCE = re.compile(r"\s*^```json[ \t]*\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_STORY = re.compile(
    r"\bAs (?:an?|the|someone|somebody)\b.{3,}?\bI (?:want|need|would|can|wish|expect)\b", re.DOTALL | re.I
)
_BEHAVIOUR_WORDS = 12
MOST_PUBLIC = 2

# Each general constraint (ICAE III-B), and words one of which it cannot be said without.
CONSTRAINTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("organisation that fits the scale", ("fits the size", "fits the scale", "organisation", "organization")),
    ("a core apart from its adapter", ("adapter",)),
    ("single responsibility", ("responsibility", "responsible for one")),
    ("open for extension", ("open for extension", "extended without", "extension", "extensible")),
    ("robustness", ("robust", "robustness", "never crash", "never a crash")),
)


@dataclass(frozen=True)
class Leaf:
    """A pointer in a requirement: its stem, the section's text before it, and the fenced block behind it."""

    stem: str
    place: tuple[int, int]
    section: str
    block: tuple[int, int] | None
    example: str | None


def leaves_of(text: str) -> list[Leaf]:
    """Every pointer to a public case file, in order."""
    found = []
    for pointer in _POINTER.finditer(text):
        headings = [heading.end() for heading in _HEADING.finditer(text, 0, pointer.start())]
        section = text[headings[-1] if headings else 0 : text.rfind("\n", 0, pointer.start()) + 1]
        rest = text.find("\n", pointer.end())
        fence = _FENCE.match(text, rest) if rest >= 0 else None
        block = (fence.start(), fence.end()) if fence else None
        found.append(Leaf(pointer[1], pointer.span(), section, block, fence["body"] if fence else None))
    return found


def check_constraints(file: str, text: str) -> Iterator[GateFinding]:
    """The general engineering constraints, and how the program is invoked."""
    prepared = Text(text)
    for what, words in CONSTRAINTS:
        if not any(prepared.holds(word) for word in words):
            message = f"the general engineering constraints lack {what}"
            yield GateFinding(kind="constraint_missing", message=message, file=file, evidence=" / ".join(words))
    if not prepared.find_exact("rcb_tests/test.sh --cases-dir"):
        message = "does not say how cases are run"
        mend = "say what bash rcb_tests/test.sh --cases-dir <folder> does"
        yield GateFinding(kind="invocation_missing", message=message, file=file, mend=mend)


def check_words(file: str, text: str, words: Mapping[str, str]) -> Iterator[GateFinding]:
    """Every word that a builder must know is said. ``words``: what each is."""
    prepared = Text(text)
    for word, what in words.items():
        if not prepared.find_exact(word):
            message, mend = f"does not name the {what} {word!a}", "say what it is and when it is used"
            yield GateFinding(kind="contract_word_missing", message=message, file=file, where=word, mend=mend)


def check_leaves(file: str, text: str, native: Files) -> Iterator[GateFinding]:
    """Each leaf feature has a section with a story and a behaviour, and each section has cases."""
    leaves = leaves_of(text)
    prepared = Text(text)
    stems = [leaf.stem for leaf in leaves]
    for stem in sorted(native):
        if stems.count(stem) != 1:
            message = f"points {stems.count(stem)} times to the public cases of {stem}"
            mend = f"give {stem} one section, with a line that names rcb_tests/public_test_cases/{stem}.json"
            yield GateFinding(kind="leaf_without_section", message=message, file=file, where=stem, mend=mend)
    for leaf in leaves:
        where = prepared.line(leaf.place)
        if leaf.stem not in native:
            message = f"the feature {leaf.stem!a} has no native cases"
            mend = "name a feature that has cases, or leave the section out"
            yield GateFinding(kind="leaf_without_cases", message=message, file=file, where=where, mend=mend)
        story = _STORY.search(leaf.section)
        if not story:
            message, mend = f"{leaf.stem!a} has no user story", "write: As a ..., I want ..., so that ..."
            yield GateFinding(kind="story_missing", message=message, file=file, where=where, mend=mend)
        said = leaf.section.replace(story[0], "") if story else leaf.section
        if len(said.split()) < _BEHAVIOUR_WORDS:
            message, mend = f"{leaf.stem!a} says hardly anything of its behaviour", "say what it does, in plain words"
            yield GateFinding(kind="behaviour_missing", message=message, file=file, where=where, mend=mend)


def check_examples(file: str, text: str, public: Mapping[str, str]) -> Iterator[GateFinding]:
    """Each pointer is followed by its public file, byte for byte. ``public``: contents by stem, without canaries."""
    prepared = Text(text)
    shown = set()
    for leaf in leaves_of(text):
        where, wanted = prepared.line(leaf.place), public.get(leaf.stem)
        if wanted is None:
            message = f"there is no public case file {leaf.stem!a}"
            yield GateFinding(kind="public_file_missing", message=message, file=file, where=where)
        elif leaf.example is None:
            message = f"the example cases of {leaf.stem} do not follow the line that points to them"
            mend = "show the public file's content in a ```json block right after that line"
            yield GateFinding(kind="example_missing", message=message, file=file, where=where, mend=mend)
        elif leaf.example.rstrip("\n") != wanted.rstrip("\n"):
            yield GateFinding(
                kind="example_changed",
                message=f"the example cases of {leaf.stem} are not those of its public file, byte for byte",
                file=file,
                where=where,
                evidence=_first_difference(wanted.rstrip("\n"), leaf.example.rstrip("\n")),
                mend="paste the public file's content",
            )
        shown.add(leaf.stem)
    for stem in sorted(set(public) - shown):
        message = f"the public cases of {stem} are shown nowhere"
        yield GateFinding(kind="example_missing", message=message, file=file, where=stem)


def check_public(public: Files, native: Files, *, folder: str = "public") -> Iterator[GateFinding]:
    """One or two cases a leaf, each a native case of the same leaf."""
    for stem in sorted(native):
        if stem not in public:
            message, mend = f"no case of {stem} is public", "choose one or two of its native cases"
            yield GateFinding(kind="no_public_case", message=message, file=f"{folder}/{stem}.json", mend=mend)
    for stem, file in sorted(public.items()):
        path = f"{folder}/{stem}.json"
        known = {case_key(case) for case in native[stem].cases} if stem in native else set()
        if len(file.cases) > MOST_PUBLIC:
            message = f"shows {len(file.cases)} cases, more than {MOST_PUBLIC}"
            mend = "keep those that represent the feature best; the rest stay hidden"
            yield GateFinding(kind="too_many_public", message=message, file=path, mend=mend)
        for index, case in enumerate(file.cases):
            if case_key(case) not in known:
                message, mend = f"is no native case of {stem}", "mirror a native case exactly"
                where = f"$.cases[{index}]"
                yield GateFinding(kind="public_not_native", message=message, file=path, where=where, mend=mend)


def prose_of(text: str, stems: Container[str]) -> str:
    """The text with the example blocks of these stems blanked; lines keep their numbers. What stands in such a block is
    for :func:`check_examples` to judge."""
    for leaf in reversed(leaves_of(text)):
        if leaf.block and leaf.stem in stems:
            begin, end = leaf.block
            text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    return text


def check_values(
    file: str, prose: str, values: Iterator[CaseValue], allowed: frozenset[str] = frozenset()
) -> Iterator[GateFinding]:
    """No concrete value of a case in the prose. ``allowed`` are constants that are rules themselves, such as a bound
    that a case happens to use."""
    prepared = Text(prose)
    told: set[str] = set()
    for value in values:
        if value.text in told or value.text in allowed:
            continue
        told.add(value.text)
        places = prepared.find_exact(value.text)
        if places:
            yield GateFinding(
                kind="case_value_in_prose",
                message=f"states {value.text[:80]!a}, a value of the case {value.file} {value.where}",
                file=file,
                where=prepared.line(places[0]),
                evidence=prepared.quote(places[0]),
                mend="describe it in words; if it is a constant of the rules themselves, list it as one",
            )


def _first_difference(wanted: str, found: str) -> str:
    ours, theirs = wanted.splitlines(), found.splitlines()
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != other:
            return f"line {number}: {other[:80]!a} instead of {one[:80]!a}"
    return f"{len(theirs)} lines instead of {len(ours)}"
