"""Whether every record is reached by a question that does not use its trigger phrases: asked of the real router."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.wording import Text
from underspec.stakeholder.embedded import EmbeddedRouter
from underspec.stakeholder.words import content
from underspec.task.checks.overlap import ALIKE_PHRASES
from underspec.task.model import LevelRecords

MOST_GIVEN = 3
FILE = "omissions.json"


@dataclass(frozen=True)
class Probe:
    """A question, and what the router would answer it with: ids in order, at most :data:`MOST_GIVEN`."""

    question: str
    ids: tuple[str, ...]


def ask_router(known: LevelRecords, probes: Mapping[str, Sequence[str]]) -> dict[str, list[Probe]]:
    """Every probe, asked of the embedded router with all records of the level. The first one takes seconds."""
    router = EmbeddedRouter()
    return {
        name: [Probe(each, tuple(dict.fromkeys(router.route_now(each, known).ids))[:MOST_GIVEN]) for each in questions]
        for name, questions in probes.items()
    }


def made_probes(known: LevelRecords) -> dict[str, list[str]]:
    """Questions for what can be answered besides records: vague references by their phrase, and the signature."""
    made = {
        f"P{place}": [f'What does "{each.reference}" mean?', f"What do you mean by '{each.reference}'?"]
        for place, each in enumerate(known.pointers)
    }
    if known.signature:
        made["SIG"] = [
            "What are the exact names of the actions and their parameters?",
            "Which arguments does each operation take, and which of them are optional?",
        ]
    return made


def _answerable(known: LevelRecords) -> Iterator[tuple[str, Sequence[str], str]]:
    """Id, trigger phrases and response of everything that can be answered."""
    responses = known.responses()
    triggers = {record.id: record.triggers for record in known.records}
    for name, response in responses.items():
        yield name, triggers.get(name, ()), response


def check_reach(level: str, known: LevelRecords, asked: Mapping[str, Sequence[Probe]]) -> Iterator[GateFinding]:
    """Each record is among the answers to one of its probes; probes that are trigger phrases do not count."""
    for name, triggers, response in _answerable(known):
        probes = asked.get(name, ())
        if not probes:
            message, mend = f"no question probes {name} at {level}", "write two questions that should reach it"
            yield GateFinding(kind="no_probe", message=message, file=FILE, where=name, mend=mend)
            continue
        fair = []
        for probe in probes:
            used = used_trigger(probe.question, triggers)
            if used is None:
                fair.append(probe)
                continue
            message = f"a probe of {name} uses its trigger phrase {used[:80]!a}"
            mend = "ask in other words; it proves nothing otherwise"
            yield GateFinding(
                kind="probe_uses_trigger",
                message=message,
                severity="warning" if len(probes) > 1 else "error",
                file=FILE,
                where=name,
                evidence=ascii(probe.question[:120]),
                mend=mend,
            )
        if not any(name in probe.ids for probe in fair):
            yield GateFinding(
                kind="unreachable_record",
                message=f"no question reaches {name} at {level}: {response[:60]!a}",
                file="records.json",
                where=f"{level} {name}",
                evidence="; ".join(
                    f"{probe.question[:100]!a} -> {', '.join(probe.ids) or 'the fallback'}" for probe in fair
                )
                or "every probe uses a trigger phrase",
                mend="write trigger phrases that say what it is about, and tell it apart from the records named",
            )


def used_trigger(question: str, triggers: Sequence[str]) -> str | None:
    """The trigger phrase that a question uses: it stands in it, or has nearly the same words. None if none."""
    text, said = Text(question), frozenset(content(question))
    for trigger in triggers:
        words = frozenset(content(trigger))
        alike = len(words & said) / len(words | said) if words | said else 0.0
        if alike >= ALIKE_PHRASES or (re.search(r"\w", trigger) and text.holds(trigger)):
            return trigger
    return None
