"""interface: how the software is invoked, and what stands for accounts and services of the client's (SWE-Clar 2.4)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from underspec.artifact.files import write_atomic
from underspec.construct.commission.candidate import MATERIALS, parsed
from underspec.construct.commission.extract import GROUND, REQUIREMENTS, Requirements
from underspec.construct.commission.scrub import CLEAN
from underspec.construct.commission.units import INITIAL, UNITS, PlannedUnits
from underspec.construct.data import as_data
from underspec.construct.findings import GateFinding, NoProposalError, Verdict, feedback
from underspec.construct.materials import read_part, write_part
from underspec.construct.mending import safe_path, write_text
from underspec.construct.project import Project
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.task.model import NonEmpty, Part

INTERFACE, FAKES, WORKSPACE = "interface.md", "fakes.json", "workspace"
_PARTS = {
    "invocation": re.compile(r"\b(?:invo\w+|run|call(?:ed)?|start(?:ed)?|command)\b", re.IGNORECASE),
    "inputs": re.compile(r"\binputs?\b|\btakes\b|\breads\b|\brequests?\b", re.IGNORECASE),
    "outputs": re.compile(r"\boutputs?\b|\bgives\b|\bprints?\b|\bwrites\b|\banswers?\b", re.IGNORECASE),
}
_HOST = re.compile(
    r"\b(?:https?|wss?|ftp|smtp|imap|postgres(?:ql)?|mysql|redis|amqp|mongodb)://(?:[^\s/@]*@)?([^\s/:?#\"'`)]+)",
    re.IGNORECASE,
)
_LOCAL = re.compile(
    r"^(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0|(?:.+\.)?(?:example|invalid|test|localhost)|(?:.+\.)?example\.(?:com|net|org)|\$\{?\w+\}?|[A-Z_]+|<[^>]+>)$",
    re.IGNORECASE,
)


class Fake(Part):
    """What stands for something of the client's that no evaluation can reach. ``how``: a server on loopback whose
    address is passed in, a file, a folder."""

    dependency: NonEmpty
    fake: NonEmpty
    how: NonEmpty


class Fakes(Part):
    """``fakes.json``."""

    fakes: tuple[Fake, ...] = ()


_FAKE = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("dependency", "fake", "how")},
    "required": ["dependency", "fake", "how"],
}
_FILE = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
    "required": ["path", "text"],
}
SHAPE = Shape(
    "interface",
    {
        "interface": {"type": "string"},
        "fakes": {"type": "array", "items": _FAKE},
        "workspace": {"type": "array", "items": _FILE},
        "materials": {"type": "array", "items": {"type": "string"}},
    },
)


class Interface:
    """Asks for the interface, the fakes and what the agent starts with."""

    name = "interface"
    needs: tuple[str, ...] = ("scrub", "extract", "units")
    version = 1
    prompts: tuple[str, ...] = ("rules", "material", "malformed")
    files: Mapping[str, str] = {
        INTERFACE: "how the software is invoked, what it takes and what it gives",
        FAKES: "what stands for accounts, services and deployment",
        f"{WORKSPACE}/": "what the agent starts with",
    }
    calls = 1

    def reads(self, project: Project) -> dict[str, str]:
        """Nothing else."""
        return {}

    async def propose(self, work: Work, findings: Sequence[GateFinding]) -> None:
        """Ask, write, and copy the materials that are named."""
        problems: list[GateFinding] = []
        found = read_part(work.of("extract"), REQUIREMENTS, Requirements, problems)
        units = read_part(work.of("units"), UNITS, PlannedUnits, problems)
        if found is None or units is None:
            raise NoProposalError(f"requirements or units are not whole: {feedback(problems)}", kind="bad_needs")
        materials = work.of("scrub") / CLEAN / MATERIALS
        names = sorted(path.relative_to(materials).as_posix() for path in materials.rglob("*") if path.is_file())
        user = work.prompt(
            "material",
            sections={"findings": bool(findings)},
            findings=as_data(findings=feedback(findings)),
            material=as_data(
                complete=(work.of("extract") / GROUND).read_text(encoding="utf-8", errors="replace"),
                request=(work.of("units") / INITIAL).read_text(encoding="utf-8", errors="replace"),
                dependencies="\n".join(dependencies_of(found)),
                materials="\n".join(names),
            ),
        )
        made = await work.ask(work.prompt("rules"), user, SHAPE, _read, again=work.prompt("malformed"))
        interface, fakes, files, wanted = made
        shutil.rmtree(work.out / WORKSPACE, ignore_errors=True)
        (work.out / WORKSPACE).mkdir()
        write_atomic(work.out / INTERFACE, (interface.strip() + "\n").encode())
        write_part(work.out / FAKES, fakes)
        for name in wanted:
            if name in names:
                target = work.out / WORKSPACE / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(materials / name, target)
        for path, text in files.items():
            write_text(work.out / WORKSPACE, path, text)

    async def gate(self, work: Work) -> Verdict:
        """The three parts are there, nothing outside is needed, and each dependency has a fake."""
        findings: list[GateFinding] = []
        found = read_part(work.of("extract"), REQUIREMENTS, Requirements, findings)
        fakes = read_part(work.out, FAKES, Fakes, findings)
        path = work.out / INTERFACE
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        for part, pattern in _PARTS.items():
            if not pattern.search(text):
                message = f"does not say anything of its {part}"
                findings.append(
                    GateFinding(kind="interface_part", message=message, file=INTERFACE, mend=f"say its {part}")
                )
        files = sorted(each for each in (work.out / WORKSPACE).rglob("*") if each.is_file() and not each.is_symlink())
        if not files:
            message = "the agent would start with nothing"
            findings.append(
                GateFinding(kind="empty_workspace", message=message, file=f"{WORKSPACE}/", severity="warning")
            )
        for each in [path, *files]:
            if each.is_file():
                name = each.relative_to(work.out).as_posix()
                findings += outside_hosts(name, each.read_bytes().decode("utf-8", "replace"))
        if found is not None and fakes is not None:
            faked = {fake.dependency.casefold() for fake in fakes.fakes}
            for dependency in dependencies_of(found):
                if dependency.casefold() not in faked:
                    message = f"nothing stands for {dependency!r}, which the client has and nobody else"
                    findings.append(GateFinding(kind="no_fake", message=message, file=FAKES, mend="add a local fake"))
        facts = {"fakes": len(fakes.fakes) if fakes else 0, "files": len(files)}
        return Verdict(findings=tuple(findings), facts=facts)


def dependencies_of(found: Requirements) -> list[str]:
    """What requirements depend on that only the client has, once each."""
    return list(dict.fromkeys(name for each in found.requirements for name in each.depends_on))


def outside_hosts(file: str, text: str) -> Iterator[GateFinding]:
    """Addresses that lead off this machine."""
    for found in _HOST.finditer(text):
        if not _LOCAL.match(found[1]):
            place = f"line {text.count(chr(10), 0, found.start()) + 1}"
            mend = "use a local fake whose address is passed in"
            message = "names a host that no evaluation reaches"
            yield GateFinding(
                kind="outside_host", message=message, file=file, where=place, evidence=found[0][:200], mend=mend
            )


def _read(document: dict[str, Any]) -> tuple[str, Fakes, dict[str, str], list[str]] | None:
    interface, files, wanted = document.get("interface"), document.get("workspace", []), document.get("materials", [])
    if not isinstance(interface, str) or not interface.strip() or not isinstance(files, list):
        return None
    texts: dict[str, str] = {}
    for one in files:
        if not isinstance(one, dict) or not isinstance(one.get("path"), str) or not isinstance(one.get("text"), str):
            return None
        if not safe_path(one["path"]):
            return None
        texts[one["path"]] = one["text"]
    try:
        fakes = parsed(Fakes, {"fakes": document.get("fakes", [])})
    except ValidationError:
        return None
    names = [name for name in wanted if isinstance(name, str)] if isinstance(wanted, list) else []
    return interface, fakes, texts, names


def workspace_of(out: Path) -> Path:
    """Where the files lie that the agent starts with."""
    return out / WORKSPACE


INTERFACE_STAGE = Interface()
