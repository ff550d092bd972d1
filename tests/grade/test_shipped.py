"""Compiled code under a no-op build is remarked on; text, and builds, are not (fault 11)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.deliverables.toy import TEST_SH, honest, link, write
from underspec.grade.shipped import shipped_notes
from underspec.grade.text import printable

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
    (note,) = shipped_notes(tmp_path)
    assert f"{name} ({kind})" in note


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
    assert shipped_notes(write(honest(tmp_path), files)) == []


@pytest.mark.parametrize(
    "build", ["gcc -O2 -o bin/tool tool.c", "make -s", "(cd src && go build ./...)", "cargo build", "./gradlew jar"]
)
def test_a_binary_beside_a_build_is_not(tmp_path: Path, build: str) -> None:
    write(honest(tmp_path, test_sh=f"#!/bin/bash\n{build}\n{TEST_SH}"), {"bin/tool": ELF})
    assert shipped_notes(tmp_path) == []


def test_words_that_only_look_like_a_build_do_not_hide_a_binary(tmp_path: Path) -> None:
    write(honest(tmp_path, test_sh="#!/bin/bash\n./bin/tool --makeup cargonaut\ngo\n"), {"bin/tool": ELF})
    assert len(shipped_notes(tmp_path)) == 1


def test_many_are_counted_and_hostile_names_escaped(tmp_path: Path) -> None:
    write(honest(tmp_path), {f"{place}\x1b[2J\n": ELF for place in range(9)})
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
    write(tmp_path, {"bin/tool": ELF, "real/test.sh": "make\n"})
    link(tmp_path, "rcb_tests", "real")
    assert len(shipped_notes(tmp_path)) == 1


def test_a_tree_too_deep_for_a_path_is_looked_at_as_far_as_it_goes(tmp_path: Path) -> None:
    write(honest(tmp_path), {"tool": ELF})
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


def test_twenty_thousand_files_are_looked_at_in_a_second(tmp_path: Path) -> None:
    for folder in range(20):
        (tmp_path / str(folder)).mkdir()
        for file in range(1000):
            (tmp_path / str(folder) / str(file)).write_bytes(b"x")
    start = time.process_time()
    assert shipped_notes(tmp_path) == []
    assert time.process_time() - start < 1


@pytest.mark.parametrize("text", ["a\x1b[0m\nb", b"\xff\xfe", "\udcff", "‮abc", "é"])
def test_text_for_readers_is_one_line_of_printable_ascii(text: str | bytes) -> None:
    shown = printable(text)
    assert shown.isascii()
    assert shown.isprintable()


def test_long_text_is_cut() -> None:
    assert printable("x" * 1000, most=10) == "xxxxxxx..."
