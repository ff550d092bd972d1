"""Compiled code under a no-op build is remarked on; text, and builds, are not (fault 11)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from underspec.grade.shipped import shipped_notes
from underspec.grade.text import printable
from underspec.selftest.deliverables.toy import TEST_SH, honest, link, write

ELF = b"\x7fELF" + bytes(60)
PE = b"MZ" + bytes(58) + (64).to_bytes(4, "little") + b"PE\0\0"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("bin/tool", ELF, "ELF"),
        ("tool.exe", PE, "PE"),
        ("tool.wasm", b"\0asm\1\0\0\0", "WebAssembly"),
        ("A.class", b"\xca\xfe\xba\xbe\0\0", "Java class or Mach-O"),
        ("a.jar", b"PK\3\4....", "Java archive"),
        ("tool", b"\xcf\xfa\xed\xfe....", "Mach-O"),
    ],
)
def test_a_shipped_binary_is_named_with_its_kind(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    write(honest(tmp_path), {name: content})
    (tmp_path / name).chmod(0o755)
    (note,) = shipped_notes(tmp_path)
    assert f"{name} ({kind})" in note


@pytest.mark.parametrize("name", ["lib.so", "lib.so.1.2", "addon.node", "tool.wasm"])
def test_a_library_needs_no_executable_bit(tmp_path: Path, name: str) -> None:
    write(honest(tmp_path), {name: ELF})
    assert len(shipped_notes(tmp_path)) == 1


def test_a_script_that_changes_modes_makes_every_file_worth_a_look(tmp_path: Path) -> None:
    write(honest(tmp_path), {"data.txt": ELF})
    assert shipped_notes(tmp_path) == []
    write(tmp_path, {"rcb_tests/test.sh": "chmod +x data.txt\n./data.txt\n"})
    assert len(shipped_notes(tmp_path)) == 1


@pytest.mark.parametrize(
    "files",
    [
        {"data.bin": bytes(100)},
        {"notes.txt": "MZ is how such files begin"},
        {"book.zip": b"PK\3\4...."},
        {"short": b"\x7fEL"},
        {"empty": b""},
    ],
)
def test_other_files_are_not(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    write(honest(tmp_path), files)
    for name in files:
        (tmp_path / name).chmod(0o755)
    assert shipped_notes(tmp_path) == []


@pytest.mark.parametrize(
    "build", ["gcc -O2 -o bin/tool tool.c", "make -s", "(cd src && go build ./...)", "cargo build", "./gradlew jar"]
)
def test_a_binary_beside_a_build_is_not(tmp_path: Path, build: str) -> None:
    write(honest(tmp_path, test_sh=f"#!/bin/bash\n{build}\n{TEST_SH}"), {"bin/tool.so": ELF})
    assert shipped_notes(tmp_path) == []


def test_words_that_only_look_like_a_build_do_not_hide_a_binary(tmp_path: Path) -> None:
    write(honest(tmp_path, test_sh="#!/bin/bash\n./bin/tool --makeup cargonaut\ngo\n"), {"bin/tool.so": ELF})
    assert len(shipped_notes(tmp_path)) == 1


def test_many_are_counted_and_hostile_names_escaped(tmp_path: Path) -> None:
    write(honest(tmp_path), {f"{place}\x1b[2J\n.so": ELF for place in range(9)})
    link(tmp_path, "true", "/bin/true")
    (note,) = shipped_notes(tmp_path)
    assert "and 6 more" in note
    assert note.isprintable()


def test_links_and_pipes_are_not_opened(tmp_path: Path) -> None:
    honest(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    link(tmp_path, "loop", "loop")
    link(tmp_path, "python", "/usr/bin/python3")
    link(tmp_path, "root", "/")
    assert shipped_notes(tmp_path) == []


def test_a_script_behind_a_link_counts_as_no_build(tmp_path: Path) -> None:
    write(tmp_path, {"bin/tool.so": ELF, "real/test.sh": "make\n"})
    link(tmp_path, "rcb_tests", "real")
    assert len(shipped_notes(tmp_path)) == 1


def test_a_tree_too_deep_for_a_path_is_looked_at_as_far_as_it_goes(tmp_path: Path) -> None:
    write(honest(tmp_path), {"tool.so": ELF})
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(60):
            os.mkdir("d" * 200, dir_fd=here)
            below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)
    assert len(shipped_notes(tmp_path)) == 1


@pytest.mark.parametrize("text", ["a\x1b[0m\nb", b"\xff\xfe", "\udcff", "‮abc", "é"])
def test_text_for_readers_is_one_line_of_printable_ascii(text: str | bytes) -> None:
    shown = printable(text)
    assert shown.isascii()
    assert shown.isprintable()


def test_long_text_is_cut() -> None:
    assert printable("x" * 1000, most=10) == "xxxxxxx..."
