"""A user's own prompts, checked before a run and kept as they were then."""

from __future__ import annotations

from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.prompts import replaced_prompts
from underspec.task.cache import home, kept_folder


def own_prompts(folder: Path) -> Path:
    """A copy of the folder's prompts in this machine's cache, under their digest. Whatever becomes of the folder while
    a run goes on, all its items are told the same.

    Raises:
        UsageError: a prompt does not fit; see :func:`underspec.prompts.replaced_prompts`.
    """
    prompts = replaced_prompts(folder)

    def copy(into: Path) -> None:
        for prompt in prompts:
            (into / prompt.role).mkdir(exist_ok=True)
            (into / prompt.role / f"{prompt.name}.md").write_bytes(prompt.text.encode())

    digest = digest_of({f"{prompt.role}/{prompt.name}": prompt.sha256 for prompt in prompts})
    return kept_folder(home() / "prompts" / digest[:32], copy)
