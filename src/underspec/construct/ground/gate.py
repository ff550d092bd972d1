"""The gate of the stage ground: what was written, by whomever, against cases, contract and golden code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from underspec.construct.findings import GateFinding, Verdict
from underspec.construct.ground.draft import LONGEST_CONSTANT, MOST_CONSTANTS, Kept
from underspec.construct.ground.sources import golden_symbols, terms_of
from underspec.construct.materials import (
    CONTRACT,
    NATIVE,
    PUBLIC,
    SELECTION,
    Contract,
    Selection,
    read_cases,
    read_part,
)
from underspec.construct.text_gates import ground, naming
from underspec.construct.text_gates.vocabulary import Files, case_values, vocabulary_of
from underspec.construct.text_gates.wording import Text
from underspec.task.canary import blank_canaries, strip_markdown_canary
from underspec.task.model import GoldenToml

GROUND, FEATURES, GOLDEN = "ground.md", "features.json", "golden.toml"


def judge_ground(out: Path, selected: Path, refactored: Path) -> Verdict:
    """All text gates over the stage's files."""
    findings: list[GateFinding] = []
    native = read_cases(refactored, NATIVE, findings)
    public = read_cases(out, PUBLIC, findings)
    contract = read_part(refactored, CONTRACT, Contract, findings)
    selection = read_part(selected, SELECTION, Selection, findings)
    kept = read_part(out, FEATURES, Kept, findings)
    text = read_page(out, GROUND, findings)
    if text is None or contract is None or selection is None or kept is None or not native:
        return Verdict(findings=tuple(findings))
    shown = public_texts(out, public)
    vocabulary = vocabulary_of(native, contract.allowed)
    golden = read_part(selected, GOLDEN, GoldenToml, findings)
    texts = {GROUND: text, **{f"{PUBLIC}/{stem}.json": content for stem, content in shown.items()}}
    texts[FEATURES] = kept.model_dump_json()
    symbols = golden_symbols(selected / "golden", selection.language)
    if not symbols:
        message = f"no name was found in the golden code ({selection.language}), so none could be sought in the texts"
        mend = "read the texts for names of functions and classes"
        findings.append(GateFinding(kind="symbols_unknown", message=message, severity="warning", mend=mend))
    prose = ground.prose_of(text, shown)
    findings += ground.check_public(public, native)
    findings += ground.check_constraints(GROUND, text)
    said = dict.fromkeys(contract.actions, "action")
    said |= {error.category: "error category" for error in contract.errors}
    said |= dict.fromkeys(_parameters(native), "parameter")
    findings += ground.check_words(GROUND, prose, said)
    findings += ground.check_leaves(GROUND, text, native)
    findings += ground.check_examples(GROUND, text, shown)
    values = list(case_values(native, vocabulary, folder=NATIVE))
    findings += ground.check_values(GROUND, prose, iter(values), frozenset(kept.constants))
    findings += _constants(kept, prose, native)
    findings += naming.check_identity(texts, terms_of(selection, golden))
    findings += naming.check_symbols(texts, symbols, vocabulary)
    for name in {feature.id for feature in contract.features} ^ {feature.id for feature in kept.features}:
        message, mend = f"{name} does not stand in both contract and {FEATURES}", "give each feature one entry"
        findings.append(GateFinding(kind="features_differ", message=message, file=FEATURES, mend=mend))
    facts = {
        "features": len(kept.features),
        "public": sum(len(file.cases) for file in public.values()),
        "native": sum(len(file.cases) for file in native.values()),
        "words": len(prose.split()),
        "symbols_sought": len(symbols),
        "values_sought": len(values),
    }
    return Verdict(findings=tuple(findings), facts=facts)


def read_page(out: Path, file: str, findings: list[GateFinding]) -> str | None:
    """A Markdown file without its canary; None, with a finding, where there is none."""
    path = out / file
    try:
        if path.is_symlink():
            raise OSError("is a link")
        text = strip_markdown_canary(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as problem:
        message = f"cannot be read: {problem}"
        findings.append(GateFinding(kind="bad_file", message=message, file=file, mend="make it a UTF-8 text"))
        return None
    if not text.strip():
        findings.append(GateFinding(kind="missing_file", message="is missing or empty", file=file, mend="write it"))
        return None
    return text


def public_texts(out: Path, public: Files) -> dict[str, str]:
    """The public files' contents by stem, as they stand on disk."""
    return {
        stem: blank_canaries(f"{stem}.json", (out / PUBLIC / f"{stem}.json").read_bytes().decode("utf-8"))
        for stem in public
    }


def _parameters(native: Files) -> Iterator[str]:
    """Names of members of requests; what lies deeper may be data."""
    for file in native.values():
        for case in file.cases:
            yield from case.input if isinstance(case.input, dict) else ()


def _constants(kept: Kept, prose: str, native: Files) -> Iterator[GateFinding]:
    """Constants are short, few, said, and no expected output as a whole."""
    text = Text(prose)
    outputs = {case.expected_output.strip() for file in native.values() for case in file.cases}
    if len(kept.constants) > MOST_CONSTANTS:
        message = f"lists {len(kept.constants)} constants, more than {MOST_CONSTANTS}"
        yield GateFinding(kind="bad_constant", message=message, file=FEATURES, where="$.constants")
    for place, constant in enumerate(kept.constants):
        where = f"$.constants[{place}]"
        if len(constant) > LONGEST_CONSTANT or constant in outputs:
            message = f"{constant[:60]!a} is too much for a constant of the rules"
            mend = "take it out, and the value from the prose"
            yield GateFinding(kind="bad_constant", message=message, file=FEATURES, where=where, mend=mend)
        elif not text.find_exact(constant):
            message, mend = f"the constant {constant!a} is not said", "take it out"
            yield GateFinding(
                kind="unsaid_constant", message=message, severity="warning", file=FEATURES, where=where, mend=mend
            )
