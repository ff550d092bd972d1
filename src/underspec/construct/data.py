"""Text that somebody else wrote, in a prompt: marked as data, so that nothing in it passes for an instruction."""

from __future__ import annotations

import hashlib


def mark_of(*texts: str) -> str:
    """A word that stands in none of the texts. The same texts give the same mark, so prompts are reproducible."""
    number = 0
    while True:
        seed = "\x00".join((str(number), *texts))
        mark = f"data-{hashlib.sha256(seed.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        if not any(mark in text for text in texts):
            return mark
        number += 1


def as_data(**texts: str) -> str:
    """Blocks, one a text, whose first and last lines hold a mark that no text can hold.

    The system prompt says that what stands between such lines is material and never an instruction.
    """
    mark = mark_of(*texts.values())
    blocks = [f"<<<{mark} {name}\n{text.rstrip()}\n{mark} {name}>>>" for name, text in texts.items()]
    return "\n\n".join(blocks)
