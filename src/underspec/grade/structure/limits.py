"""How much one file, one worker and one tree may take."""

from __future__ import annotations

MAX_BYTES = 4 * 1024**2
"""Of one file; larger ones are left out and said."""

MAX_FILES = 200_000
"""Source files of a tree, as a deliverable may hold."""

MAX_MEMORY = 2 * 1024**3
"""Bytes of address space of one worker. A hostile file of the size limit was seen to take 1.2 GB, an honest one 0.1."""

SECONDS = 10.0
"""Processor time for one file; one of the size limit takes about three."""
