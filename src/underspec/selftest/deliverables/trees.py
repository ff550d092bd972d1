"""Pairs about the tree handed over: what stands where inputs and outputs go, links, rights, names (fault 15)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from underspec.selftest.deliverables.pairs import FULL, HONEST, MISSING, NO_TEST, NOTHING, Deliverable, Pair
from underspec.selftest.deliverables.toy import honest, link, write

_NO_TEST = frozenset({MISSING, NO_TEST})
SUITE_DIRS = ("public_test_cases", "test_cases", "enhanced_test_cases")


def _each(place: Callable[[Path, str], object]) -> Callable[[Path], object]:
    """Do something at each place where inputs and outputs go, in an honest deliverable."""

    def build(root: Path) -> None:
        honest(root)
        for path in ("rcb_tests/stdout", *(f"rcb_tests/{folder}" for folder in SUITE_DIRS)):
            place(root, path)

    return build


def _locked(root: Path, path: str) -> None:
    write(root, {f"{path}/below/deep/file": "x", f"{path}/add.json": "stale"})
    for folder in (f"{path}/below/deep", f"{path}/below", path):
        (root / folder).chmod(0o000)


def _read_only(root: Path) -> None:
    """As some version control tools leave a tree: nothing may be written."""
    honest(root)
    for top, folders, files in os.walk(root):
        for name in files:
            (Path(top) / name).chmod(0o444)
        for name in folders:
            (Path(top) / name).chmod(0o555)
    root.chmod(0o555)


def _odd_files(folder: Path, *more: bytes) -> None:
    folder.mkdir()
    for name in (b"-rf", b"new\nline.json", b"\xff\xfe.json", b" ", b"*", b"$(touch x)", *more):
        (folder / os.fsdecode(name)).write_bytes(b"x")


def _names(root: Path) -> None:
    honest(root)
    _odd_files(root / "names", b"'\"", b"tab\t", "日本".encode(), b"x" * 255)
    for folder in (*SUITE_DIRS, "stdout"):
        _odd_files(root / "rcb_tests" / folder)


def deep(root: Path, path: str, levels: int = 300, name: str = "d" * 100) -> None:
    """A tree whose path is far longer than a path may be."""
    (root / path).mkdir(parents=True, exist_ok=True)
    here = os.open(root / path, os.O_RDONLY)
    try:
        for _ in range(levels):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)


def _deep(root: Path) -> None:
    honest(root)
    deep(root, "deep")
    for path in ("rcb_tests/stdout", *(f"rcb_tests/{folder}" for folder in SUITE_DIRS)):
        deep(root, path)


def _behind_a_link(root: Path) -> None:
    honest(root)
    (root / "rcb_tests").rename(root / "checks")
    link(root, "rcb_tests", "checks")


def _link_outside(root: Path, target: str) -> None:
    honest(root)
    shutil.rmtree(root / "rcb_tests")
    link(root, "rcb_tests", target)


def _without_tests(root: Path, place: Callable[[Path], object]) -> None:
    honest(root)
    shutil.rmtree(root / "rcb_tests")
    place(root)


def _no_script(place: Callable[[Path], object]) -> Callable[[Path], object]:
    def build(root: Path) -> None:
        honest(root)
        (root / "rcb_tests" / "test.sh").unlink()
        place(root / "rcb_tests" / "test.sh")

    return build


def _bare_script(root: Path) -> None:
    """No executable bit, no shebang, CRLF nowhere: ``bash rcb_tests/test.sh`` needs neither."""
    honest(root, test_sh='cd "$(dirname "$0")/.." && python3 run.py "$2"')
    (root / "rcb_tests" / "test.sh").chmod(0o644)


def _linked_script(root: Path) -> None:
    honest(root)
    (root / "rcb_tests" / "test.sh").rename(root / "real.sh")
    link(root, "rcb_tests/test.sh", "../real.sh")
    (root / "real.sh").write_text('python3 run.py "$2"\n')


def _absolute(root: Path) -> None:
    honest(root)
    (root / "rcb_tests").rename(root / "checks")
    link(root, "rcb_tests", "/workspace/checks")


def _scriptless(build: Callable[[Path], object]) -> Callable[[Path], None]:
    """The same without a ``test.sh``."""

    def built(root: Path) -> None:
        build(root)
        root.chmod(0o755)
        (root / "rcb_tests").chmod(0o755)
        (root / "rcb_tests" / "test.sh").unlink()

    return built


def _circle(root: Path, path: str) -> None:
    link(root, path, Path(path).name)


def _pipe(root: Path, path: str) -> None:
    os.mkfifo(root / path)


PAIRS: tuple[Pair, ...] = (
    Pair(
        "has nothing at all",
        Deliverable(lambda root: None, NOTHING, _NO_TEST),
        Deliverable(_bare_script, FULL, frozenset()),
    ),
    Pair(
        "has a folder for a test.sh",
        Deliverable(_no_script(Path.mkdir), NOTHING, _NO_TEST),
        Deliverable(_linked_script, FULL, frozenset()),
    ),
    Pair(
        "has a dangling test.sh",
        Deliverable(_no_script(lambda path: path.symlink_to("/nowhere")), NOTHING, _NO_TEST),
        HONEST,
    ),
    Pair(
        "has a pipe for a test.sh",
        Deliverable(_no_script(os.mkfifo), NOTHING, _NO_TEST),
        HONEST,
    ),
    Pair(
        "has a file for rcb_tests",
        Deliverable(
            lambda root: _without_tests(root, lambda root: (root / "rcb_tests").write_text("x")), NOTHING, _NO_TEST
        ),
        Deliverable(_behind_a_link, FULL, frozenset()),
    ),
    Pair(
        "links rcb_tests to the sandbox's root",
        Deliverable(lambda root: _link_outside(root, "/"), NOTHING, _NO_TEST),
        Deliverable(_absolute, FULL, frozenset()),
    ),
    Pair(
        "links rcb_tests to itself",
        Deliverable(lambda root: _link_outside(root, "rcb_tests"), NOTHING, _NO_TEST),
        Deliverable(
            _each(lambda root, path: write(root, {f"{path}/add.json": "stale", f"{path}/add@000.txt": "?"})),
            FULL,
            frozenset(),
        ),
    ),
    Pair(
        "links rcb_tests to /etc",
        Deliverable(lambda root: _link_outside(root, "/etc"), NOTHING, _NO_TEST),
        Deliverable(_each(lambda root, path: write(root, {path: "a file"})), FULL, frozenset()),
    ),
    Pair(
        "links rcb_tests out by steps up",
        Deliverable(lambda root: _link_outside(root, "../../../../tmp"), NOTHING, _NO_TEST),
        Deliverable(_each(lambda root, path: link(root, path, "/tmp")), FULL, frozenset()),
    ),
    Pair(
        "has an rcb_tests without a script or rights",
        Deliverable(
            lambda root: _without_tests(root, lambda root: (root / "rcb_tests").mkdir(mode=0o000)), NOTHING, _NO_TEST
        ),
        Deliverable(_each(_locked), FULL, frozenset()),
    ),
    Pair(
        "has only unusual names",
        Deliverable(_scriptless(_names), NOTHING, _NO_TEST),
        Deliverable(_names, FULL, frozenset()),
    ),
    Pair(
        "has only deep trees",
        Deliverable(_scriptless(_deep), NOTHING, _NO_TEST),
        Deliverable(_deep, FULL, frozenset()),
    ),
    Pair(
        "has links in a circle where inputs and outputs go, and no script",
        Deliverable(_scriptless(_each(_circle)), NOTHING, _NO_TEST),
        Deliverable(_each(_circle), FULL, frozenset()),
    ),
    Pair(
        "has pipes where inputs and outputs go, and no script",
        Deliverable(_scriptless(_each(_pipe)), NOTHING, _NO_TEST),
        Deliverable(_each(_pipe), FULL, frozenset()),
    ),
    Pair(
        "cannot be written to, and has no script",
        Deliverable(_scriptless(_read_only), NOTHING, _NO_TEST),
        Deliverable(_read_only, FULL, frozenset()),
    ),
)
