"""Labels of approved replies, given after the run: are they right, and what do they disclose (SWE-Clar C.3, E).

They decide nothing about what an agent gets. What somebody labels by hand stands above what a model says.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from underspec.artifact.base import Artifact
from underspec.artifact.clarification import Transcript
from underspec.artifact.judgements import Adjudication, Judgements

Disclosure = Literal["complete", "partial", "uncertain", "none"]
DISCLOSURES: tuple[Disclosure, ...] = ("complete", "partial", "uncertain", "none")


class ReplyLabel(Artifact):
    """Whether one round's first draft and its final reply are correct; None where nobody could say.

    Where nothing was revised they are one text, and one label.
    """

    round: int = Field(ge=1)
    first: bool | None
    final: bool | None
    reason: str = ""


class ReplyLabels(Artifact):
    """What the assessor says of one clarification. ``transcript`` is the digest of what was assessed."""

    schema_version: Literal[1] = 1
    task: str
    transcript: str
    labels: tuple[ReplyLabel, ...]

    def revised(self, transcript: Transcript) -> list[tuple[bool | None, bool | None]]:
        """First draft and final reply of each question of which a reply was revised: what Table 11 counts."""
        numbers = {one.number for one in transcript.rounds if one.revised}
        return [(label.first, label.final) for label in self.labels if label.round in numbers]


class DisclosureLabel(Artifact):
    """What one round's reply discloses of one unit; None where nobody could say."""

    round: int = Field(ge=1)
    unit: str
    disclosure: Disclosure | None


class DisclosureLabels(Artifact):
    """What the annotator says of one clarification. ``hidden`` are the units that the request leaves out."""

    schema_version: Literal[1] = 1
    task: str
    transcript: str
    hidden: tuple[str, ...]
    labels: tuple[DisclosureLabel, ...]

    def first_complete(self) -> dict[str, int | None]:
        """For each initially hidden unit the round in which it was first fully disclosed; None if in none."""
        found: dict[str, int | None] = dict.fromkeys(self.hidden)
        for label in sorted(self.labels, key=lambda one: one.round):
            if label.disclosure == "complete" and label.unit in found and found[label.unit] is None:
                found[label.unit] = label.round
        return found


class ManualReply(Artifact):
    """A reply that somebody has labelled: the first draft or the final reply of one round."""

    transcript: str
    round: int = Field(ge=1)
    which: Literal["first", "final"]
    correct: bool
    by: str
    reason: str = ""


class ManualDisclosure(Artifact):
    """What somebody says that one reply discloses."""

    transcript: str
    round: int = Field(ge=1)
    unit: str
    disclosure: Disclosure
    by: str
    reason: str = ""


class ManualLabels(Artifact):
    """``manual-labels.json`` in a run's folder. Each names, by digest, the answers or the transcript that it is about,
    so that it never outlives them; what models had said stays in their artifacts."""

    schema_version: Literal[1] = 1
    adjudications: tuple[Adjudication, ...] = ()
    replies: tuple[ManualReply, ...] = ()
    disclosures: tuple[ManualDisclosure, ...] = ()

    def on_judgements(self, judgements: Judgements) -> Judgements:
        """The judgements with the labels that were settled by hand."""
        settled = {each.unit: each.label for each in self.adjudications if each.answers == judgements.answers}
        units = tuple(
            unit.model_copy(update={"label": settled.get(unit.unit, unit.label)}) for unit in judgements.units
        )
        return judgements.model_copy(update={"units": units})

    def on_replies(self, labels: ReplyLabels, transcript: Transcript) -> ReplyLabels:
        """The assessor's labels with those given by hand over them; an unrevised reply has one label for both."""
        revised = {one.number: one.revised for one in transcript.rounds}
        by_round = {label.round: label for label in labels.labels}
        for each in self.replies:
            if each.transcript == labels.transcript and each.round in revised:
                known = by_round.get(each.round, ReplyLabel(round=each.round, first=None, final=None))
                names = (each.which,) if revised[each.round] else ("first", "final")
                changed = {**dict.fromkeys(names, each.correct), "reason": each.reason}
                by_round[each.round] = known.model_copy(update=changed)
        return labels.model_copy(update={"labels": tuple(by_round[number] for number in sorted(by_round))})

    def on_disclosures(self, labels: DisclosureLabels) -> DisclosureLabels:
        """The annotator's labels with those given by hand over them."""
        found = {(label.round, label.unit): label for label in labels.labels}
        for each in self.disclosures:
            if each.transcript == labels.transcript:
                place = (each.round, each.unit)
                found[place] = DisclosureLabel(round=each.round, unit=each.unit, disclosure=each.disclosure)
        return labels.model_copy(update={"labels": tuple(found[place] for place in sorted(found))})

    def joined(self, other: ManualLabels) -> ManualLabels:
        """Both; where they speak of the same, the other's."""

        def merged(mine: tuple[Artifact, ...], others: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
            own = {"label", "correct", "disclosure", "by", "reason"}
            both = {str(sorted(each.model_dump(exclude=own).items())): each for each in (*mine, *others)}
            return tuple(both.values())

        return ManualLabels.model_validate({name: merged(getattr(self, name), getattr(other, name)) for name in _LISTS})


_LISTS = ("adjudications", "replies", "disclosures")
