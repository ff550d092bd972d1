"""Two trees into a budget: which files are shown whole, which are cut, which are left out. Pure and deterministic.

Files come in order of relevance (:mod:`underspec.grade.critic.relevance`) and are taken in that order: what is shown
of a tree is the first so many of its files. One file takes at most a third of its tree's room while others wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["golden", "generated"]

BYTES_PER_TOKEN = 3
"""A cautious estimate for source code, of which tokenizers make three to four bytes a token."""
FRAME_BYTES = 640
"""Room for what stands around the pieces: fences, headings of the list of what is not shown, its last line."""
PIECE_BYTES = 120
"""Room for what stands around one piece, beside its path and text."""
ENTRY_BYTES = 40
"""Room for what stands around one entry of the list of what is not shown, beside its path."""
LEAST_PIECE = 240
_INDEX_SHARE = 10


@dataclass(frozen=True)
class SourceFile:
    """One source file: its path in its tree, and its text, already inert."""

    path: str
    text: str

    @property
    def lines(self) -> int:
        """Lines, the last one counting if it is not empty."""
        return self.text.count("\n") + (not self.text.endswith("\n") and bool(self.text))

    @property
    def size(self) -> int:
        """Bytes that it takes when it is shown whole."""
        return room_of(self.path, self.text)


@dataclass(frozen=True)
class Piece:
    """What is shown of a file: all of it, or its beginning."""

    file: SourceFile
    text: str

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return len(self.text) == len(self.file.text)


@dataclass(frozen=True)
class Packed:
    """One tree as it is shown: pieces in order of relevance, then what is left out, of which ``listed`` are named."""

    pieces: tuple[Piece, ...] = ()
    left_out: tuple[SourceFile, ...] = ()
    listed: int = 0


@dataclass(frozen=True)
class Packing:
    """Both trees, in at most ``budget`` estimated tokens."""

    budget: int
    golden: Packed = field(default_factory=Packed)
    generated: Packed = field(default_factory=Packed)

    def side(self, side: Side) -> Packed:
        """One of the two."""
        return self.golden if side == "golden" else self.generated


def tokens_of(size: int) -> int:
    """Estimated tokens of so many bytes of UTF-8."""
    return -(-size // BYTES_PER_TOKEN)


def room_of(path: str, text: str) -> int:
    """Bytes that a piece takes."""
    return len(path.encode()) + len(text.encode()) + PIECE_BYTES


def pack(
    golden: Sequence[SourceFile], generated: Sequence[SourceFile], budget: int, *, golden_share: float = 0.5
) -> Packing:
    """Fit both trees, each ordered by relevance, into ``budget`` estimated tokens, frame included.

    ``golden_share`` of the room is the golden tree's; what one tree does not need is the other's. A tenth is kept for
    the list of what is not shown, where something is not.
    """
    room = max(0, budget * BYTES_PER_TOKEN - FRAME_BYTES)
    need_golden, need_generated = (sum(file.size for file in files) for files in (golden, generated))
    if need_golden + need_generated <= room:
        return Packing(budget, _all_of(golden), _all_of(generated))
    body = room - room // _INDEX_SHARE
    for_golden = min(max(int(body * golden_share), body - need_generated), need_golden)
    ours = _fill(golden, for_golden)
    theirs = _fill(generated, body - for_golden)
    left = room - sum(room_of(piece.file.path, piece.text) for piece in (*ours.pieces, *theirs.pieces))
    theirs, left = _listed(theirs, left // 2 if ours.left_out else left, left)
    ours, _ = _listed(ours, left, left)
    return Packing(budget, ours, theirs)


def _all_of(files: Sequence[SourceFile]) -> Packed:
    return Packed(tuple(Piece(file, file.text) for file in files))


def _fill(files: Sequence[SourceFile], room: int) -> Packed:
    most = max(room // 3, LEAST_PIECE)
    texts: list[str] = []
    left = room
    for file in files:
        text = _beginning(file, min(left, most))
        if text is None:
            break
        texts.append(text)
        left -= room_of(file.path, text)
    # What is left over goes to those that were cut for the others' sake.
    for place, text in enumerate(texts):
        if len(text) < len(files[place].text):
            had = room_of(files[place].path, text)
            more = _beginning(files[place], had + left)
            if more is not None and len(more) > len(text):
                texts[place] = more
                left -= room_of(files[place].path, more) - had
    pieces = tuple(Piece(file, text) for file, text in zip(files, texts, strict=False))
    return Packed(pieces, tuple(files[len(texts) :]))


def _beginning(file: SourceFile, room: int) -> str | None:
    """As much of a file as fits, whole lines where there are any; None where that is too little to be worth it."""
    if file.size <= room:
        return file.text
    left = room - room_of(file.path, "")
    if room < LEAST_PIECE or left <= 0:
        return None
    part = file.text.encode()[:left].decode("utf-8", "ignore")
    line_end = part.rfind("\n") + 1
    part = part[:line_end] if line_end > len(part) // 2 else part
    return part or None


def _listed(packed: Packed, room: int, left: int) -> tuple[Packed, int]:
    used = listed = 0
    for file in packed.left_out:
        entry = len(file.path.encode()) + ENTRY_BYTES
        if used + entry > room:
            break
        used += entry
        listed += 1
    return Packed(packed.pieces, packed.left_out, listed), left - used
