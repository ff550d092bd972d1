"""Finds compiled programs in a deliverable whose ``test.sh`` builds nothing, which no black box can judge (fault 11).

A remark for a person and no verdict: it changes no score. It reads the first bytes of files that could be run or loaded
as they are (an executable bit, or the name of a library), and of all files when ``test.sh`` changes modes; it follows
no link and stops at a cap.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from underspec.grade.text import printable

_MOST_ENTRIES = 50_000
_SCRIPT_BYTES = 1024**2
_NAMED = 3
_LOADED = (".so", ".dll", ".exe", ".dylib", ".node", ".pyd", ".jar", ".war", ".class", ".wasm", ".o", ".a", ".bin")
_MAGIC = {
    b"\x7fELF": "ELF",
    b"\x00asm": "WebAssembly",
    b"\xfe\xed\xfa\xce": "Mach-O",
    b"\xfe\xed\xfa\xcf": "Mach-O",
    b"\xce\xfa\xed\xfe": "Mach-O",
    b"\xcf\xfa\xed\xfe": "Mach-O",
    b"\xca\xfe\xba\xbe": "Java class or Mach-O",
}
_BUILDERS = re.compile(
    r"(?<![\w./-])(?:[\w./-]*/)?(?:"
    r"(?:cc|gcc|g\+\+|c\+\+|clang\+*|make|cmake|ninja|meson|cargo|rustc|javac|kotlinc|scalac|mvnw?|gradlew?|ant|sbt|"
    r"msbuild|csc|tsc|swiftc|ghc|cabal|stack|zig|nim|ocamlfind|dune|bazel|buck2?|emcc)(?![\w-])|"
    r"(?:go|dart|dotnet|swift|npm|yarn|pnpm|npx|bun|composer|bundle|gem|mix|deno|poetry|uv|pip3?)[ \t]+[a-z]"
    r")|-m\s+(?:pip|build)\b"
)


def shipped_notes(deliverable: Path) -> list[str]:
    """At most one remark: which compiled programs are shipped though ``rcb_tests/test.sh`` seems to build nothing.

    Looks at 50,000 entries at most; what cannot be opened, or lies too deep for a path, is left out.
    """
    script = _script(deliverable)
    if _BUILDERS.search(script):
        return []
    every = "chmod" in script
    root = str(deliverable)
    found = [(path[len(root) + 1 :], kind) for path in _files(root, every=every) if (kind := _kind(path))]
    if not found:
        return []
    named = ", ".join(f"{printable(path, most=120)} ({kind})" for path, kind in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return [
        f"ships compiled code, {named}{more}, while rcb_tests/test.sh calls no build tool that the grader knows: "
        "black-box cases cannot tell what it was made from; have a person look"
    ]


def _files(root: str, *, every: bool) -> Iterator[str]:
    """Paths of regular files that are worth a look, in a fixed order, up to the cap."""
    entries = 0
    waiting = [root]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                found = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        folders = []
        for entry in found:
            entries += 1
            if entries > _MOST_ENTRIES:
                return
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file(follow_symlinks=False) and (
                every or entry.name.endswith(_LOADED) or ".so." in entry.name or _executable(entry)
            ):
                yield entry.path
        waiting += reversed(folders)


def _executable(entry: os.DirEntry[str]) -> bool:
    try:
        return bool(entry.stat(follow_symlinks=False).st_mode & 0o111)
    except OSError:
        return False


def _head(path: str, size: int, *, below: int | None = None) -> bytes:
    """The first bytes of a regular file; nothing when it is something else or cannot be opened."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=below)
    except OSError:
        return b""
    try:
        return os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
    finally:
        os.close(handle)


def _kind(path: str) -> str | None:
    head = _head(path, 4)
    if head in _MAGIC:
        return _MAGIC[head]
    if head[:2] == b"MZ":
        start = _head(path, 4096)
        offset = int.from_bytes(start[60:64], "little")
        return "PE" if start[offset : offset + 4] == b"PE\0\0" else None
    if head == b"PK\x03\x04" and path.endswith((".jar", ".war")):
        return "Java archive"
    return None


def _script(deliverable: Path) -> str:
    """The text of ``rcb_tests/test.sh``, its first MiB; nothing when a link stands in the way."""
    try:
        folder = os.open(deliverable / "rcb_tests", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return ""
    try:
        return _head("test.sh", _SCRIPT_BYTES, below=folder).decode("utf-8", "replace")
    finally:
        os.close(folder)
