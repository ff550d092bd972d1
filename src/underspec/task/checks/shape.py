"""Whether all parts are there, and nothing that must not be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from underspec.task.digest import manifest_findings
from underspec.task.finding import Finding, error, warning
from underspec.task.layout import (
    GOLDEN,
    RECORDS,
    REFERENCE,
    REQUESTS,
    TASK_TOML,
    VENDORED_GOLDEN,
    WORKSPACE,
    request_path,
)
from underspec.task.load import Parts
from underspec.task.model import LEVELS

_HISTORIES = frozenset({".git", ".hg", ".svn"})


def check_shape(parts: Parts) -> Iterator[Finding]:
    """Folder name, presence of parts by family, version control data, manifest."""
    if parts.toml and parts.toml.id != parts.root.name:
        yield warning(
            TASK_TOML,
            f"the id {parts.toml.id} is not the folder's name",
            where="$.id",
            mend="give both the same name, so that the task is found by its id",
        )
    yield from _requests(parts)
    if parts.toml and parts.toml.family == "repository":
        yield from _repository(parts)
    for entry in parts.below(WORKSPACE):
        if _HISTORIES & set(entry.path.split("/")):
            yield error(
                entry.path, "is version control data, which may hold the solution", mend="remove the whole folder"
            )
    yield from manifest_findings(parts.entries)


def _lacking(parts: Parts) -> Callable[..., Finding]:
    """An author must write what is lacking; what was never published only limits what the task can be used for."""
    return warning if parts.imported else error


def _requests(parts: Parts) -> Iterator[Finding]:
    if parts.toml is None:
        return
    expected = REQUESTS[parts.toml.family]
    for name in expected:
        if not parts.has(request_path(name)):
            mend = f"a {parts.toml.family} has {', '.join(expected)}"
            yield _lacking(parts)(request_path(name), "is missing", mend=mend)
    for name in parts.requests:
        if name not in expected:
            yield warning(request_path(name), f"is no request of a {parts.toml.family}", mend="remove it")


def _repository(parts: Parts) -> Iterator[Finding]:
    for suite in ("public", "enhanced"):
        if not parts.below(f"hidden/cases/{suite}"):
            yield warning(f"hidden/cases/{suite}", "there is no case file", mend=f"write {suite} cases")
    if not parts.has(RECORDS):
        yield error(RECORDS, "is missing", mend="write the records of L1, L2 and L3; without them nobody can answer")
    for level in LEVELS:
        if parts.records and level not in parts.records.levels:
            message = f"there are no records for {level}"
            yield _lacking(parts)(RECORDS, message, where=f"$.levels.{level}", mend="write them")
    if not parts.has(GOLDEN):
        mend = "name the package, so that the task can be validated against it"
        yield warning(GOLDEN, "there is no golden implementation", mend=mend)
    elif not parts.has(f"{REFERENCE}/rcb_tests/test.sh"):
        mend = f"write it, with a dispatcher that imports the golden library from {VENDORED_GOLDEN}"
        yield error(f"{REFERENCE}/rcb_tests/test.sh", "is missing", mend=mend)
    if parts.below(f"{REFERENCE}/{VENDORED_GOLDEN}"):
        mend = "remove it; the library is fetched by hash and put there when it is needed"
        yield error(f"{REFERENCE}/{VENDORED_GOLDEN}", "the golden library's code is in the task", mend=mend)
