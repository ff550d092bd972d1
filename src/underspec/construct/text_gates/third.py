"""L3: the GroundPRD with at most three literals hidden, one or two vague references, and everything else kept."""

from __future__ import annotations

from collections.abc import Iterator

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.edits import check_edits, check_nothing_else
from underspec.construct.text_gates.omissions import KEPT_FORMS, Constraint, Hidden, Omissions
from underspec.construct.text_gates.wording import Text
from underspec.task.model import LevelRecords

MOST_HIDDEN = 3
VAGUE = (1, 2)
FILE, PLAN = "L3.md", "omissions.json"


def check_third(
    omissions: Omissions, ground: str, text: str, known: LevelRecords, kept: frozenset[str]
) -> Iterator[GateFinding]:
    """L3's list, and that its text is what the list says.

    ``kept`` are the words of the contract: actions, parameters, names of answers, error categories.
    """
    plan = omissions.L3
    if not 1 <= len(plan.hidden) <= MOST_HIDDEN:
        message = f"L3 hides {len(plan.hidden)} constraints; it hides one to {MOST_HIDDEN}"
        yield GateFinding(kind="l3_hides_too_many" if plan.hidden else "l3_hides_nothing", message=message, file=PLAN)
    if not VAGUE[0] <= len(plan.vague) <= VAGUE[1]:
        message = f"L3 has {len(plan.vague)} vague references; it has one or two"
        yield GateFinding(kind="vague_references", message=message, file=PLAN, where="$.L3.vague")
    constraints = {each.id: each for each in omissions.constraints}
    for number, hidden in enumerate(plan.hidden):
        yield from _hidden(hidden, f"$.L3.hidden[{number}]", constraints.get(hidden.constraint), ground, text, known)
    taken = {hidden.constraint for hidden in plan.hidden}
    for number, vague in enumerate(plan.vague):
        where = f"$.L3.vague[{number}]"
        if vague.constraint not in constraints or vague.constraint in taken:
            message = f"{vague.constraint} is no constraint of the list that stays shown"
            yield GateFinding(kind="l3_constraint", message=message, file=PLAN, where=where, mend="name another")
        if vague.reference not in {pointer.reference for pointer in known.pointers}:
            message = f"nothing says what {vague.reference[:80]!a} means"
            mend = "write a pointer of this reference in records.json"
            yield GateFinding(kind="omission_without_record", message=message, file=PLAN, where=where, mend=mend)
    yield from check_edits(FILE, ground, text, plan.edits, where="$.L3")
    yield from check_nothing_else(FILE, ground, text, plan.edits)
    ours, theirs = Text(ground), Text(text)
    for word in sorted(kept):
        if ours.find_exact(word) and not theirs.find_exact(word):
            message = f"no longer has {word!a}, a name of the contract"
            mend = "keep names of actions, parameters and answers, and error categories"
            yield GateFinding(kind="contract_word_lost", message=message, file=FILE, mend=mend)
    for each in omissions.constraints:
        if each.form == "default" and (lost := [value for value in each.values if _lost(value, ours, theirs)]):
            message = f"no longer has {lost[0]!a}, the default of {each.id}"
            yield GateFinding(kind="default_lost", message=message, file=FILE, mend="keep defaults")


def _lost(value: str, before: Text, after: Text) -> bool:
    return bool(before.find_exact(value)) and not after.find_exact(value)


def _hidden(
    hidden: Hidden, where: str, constraint: Constraint | None, ground: str, text: str, known: LevelRecords
) -> Iterator[GateFinding]:
    def said(kind: str, message: str, mend: str | None = None, file: str = PLAN) -> GateFinding:
        return GateFinding(kind=kind, message=message, file=file, where=where, mend=mend)

    if constraint is None:
        yield said("l3_constraint", f"{hidden.constraint} is no constraint of the list", "name one")
    elif constraint.form in KEPT_FORMS:
        yield said("l3_hides_contract", f"{constraint.id} is a {constraint.form} rule, which L3 keeps", "hide another")
    elif constraint.ambiguous:
        yield said("l3_hides_ambiguous", f"{constraint.id} is ambiguous by itself", "hide another")
    record = next((record for record in known.records if record.id == hidden.record), None)
    if record is None:
        yield said("omission_without_record", f"there is no record {hidden.record} at L3", "write it")
    before, after, answer = Text(ground), Text(text), Text(record.response if record else "")
    for literal in hidden.literals:
        if constraint is not None and literal not in constraint.values:
            yield said("l3_literal", f"{literal!a} is no exact value of {constraint.id}", "hide one of its values")
        if not before.holds(literal):
            yield said("l3_literal", f"{literal!a} does not stand in the GroundPRD", "hide what stands there")
        places = after.find(literal)
        if places:
            yield GateFinding(
                kind="hidden_phrase_shown",
                message=f"shows {literal!a}, which {hidden.record} hides",
                file=FILE,
                where=after.line(places[0]),
                evidence=after.quote(places[0]),
                mend="edit this place too, or hide a literal that stands in fewer places",
            )
        if record is not None and not answer.holds(literal):
            yield said("response_lacks_literal", f"the response of {record.id} does not give {literal!a}", "say it")
