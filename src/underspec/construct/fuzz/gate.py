"""The gate of the stage fuzz: requests, records and omissions against each other and the GroundPRD, and the router."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from underspec.artifact.threads import in_thread
from underspec.construct.findings import GateFinding, Verdict
from underspec.construct.fuzz.files import LEVELS, RECORDS, Levels, Material, page, read_levels, read_material
from underspec.construct.ground.gate import GOLDEN
from underspec.construct.ground.sources import golden_symbols, terms_of
from underspec.construct.materials import read_part
from underspec.construct.stage import Work
from underspec.construct.text_gates import exposure, ground, naming, reach, records, third
from underspec.construct.text_gates.vocabulary import vocabulary_of
from underspec.task.model import GoldenToml, Level

EVIDENCE = "probes.json"


async def judge_fuzz(work: Work) -> Verdict:
    """All text gates over the stage's files, and every record asked for."""
    findings: list[GateFinding] = []
    material = read_material(work, findings)
    levels = read_levels(work.out, findings)
    if material is None or levels is None:
        return Verdict(findings=tuple(findings))
    golden = read_part(material.golden, GOLDEN, GoldenToml, findings)
    findings += judge_texts(material, levels, golden)
    asked: dict[Level, dict[str, list[reach.Probe]]] = {}
    for level in LEVELS:
        work.say(f"asking the router about {level}")
        known = levels.records[level]
        probes = {**reach.made_probes(known), **probes_of(levels, level)}
        asked[level] = await in_thread(reach.ask_router, known, probes)
        findings += reach.check_reach(level, known, asked[level])
    evidence = {
        level: {
            name: [{"question": one.question, "ids": list(one.ids)} for one in probes] for name, probes in by.items()
        }
        for level, by in asked.items()
    }
    (work.evidence / EVIDENCE).write_text(json.dumps(evidence, indent=1, ensure_ascii=True), encoding="utf-8")
    return Verdict(findings=tuple(findings), facts=_facts(levels, asked))


def judge_texts(material: Material, levels: Levels, golden: GoldenToml | None) -> Iterator[GateFinding]:
    """Everything but the router."""
    requests, known, omissions = levels.requests, levels.records, levels.omissions
    vocabulary = vocabulary_of(material.native, material.contract.allowed)
    hidden = {level: {point.record: point.hidden for point in omissions.points_of(level)} for level in ("L1", "L2")}
    suites = {"public": material.public, "native": material.native, "enhanced": material.enhanced}
    for level in ("L1", "L2"):
        yield from exposure.check_hidden(page(level), requests[level], hidden[level])
        yield from exposure.check_no_cases(page(level), requests[level], suites)
    for level in LEVELS:
        yield from records.check_records(level, known[level])
        yield from records.check_pointers(level, requests[level], known[level])
    yield from records.check_omissions(omissions, requests["L1"], material.ground, known["L1"])
    yield from records.check_signature(material.contract.actions, known["L1"])
    yield from exposure.check_restored(omissions, known["L1"], known["L2"])
    yield from exposure.check_shown_more(omissions, requests["L1"], requests["L2"])
    kept = frozenset({*vocabulary.parameters, *vocabulary.answers, *material.contract.allowed})
    yield from third.check_third(omissions, material.ground, requests["L3"], known["L3"], kept)
    yield from ground.check_examples(page("L3"), requests["L3"], material.shown)
    texts = {page(level): requests[level] for level in LEVELS}
    texts[RECORDS] = "\n".join(
        text
        for level in LEVELS
        for record in known[level].records
        for text in (record.category, record.response, *record.triggers)
    ) + "\n".join(text for level in LEVELS for text in known[level].responses().values())
    yield from naming.check_identity(texts, terms_of(material.selection, golden))
    symbols = golden_symbols(material.golden / "golden", material.selection.language)
    yield from naming.check_symbols(texts, symbols, vocabulary)


def probes_of(levels: Levels, level: Level) -> Mapping[str, Sequence[str]]:
    """The questions that must reach each record of a level."""
    omissions = levels.omissions
    if level == "L3":
        return {hidden.record: hidden.probes for hidden in omissions.L3.hidden}
    return {point.record: point.probes for point in omissions.points_of(level)}


def _facts(levels: Levels, asked: Mapping[Level, Mapping[str, Sequence[reach.Probe]]]) -> dict[str, object]:
    return {
        "constraints": len(levels.omissions.constraints),
        "records": {level: len(levels.records[level].records) for level in LEVELS},
        "restored": len(levels.omissions.L2.restored),
        "probes": sum(len(probes) for by in asked.values() for probes in by.values()),
        "probes_that_reach": sum(
            name in probe.ids for by in asked.values() for name, probes in by.items() for probe in probes
        ),
        "words": {level: len(levels.requests[level].split()) for level in LEVELS},
    }
