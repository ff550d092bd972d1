"""What roles are told: prompt files, one folder a role, versioned by hash. No logic beyond reading them.

A prompt is a Markdown file ``<role>/<name>.md``. Two marks have a meaning in it, and nothing else has:

- ``${name}`` is replaced by a value, once; a value is never read as a template again.
- the lines between ``<!-- only: NAME -->`` and ``<!-- end -->`` are there only where the caller says so.

A user replaces a prompt by putting a file of the same path into a folder of their own (``override``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from underspec.errors import HarnessError, UnderspecError, UsageError

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_PLACEHOLDER = re.compile(r"\$\{([a-z][a-z0-9_]*)\}")
_ONLY = re.compile(r"<!-- only: ([a-z][a-z0-9-]*) -->")
_END = "<!-- end -->"


@dataclass(frozen=True)
class Prompt:
    """A prompt file as read. ``sha256`` is over its bytes; ``origin`` is ``packaged`` or the user's path."""

    role: str
    name: str
    text: str
    sha256: str
    origin: str

    def fault(self, message: str, *, line: int | None = None, mend: str | None = None) -> UnderspecError:
        """An error about this prompt: the user's fault where the user replaced it, ours otherwise."""
        kind = HarnessError if self.origin == "packaged" else UsageError
        file = f"prompts/{self.role}/{self.name}.md" if self.origin == "packaged" else self.origin
        return kind(message, file=file, where=f"line {line}" if line else None, mend=mend)


def load_prompt(role: str, name: str, *, override: Path | None = None) -> Prompt:
    """Read a prompt: the user's, if ``override`` is a folder that has ``<role>/<name>.md``, else the packaged one.

    Raises:
        UsageError: the user's file cannot be read or is not UTF-8, or ``override`` is no folder.
        HarnessError: there is no such prompt in the package.
    """
    if not (_NAME.fullmatch(role) and _NAME.fullmatch(name)):
        raise HarnessError(f"{role}/{name} is no name of a prompt")
    if override is not None:
        if not override.is_dir():
            raise UsageError("no such folder of prompts", file=str(override), mend="name an existing folder")
        path = override / role / f"{name}.md"
        if path.exists():
            try:
                return _prompt(role, name, path.read_bytes(), str(path))
            except (OSError, UnicodeDecodeError) as error:
                mend = "make it a readable UTF-8 text file, or remove it to use the packaged prompt"
                raise UsageError(f"not a readable prompt: {error}", file=str(path), mend=mend) from error
    packaged = resources.files(__name__) / role / f"{name}.md"
    if not packaged.is_file():
        raise HarnessError("no such prompt", file=f"prompts/{role}/{name}.md")
    return _prompt(role, name, packaged.read_bytes(), "packaged")


def _prompt(role: str, name: str, data: bytes, origin: str) -> Prompt:
    return Prompt(role, name, data.decode("utf-8"), hashlib.sha256(data).hexdigest(), origin)


def render(prompt: Prompt, *, sections: Mapping[str, bool], values: Mapping[str, str]) -> str:
    """Fill a prompt in, and end it with one newline.

    ``sections`` says for each conditional section whether it is there; ``values`` has the text of each placeholder.
    Both are strict: what the file names must be given, and what is given must be named in the file.

    Raises:
        UsageError, HarnessError: see :meth:`Prompt.fault`.
    """
    kept = _select(prompt, sections)
    named = set(_PLACEHOLDER.findall(prompt.text))
    if surplus := sorted(set(values) - named):
        raise prompt.fault(f"the placeholder ${{{surplus[0]}}} is missing", mend="write it where its value belongs")
    if unknown := sorted(named - set(values)):
        line = next(n for n, text in enumerate(prompt.text.splitlines(), 1) if f"${{{unknown[0]}}}" in text)
        mend = f"known here: {', '.join(sorted(values))}"
        raise prompt.fault(f"unknown placeholder ${{{unknown[0]}}}", line=line, mend=mend)
    squeezed = re.sub(r"\n{3,}", "\n\n", kept).strip("\n")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], squeezed) + "\n"


def _select(prompt: Prompt, sections: Mapping[str, bool]) -> str:
    kept: list[str] = []
    seen: set[str] = set()
    within: str | None = None
    for number, line in enumerate(prompt.text.splitlines(), 1):
        if opening := _ONLY.fullmatch(line):
            if within is not None:
                raise prompt.fault("a section inside a section", line=number, mend=f"write {_END} first")
            within = opening[1]
            if within not in sections:
                mend = f"known here: {', '.join(sorted(sections))}"
                raise prompt.fault(f"unknown section {within!r}", line=number, mend=mend)
            seen.add(within)
        elif line == _END:
            if within is None:
                raise prompt.fault("the end of no section", line=number)
            within = None
        elif "${" in _PLACEHOLDER.sub("", line):
            raise prompt.fault("not a placeholder after ${", line=number, mend="write ${name} in lower case")
        elif within is None or sections[within]:
            kept.append(line)
    if within is not None:
        raise prompt.fault(f"section {within!r} has no end", mend=f"write {_END} after it")
    if missing := sorted(set(sections) - seen):
        mend = "write it, empty if it has nothing to say"
        raise prompt.fault(f"section {missing[0]!r} is missing", mend=mend)
    return "\n".join(kept)


def roles() -> tuple[str, ...]:
    """Names of the roles that have packaged prompts."""
    return tuple(sorted(entry.name for entry in resources.files(__name__).iterdir() if _has_prompts(entry)))


def _has_prompts(entry: Traversable) -> bool:
    return bool(_NAME.fullmatch(entry.name)) and entry.is_dir() and any(_prompt_names(entry))


def _prompt_names(folder: Traversable) -> list[str]:
    return sorted(entry.name.removesuffix(".md") for entry in folder.iterdir() if entry.name.endswith(".md"))


def load_role(role: str, *, override: Path | None = None) -> tuple[Prompt, ...]:
    """All prompts of a role, in name order.

    Raises:
        UsageError: there is no such role; names those there are.
    """
    if role not in roles():
        raise UsageError(f"there is no role {role!r}", mend=f"known roles: {', '.join(roles())}")
    return tuple(load_prompt(role, name, override=override) for name in _prompt_names(resources.files(__name__) / role))


def prompt_hashes(*, override: Path | None = None) -> dict[str, str]:
    """SHA-256 of every prompt by ``<role>/<name>``, for the manifest of a run."""
    return {f"{role}/{prompt.name}": prompt.sha256 for role in roles() for prompt in load_role(role, override=override)}


def replaced_prompts(folder: Path) -> tuple[Prompt, ...]:
    """All prompts that a user's folder replaces, each with the marks that the packaged one has. What begins with a dot
    (version control, an editor's files) is not looked at.

    Raises:
        UsageError: there is no such folder, nothing in it is a prompt, a file is none that there is, or lacks a mark;
            names the file, the line and the mend.
    """
    if not folder.is_dir():
        raise UsageError("no such folder of prompts", file=str(folder), mend="name an existing folder")
    found = []
    for path in sorted(path for path in folder.rglob("*") if not path.is_dir()):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        role, _, name = path.relative_to(folder).as_posix().removesuffix(".md").partition("/")
        if path.suffix != ".md" or not name or role not in roles():
            mend = f"write <role>/<name>.md, with a role of: {', '.join(roles())}"
            raise UsageError("is no prompt of a role", file=str(path), mend=mend)
        packaged = {prompt.name: prompt for prompt in load_role(role)}
        if name not in packaged:
            mend = f"prompts of the role {role!r}: {', '.join(packaged)}; `underspec prompts show {role}` shows them"
            raise UsageError(f"the role {role!r} has no prompt {name!r}", file=str(path), mend=mend)
        found.append(load_prompt(role, name, override=folder))
        _like(found[-1], packaged[name])
    if not found:
        mend = "put <role>/<name>.md into it, such as client/rules.md; other prompts stay as they are"
        raise UsageError("holds no prompt", file=str(folder), mend=mend)
    return tuple(found)


def _like(prompt: Prompt, packaged: Prompt) -> None:
    """Whether both have the same marks: what fills in the one fills in the other."""
    sections = {found[1] for line in packaged.text.splitlines() if (found := _ONLY.fullmatch(line))}
    values = set(_PLACEHOLDER.findall(packaged.text))
    render(prompt, sections=dict.fromkeys(sections, True), values=dict.fromkeys(values, ""))
