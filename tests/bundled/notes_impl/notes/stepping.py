"""A place in a note, with line and column (section 5)."""

from __future__ import annotations

from dataclasses import dataclass

BLANKS = frozenset(
    "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)


@dataclass
class Stepper:
    """Steps through a note; a carriage return with a line feed is one step."""

    note: str
    at: int = 0
    line: int = 1
    column: int = 1

    @property
    def next(self) -> str:
        """The character at hand; empty at the end."""
        return self.note[self.at] if self.at < len(self.note) else ""

    def take(self) -> str:
        """One character, or both of a line end; empty at the end."""
        taken = "\r\n" if self.note.startswith("\r\n", self.at) else self.next
        self.at += len(taken)
        if taken in ("\r\n", "\r", "\n"):
            self.line, self.column = self.line + 1, 1
        elif taken:
            self.column += 2 if ord(taken) > 0xFFFF else 1
        return taken

    def skip_blanks(self) -> None:
        """Go on to what is no blank."""
        while self.next in BLANKS and self.next:
            self.take()
