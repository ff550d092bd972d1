"""The golden implementation: fetched by name and hash, kept once a machine, and composed to a deliverable."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from underspec.artifact.canonical import digest_of
from underspec.errors import GoldenError, TaskError
from underspec.task.cache import cache_problems, home, kept_folder
from underspec.task.commission import has_reference_alone, variant_deliverable
from underspec.task.digest import entries_digest
from underspec.task.fetch import MAX_ARCHIVE_BYTES, download, file_sha256
from underspec.task.finding import Finding, stop_at_errors
from underspec.task.layout import GOLDEN, REFERENCE, VENDORED_GOLDEN
from underspec.task.model import GoldenToml, Task
from underspec.task.tree import read_file, read_tree
from underspec.task.unpack import make_folders, unpack, write_file


def archive_place(golden: GoldenToml, cache: Path | None = None) -> Path:
    """Where the archive is kept, and where somebody without network may put it."""
    return (cache or home()) / "golden" / "archives" / golden.sha256 / golden.filename


def _archive(golden: GoldenToml, cache: Path | None, hasty: bool) -> Path:
    """The archive, from its place or from the registry, with the right hash."""
    place = archive_place(golden, cache)
    if place.exists():
        if file_sha256(place) != golden.sha256:
            raise GoldenError(
                f"{place} is not the archive that {GOLDEN} names",
                file=GOLDEN,
                where="$.sha256",
                mend="remove that file and try again, or correct the hash",
            )
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    for left_over in place.parent.glob(".fetch-*"):
        shutil.rmtree(left_over)  # of a process that was killed: the slot's lock is held here
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=place.parent) as folder:
        fetched = download(golden, Path(folder), place, hasty=hasty)
        if fetched.stat().st_size > MAX_ARCHIVE_BYTES:
            limit = MAX_ARCHIVE_BYTES // 1024**2
            raise GoldenError(f"the archive is larger than {limit} MiB", file=GOLDEN, mend="choose a smaller package")
        found = file_sha256(fetched)
        if found != golden.sha256:
            raise GoldenError(
                f"{golden.filename} has the hash {found}, not the one named",
                file=GOLDEN,
                where="$.sha256",
                mend="find out which of the two is right before you correct it",
            )
        fetched.replace(place)
    return place


def _fetched(golden: GoldenToml, folder: str, field: str, cache: Path | None, hasty: bool) -> Path:
    """A folder of the unpacked archive, which is downloaded at the first call on a machine."""
    slot = (cache or home()) / "golden" / golden.sha256
    tree = kept_folder(slot, lambda into: unpack(_archive(golden, cache, hasty), into))
    if not (tree / folder).is_dir():
        raise GoldenError(
            f"the archive has no folder {folder!r}",
            file=GOLDEN,
            where=f"$.{field}",
            mend=f"choose one of {', '.join(sorted(one.name for one in tree.iterdir() if one.is_dir())) or '(none)'}",
        )
    return tree / folder


def fetch_golden(golden: GoldenToml, cache: Path | None = None) -> Path:
    """The unpacked golden library (its ``root``), for reading only.

    The first call on a machine downloads it with pip or npm, by package name, as they are configured here; later
    calls need no network. ``cache`` stands in for :func:`underspec.task.cache.home`. Several processes may call it at
    once.

    Raises:
        GoldenError: it cannot be fetched, is not the file named, or holds what no task may use; the mend says which
            file to put where.
        HostExhaustedError: no space left.
    """
    return _fetched(golden, golden.root, "root", cache, hasty=False)


def _named(task: Task) -> GoldenToml:
    if task.golden is None:
        raise GoldenError("the task names no golden implementation", file=GOLDEN, mend="write the file")
    return task.golden


def golden_library(task: Task, cache: Path | None = None) -> Path:
    """:func:`fetch_golden` for a task."""
    return fetch_golden(_named(task), cache)


def golden_sources(task: Task, cache: Path | None = None) -> Path:
    """The golden sources (``sources`` of ``golden.toml``, else ``root``), for reading only: what a deliverable is
    compared with. Fetched as :func:`fetch_golden` does, but given up soon where nothing answers: comparing is worth
    less than the time of a run.

    Raises:
        GoldenError, HostExhaustedError: as :func:`fetch_golden`.
    """
    golden = _named(task)
    return _fetched(golden, golden.source_folder, "root" if golden.sources is None else "sources", cache, hasty=True)


def _copy(source: Path, into: Path, called: str) -> None:
    def report(finding: Finding) -> None:
        raise GoldenError(finding.message, file=f"{called}/{finding.file}", mend=finding.mend)

    for entry in read_tree(source, report):
        read = read_file(source, entry.path, report)
        target = into / entry.path
        make_folders(into, target.parent)
        if target.exists():
            mend = f"keep {VENDORED_GOLDEN} free; the golden library is put there"
            raise GoldenError("stands where another file goes", file=f"{called}/{entry.path}", mend=mend)
        write_file(target, read.content if read and read.content else b"", executable=entry.executable)


def compose_golden(task: Task, into: Path, cache: Path | None = None) -> None:
    """Write the golden deliverable into the existing folder ``into``.

    It is the reference overlay (``hidden/variants/reference``, which holds ``rcb_tests/test.sh`` and a dispatcher) with
    the golden library below it in ``vendor/golden``, where the dispatcher looks for it. Regular files only, with modes
    that do not depend on the umask; canaries stay in, so that a copy of the reference can be told wherever it turns up.

    Raises:
        GoldenError: the golden library cannot be had, or there is no reference overlay.
        HostExhaustedError: no space left.
    """
    library = golden_library(task, cache)
    reference = task.path / REFERENCE
    if not (reference / "rcb_tests" / "test.sh").is_file():
        raise GoldenError(
            "there is no reference overlay with rcb_tests/test.sh",
            file=REFERENCE,
            mend=f"write one whose dispatcher imports the golden library from {VENDORED_GOLDEN}",
        )
    with cache_problems(into):
        vendored = into / VENDORED_GOLDEN
        _copy(reference, into, REFERENCE)
        make_folders(into, vendored)
        _copy(library, vendored, "the golden archive")


def golden_tree(task: Task, cache: Path | None = None) -> Path:
    """The golden deliverable as a kept folder, for reading only: made once for a task's reference and archive. That of
    a commission is its reference variant.

    Raises:
        GoldenError: as :func:`compose_golden`.
        HostExhaustedError: no space left.
    """
    if has_reference_alone(task):
        slot = (cache or home()) / "golden" / "references" / task.digest[:32]
        return kept_folder(slot, lambda into: variant_deliverable(task, "reference", into))
    golden = _named(task)
    try:
        reference = entries_digest(read_tree(task.path / REFERENCE, stop_at_errors))
    except TaskError as problem:
        raise GoldenError(problem.message, file=f"{REFERENCE}/{problem.file}", mend=problem.mend) from problem
    key = digest_of({"reference": reference, "archive": golden.sha256, "root": golden.root, "version": 1})
    return kept_folder((cache or home()) / "golden" / "composed" / key, lambda into: compose_golden(task, into, cache))
