"""Records: each omission has one, complete enough to be found and to answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.omissions import Omissions
from underspec.construct.text_gates.wording import Text
from underspec.task.checks.records import LEAST_TRIGGERS
from underspec.task.model import LevelRecords, RecordKind

FILE = "records.json"
VAGUE = (1, 2)
_MADE = (RecordKind.CASE_FILE, RecordKind.HARNESS)
_KINDS = ("api", "edge_case", "architecture")


def check_records(level: str, known: LevelRecords) -> Iterator[GateFinding]:
    """Each record has five different trigger phrases, an answer and a category; ids stand once."""
    seen: set[str] = set()
    for place, record in enumerate(known.records):
        where = f"$.levels.{level}.records[{place}]"
        distinct = {Text(trigger).readings[0].flat for trigger in record.triggers} - {""}
        if len(distinct) < LEAST_TRIGGERS:
            message = f"{record.id} has {len(distinct)} different trigger phrases, fewer than {LEAST_TRIGGERS}"
            mend = "add other ways in which somebody would ask for it"
            yield _said("too_few_triggers", message, f"{where}.triggers", mend, evidence=ascii(sorted(distinct))[:200])
        if not record.response.strip():
            yield _said("no_response", f"{record.id} answers nothing", f"{where}.response", "write the answer")
        if not record.category.strip():
            yield _said("no_category", f"{record.id} has no category", f"{where}.category", "name one")
        if record.id in seen:
            yield _said("record_twice", f"{record.id} stands twice", where, "give each record an id of its own")
        seen.add(record.id)


def check_pointers(level: str, request: str, known: LevelRecords) -> Iterator[GateFinding]:
    """One or two vague references, which stand in the request, once, while their meaning does not."""
    if not VAGUE[0] <= len(known.pointers) <= VAGUE[1]:
        message = f"{level} has {len(known.pointers)} vague references; it has one or two"
        yield _said("vague_references", message, f"$.levels.{level}.pointers", "write one or two")
    text = Text(request)
    for place, pointer in enumerate(known.pointers):
        where = f"$.levels.{level}.pointers[{place}]"
        times = len(text.find(pointer.reference))
        if times != 1:
            message = f"{pointer.reference[:80]!a} stands {times} times in {level}, not once"
            yield _said("reference_not_once", message, f"{where}.reference", "quote the request's own words")
        if text.holds(pointer.meaning):
            message = f"{level} says what {pointer.reference[:80]!a} means"
            yield _said("reference_explained", message, f"{where}.meaning", "leave the explanation to the pointer")


def check_omissions(omissions: Omissions, request: str, ground: str, known: LevelRecords) -> Iterator[GateFinding]:
    """Every constraint of the list is stated by L1 in words that stand there, or has a record; every point hides
    something that the GroundPRD says; the points are of all three kinds."""
    records = {record.id: record for record in known.records}
    covered: set[str] = set()
    text, whole = Text(request), Text(ground)
    ids = {each.id for each in omissions.constraints}
    for place, point in enumerate(omissions.L1.points):
        where = f"$.L1.points[{place}]"
        if point.record not in records:
            message = f"there is no record {point.record} at L1"
            yield _plan("omission_without_record", message, where, "write the record, or show the point")
            continue
        covered.update(point.covers)
        for name in sorted(set(point.covers) - ids):
            yield _plan("unknown_constraint", f"{name!a} is no constraint of the list", where, "name one of the list")
        if not point.hidden and records[point.record].kind not in _MADE:
            yield _plan("nothing_hidden", f"{point.record} hides no phrase", where, "name what must not be shown")
        elif point.hidden and not any(whole.holds(phrase) for phrase in point.hidden):
            message = f"the GroundPRD says none of the phrases that {point.record} hides, such as {point.hidden[0]!a}"
            yield _plan("nothing_hidden", message, where, "name words of the GroundPRD that give the point away")
    for place, shown in enumerate(omissions.L1.shown):
        if shown.constraint not in ids:
            message = f"{shown.constraint!a} is no constraint of the list"
            yield _plan("unknown_constraint", message, f"$.L1.shown[{place}]", "name one of the list")
        if not text.holds(shown.quote):
            message = f"{shown.quote[:80]!a}, which is to state {shown.constraint}, does not stand in L1"
            yield _plan("quote_not_shown", message, f"$.L1.shown[{place}]", "quote L1, or write a record")
        else:
            covered.add(shown.constraint)
    for place, each in enumerate(omissions.constraints):
        if each.id not in covered:
            message = f"{each.id} ({each.rule[:80]!a}) is neither stated by L1 nor has it a record"
            yield _plan("omission_without_record", message, f"$.constraints[{place}]", "write a record that covers it")
    points = {point.record for point in omissions.L1.points}
    for record in known.records:
        if record.id not in points and record.kind not in _MADE:
            message = f"{record.id} stands for no point of the list"
            yield _plan("record_without_point", message, "$.L1.points", "say what it covers and hides")
    missing = [kind for kind in _KINDS if kind not in {point.kind for point in omissions.L1.points}]
    if missing:
        message = f"no omitted point is of the kind {missing[0]}"
        yield _plan("kind_missing", message, "$.L1.points", "omit points of all three kinds")


def check_signature(actions: Iterable[str], known: LevelRecords) -> Iterator[GateFinding]:
    """The signature names every action of the contract."""
    text = Text(known.signature or "")
    lacking = [action for action in actions if not text.find_exact(action)]
    if lacking:
        message = f"the signature does not name the action {lacking[0]!a}"
        mend = "give every action with its parameters, and which are optional"
        yield _said("signature_incomplete", message, "$.levels.L1.signature", mend)


def _said(kind: str, message: str, where: str, mend: str, evidence: str | None = None) -> GateFinding:
    return GateFinding(kind=kind, message=message, file=FILE, where=where, evidence=evidence, mend=mend)


def _plan(kind: str, message: str, where: str, mend: str) -> GateFinding:
    return GateFinding(kind=kind, message=message, file="omissions.json", where=where, mend=mend)
