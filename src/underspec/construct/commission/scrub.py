"""scrub: nobody can be recognised in what goes on from here (SWE-Clar A.1)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from underspec.artifact.files import write_atomic
from underspec.construct.commission.candidate import FILES, MATERIALS, Candidate, Job, parsed, read_candidate
from underspec.construct.commission.identities import Replacements, Seen, name_pattern, seen_in, undisguised
from underspec.construct.commission.media import (
    NotUnderstoodError,
    is_notice,
    is_text,
    texts_of,
    with_texts,
    without_metadata,
)
from underspec.construct.commission.screen import CANDIDATE
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.materials import read_part, write_part
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.task.model import NonEmpty, Part
from underspec.task.tree import name_problem
from underspec.task.unpack import make_folders, write_file

CLEAN, REPORT, NAMES = "clean", "scrub.json", "names.json"
ORIGINALS = "originals.json"
"""In the stage's own folder, beside its files and its evidence, which every run of the gate empties: what stands for
what. It never leaves the working folder."""
_KEYS = ("a private key", "an access key", "an access token", "a signed token", "a password in an address")
SHAPE = Shape("names", {"names": {"type": "array", "items": {"type": "string"}}})


class Names(Part):
    """``names.json``: names of people, firms and products of theirs that must not stay. A person may add to it."""

    names: tuple[NonEmpty, ...] = ()


class Left(Part):
    """A file that was left out, and why."""

    path: NonEmpty
    why: NonEmpty


class Report(Part):
    """``scrub.json``: how much of which kind was replaced, and in how many files; nothing of the originals."""

    replaced: dict[str, int] = Field(default_factory=dict)
    files: int
    changed: int
    notices: tuple[str, ...] = ()
    without_metadata: tuple[str, ...] = ()
    left_out: tuple[Left, ...] = ()


class Scrub:
    """Replaces what could be recognised by stand-ins, the same everywhere."""

    name = "scrub"
    needs: tuple[str, ...] = ("screen",)
    version = 2
    prompts: tuple[str, ...] = ("rules", "material", "malformed")
    files: Mapping[str, str] = {
        NAMES: "names that must not stay; add what was missed, and redo",
        REPORT: "how much was replaced, by kind",
        **{f"{CLEAN}/{name}": what for name, what in FILES.items()},
    }
    calls = 1

    def reads(self, project: Project) -> dict[str, str]:
        """Nothing else."""
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Collect names, then replace everything everywhere by code."""
        source = work.of("screen") / CANDIDATE
        problems: list[GateFinding] = []
        candidate = read_candidate(source, problems)
        if candidate is None:
            raise NoProposalError(f"the candidate is not whole: {feedback(problems)}", kind="bad_needs")
        names = await self._names(work, candidate, findings)
        write_part(work.out / NAMES, Names(names=tuple(sorted(names))))
        report, replacements = _scrubbed(source, work.out / CLEAN, names)
        write_part(work.out / REPORT, report)
        made = {f"{kind}: {words}": stand_in for (kind, words), stand_in in replacements.made.items()}
        write_atomic(work.evidence.parent / ORIGINALS, json.dumps(made, indent=1, ensure_ascii=False).encode())

    async def gate(self, work: Work) -> Verdict:
        """Nothing that could be recognised stands anywhere; notices are as they were."""
        findings: list[GateFinding] = []
        source = work.of("screen") / CANDIDATE
        names = read_part(work.out, NAMES, Names, findings)
        report = read_part(work.out, REPORT, Report, findings)
        candidate = read_candidate(work.out / CLEAN, findings)
        before = read_candidate(source, [])
        if names is None or report is None or candidate is None or before is None:
            return Verdict(findings=tuple(findings))
        known = {*names.names, *names_of(before)}
        looked_at = 0
        for path in _paths(work.out / CLEAN):
            looked_at += 1
            findings += _left_in(path, (work.out / CLEAN / path).read_bytes(), known)
            original = source / path
            if (
                is_notice(path)
                and original.is_file()
                and original.read_bytes() != (work.out / CLEAN / path).read_bytes()
            ):
                message = "a notice of somebody else's was changed"
                findings.append(GateFinding(kind="notice_changed", message=message, file=f"{CLEAN}/{path}"))
        facts = {"files": looked_at, "replaced": report.replaced, "left_out": len(report.left_out)}
        return Verdict(findings=tuple(findings), facts=facts)

    async def _names(self, work: Work, candidate: Candidate, findings: Sequence[GateFinding]) -> set[str]:
        names = {*names_of(candidate), *map(str, work.options.get("names", ()))}
        kept = read_part(work.out, NAMES, Names, [])
        names |= set(kept.names) if kept else set()
        names |= {finding.evidence for finding in findings if finding.kind == "recognisable" and finding.evidence}
        if work.model is None:
            return names
        user = work.prompt("material", material=as_data(conversation=candidate.shown()))
        said = await work.ask(work.prompt("rules"), user, SHAPE, _read, again=work.prompt("malformed"))
        return names | {name for name in said.names if 2 < len(name) <= 80 and candidate_says(candidate, name)}


def names_of(candidate: Candidate) -> set[str]:
    """Names that the job tells, and those under which people speak, whole and word by word where a word is a name."""
    told = {*candidate.job.names, *(one.name for one in candidate.conversation.messages if one.name)}
    parts = {part for name in told for part in name.split() if len(part) > 2 and part[0].isupper()}
    return {name for name in told | parts if name.casefold() not in ("client", "freelancer", "the client")}


def candidate_says(candidate: Candidate, name: str) -> bool:
    """Whether a name stands in request or messages at all."""
    pattern = name_pattern(name)
    return any(pattern.search(candidate.said(place) or "") for place in range(candidate.last + 1))


def _scrubbed(source: Path, clean: Path, names: set[str]) -> tuple[Report, Replacements]:
    shutil.rmtree(clean, ignore_errors=True)
    clean.mkdir(parents=True)
    replacements = Replacements()
    changed, notices, bare, left = 0, [], [], []
    paths = list(_paths(source))
    for path in paths:
        content = (source / path).read_bytes()
        made: bytes = content
        if is_notice(path):
            notices.append(path)
        elif is_text(path, content):
            made = _neutral(path, replacements.applied(content.decode(), names).encode())
        else:
            try:
                made = _office(path, without_metadata(path, content), replacements, names)
                bare.append(path)
            except NotUnderstoodError as problem:
                left.append(Left(path=path, why=str(problem)))
                continue
        target = replacements.applied(path, names) if path.startswith(f"{MATERIALS}/") else path
        problem_with_name = next((why for part in target.split("/") if (why := name_problem(part))), None)
        if problem_with_name:
            left.append(Left(path=path, why=problem_with_name))
            continue
        changed += made != content
        make_folders(clean, (clean / target).parent)
        write_file(clean / target, made, executable=False)
    (clean / MATERIALS).mkdir(exist_ok=True)
    report = Report(
        replaced=dict(sorted(replacements.counts.items())),
        files=len(paths),
        changed=changed,
        notices=tuple(notices),
        without_metadata=tuple(bare),
        left_out=tuple(left),
    )
    return report, replacements


def _neutral(path: str, content: bytes) -> bytes:
    """Without what only says who took part."""
    if path == "conversation.json":
        document = json.loads(content)
        for message in document.get("messages", ()):
            message.pop("name", None)
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
    if path == "job.toml":
        import tomllib

        import tomli_w

        document = tomllib.loads(content.decode())
        document.pop("names", None)
        try:
            return tomli_w.dumps(parsed(Job, document).model_dump(mode="json", exclude_defaults=True)).encode()
        except ValidationError:
            return content  # the gate says what is wrong with it
    return content


def _office(path: str, content: bytes, replacements: Replacements, names: set[str]) -> bytes:
    if not content.startswith(b"PK\x03\x04"):
        return content
    members = {place.partition("!")[2]: text for place, text in texts_of(path, content).items()}
    made = {name: replacements.applied(text, names) for name, text in members.items()}
    return with_texts(content, {name: text for name, text in made.items() if text != members[name]})


def _paths(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix()


def _left_in(path: str, content: bytes, names: set[str]) -> Iterator[GateFinding]:
    """What of a file could be recognised: in its name, its texts, and what it carries besides."""
    file = f"{CLEAN}/{path}"
    texts = {f"{path} (its name)": path}
    seen: dict[Seen, str] = {}
    if is_notice(path):
        # Whose notice it is stays; a key in it is no part of a notice.
        found = (one for one in seen_in(content.decode("utf-8", "replace")) if one.kind in _KEYS)
        seen |= dict.fromkeys(found, path)
    else:
        texts |= texts_of(path, content)
    for place, text in texts.items():
        for shown in dict.fromkeys((text, undisguised(text))):
            for one in seen_in(shown, names):
                seen.setdefault(one, place)
    for one, place in seen.items():
        yield GateFinding(
            kind="recognisable",
            message=f"holds {one.kind}",
            file=file,
            where=place,
            evidence=one.words[:200],
            mend=f"take it out, or add it to {NAMES} and redo this stage",
        )
    if is_notice(path) or is_text(path, content):
        return
    try:
        bare = without_metadata(path, content)
    except NotUnderstoodError as problem:
        yield GateFinding(kind="metadata", message=str(problem), file=file, mend="leave the file out")
        return
    if not content.startswith(b"PK\x03\x04") and bare != content:
        message = "carries more than it shows (its author, place, time or program)"
        yield GateFinding(kind="metadata", message=message, file=file, mend="take the metadata out")
    if content.startswith(b"PK\x03\x04") and texts_of(path, bare) != texts_of(path, content):
        message = "its properties say who made it"
        yield GateFinding(kind="metadata", message=message, file=file, mend="take the properties out")


def _read(document: dict[str, Any]) -> Names | None:
    names = document.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return Names(names=tuple(name.strip() for name in names if name.strip()))


SCRUB = Scrub()
