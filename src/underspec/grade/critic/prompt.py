"""The data block: both trees between two lines that carry a mark which nothing in them can know."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from underspec.grade.critic.packing import Packed, Packing, Piece, SourceFile

SIDES = (("original", "golden"), ("generated", "generated"))
_MARK_CHARACTERS = 32


def mark_of(packing: Packing) -> str:
    """The mark of one block: a digest over everything in it.

    So that equal trees give equal prompts. No text can hold the digest of itself and of all that stands beside it; that
    it does not is looked at all the same.
    """
    digest = hashlib.sha256()
    for side in (packing.golden, packing.generated):
        for piece in side.pieces:
            for part in (piece.file.path, piece.text):
                digest.update(len(part).to_bytes(8, "big") + part.encode())
        digest.update(b"\0")
    mark = digest.hexdigest()[:_MARK_CHARACTERS]
    while any(mark in text for text in _texts(packing)):
        mark = hashlib.sha256(mark.encode()).hexdigest()[:_MARK_CHARACTERS]
    return mark


def _texts(packing: Packing) -> Iterable[str]:
    for side in (packing.golden, packing.generated):
        for piece in side.pieces:
            yield piece.file.path
            yield piece.text
        for file in side.left_out[: side.listed]:
            yield file.path


def data_block(packing: Packing, mark: str) -> str:
    """The block, which stays within the packing's budget (:data:`FRAME_BYTES` and the like are the room for it)."""
    parts = [f"=== DATA {mark} BEGINS ===\n"]
    for name, side in SIDES:
        packed = packing.golden if side == "golden" else packing.generated
        parts += [_piece(piece, name, mark) for piece in packed.pieces]
    for name, side in SIDES:
        packed = packing.golden if side == "golden" else packing.generated
        parts.append(_not_shown(packed, name, mark))
    parts.append(f"=== DATA {mark} ENDS ===\n")
    return "".join(parts)


def _piece(piece: Piece, name: str, mark: str) -> str:
    of = piece.file.lines
    lines = _lines(of) if piece.whole else f"cut: the first {SourceFile('', piece.text).lines} of {_lines(of)}"
    end = "" if piece.text.endswith("\n") or not piece.text else "\n"
    return f"--- {mark} {name} {piece.file.path} ({lines}) ---\n{piece.text}{end}"


def _not_shown(packed: Packed, name: str, mark: str) -> str:
    if not packed.left_out:
        return ""
    parts = [f"--- {mark} {name}, files that are not shown ---\n"]
    parts += [f"{file.path} ({_lines(file.lines)})\n" for file in packed.left_out[: packed.listed]]
    if rest := packed.left_out[packed.listed :]:
        parts.append(f"and {len(rest)} more with {_lines(sum(file.lines for file in rest))}\n")
    return "".join(parts)


def _lines(number: int) -> str:
    return "1 line" if number == 1 else f"{number} lines"
