"""Tidying: what differs from build to build goes, and a tree whose links lead elsewhere reaches nothing there."""

from __future__ import annotations

import importlib.util
import py_compile
from pathlib import Path

import pytest

from underspec.errors import SandboxError
from underspec.sandbox.images.digest import measure_tree
from underspec.sandbox.images.tidy import tidy


def make(root: Path, noise: str) -> Path:
    """A tree as a build leaves it; ``noise`` is what differs."""
    for folder in ("etc/apt", "var/log/apt", "var/cache/apt", "var/lib/apt/lists", "var/lib/dpkg", "usr/lib", "tmp"):
        (root / folder).mkdir(parents=True)
    for path in (
        *("etc/hostname", "etc/machine-id", "etc/passwd-", "etc/resolv.conf", "etc/apt/sources.list"),
        *("var/log/apt/term.log", "var/cache/apt/pkgcache.bin", "var/lib/apt/lists/main", "var/lib/dpkg/status-old"),
        "tmp/left",
    ):
        (root / path).write_text(noise)
    (root / "etc/shadow").write_text(f"root:*:{len(noise)}:0:99999:7:::\nuser:$6$x:{len(noise)}:0:::::\n")
    (root / "usr/lib/kept").write_text("kept")
    return root


def test_builds_that_differ_in_noise_give_one_tree(tmp_path: Path) -> None:
    first, second = make(tmp_path / "first", "one day"), make(tmp_path / "second", "another day")
    assert measure_tree(first).digest != measure_tree(second).digest
    for root in (first, second):
        tidy(root)
    assert measure_tree(first).digest == measure_tree(second).digest
    assert (first / "usr/lib/kept").read_text() == "kept"
    assert (first / "etc/shadow").read_text() == "root:*:1:0:99999:7:::\nuser:$6$x:1:0:::::\n"


def test_what_a_sandbox_needs_is_there_and_nothing_of_the_machine(tmp_path: Path) -> None:
    root = make(tmp_path / "root", "machine")
    (root / "dev").mkdir()
    (root / "dev/null").write_text("")
    tidy(root)
    for place in ("dev", "proc", "root", "run", "sys", "tmp", "var/tmp", "workspace"):
        assert list((root / place).iterdir()) == []
    assert (root / "etc/hosts").read_text().startswith("127.0.0.1 localhost")
    assert (root / "etc/hostname").read_text() == "sandbox\n"
    assert not any("machine" in path.read_text() for path in root.rglob("*") if path.is_file())


def test_tidying_twice_changes_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "root", "noise")
    tidy(root)
    once = measure_tree(root)
    tidy(root)
    assert measure_tree(root) == once


def test_no_program_lends_rights_and_nothing_can_be_written_by_others(tmp_path: Path) -> None:
    root = make(tmp_path / "root", "noise")
    for name, mode in (("su", 0o4755), ("mail", 0o2755), ("open", 0o666)):
        (root / "usr/lib" / name).write_text("")
        (root / "usr/lib" / name).chmod(mode)
    tidy(root)
    modes = {name: (root / "usr/lib" / name).stat().st_mode & 0o7777 for name in ("su", "mail", "open")}
    assert modes == {"su": 0o755, "mail": 0o755, "open": 0o664}


@pytest.mark.parametrize("link", ["etc", "var", "var/log", "var/cache", "tmp", "dev", "etc/hostname", "etc/shadow"])
def test_a_link_in_the_tree_never_leads_out_of_it(tmp_path: Path, link: str) -> None:
    root = make(tmp_path / "root", "noise")
    outside = make(tmp_path / "outside", "precious")
    before = measure_tree(outside)
    place = root / link
    if place.is_dir():
        place.rename(tmp_path / "moved")
    else:
        place.unlink(missing_ok=True)
    place.symlink_to(outside / link)
    if link in ("etc", "var"):
        with pytest.raises(SandboxError, match="needs a folder") as caught:
            tidy(root)
        assert caught.value.file == f"/{link}"
    else:
        tidy(root)
    assert measure_tree(outside) == before


def test_byte_code_with_a_time_goes_and_that_with_a_hash_stays(tmp_path: Path) -> None:
    root = make(tmp_path / "root", "noise")
    source = root / "usr/lib/module.py"
    source.write_text("answer = 42\n")
    modes = {
        "timed": py_compile.PycInvalidationMode.TIMESTAMP,
        "hashed": py_compile.PycInvalidationMode.CHECKED_HASH,
    }
    for name, mode in modes.items():
        py_compile.compile(str(source), cfile=str(root / f"usr/lib/{name}.pyc"), invalidation_mode=mode)
    assert (root / "usr/lib/timed.pyc").read_bytes()[:4] == importlib.util.MAGIC_NUMBER
    tidy(root)
    assert sorted(path.name for path in (root / "usr/lib").glob("*.pyc")) == ["hashed.pyc"]
