"""How much one file, one worker and one tree may take."""

from __future__ import annotations

MAX_BYTES = 4 * 1024**2
"""Of one file; larger ones are left out and said."""

MAX_FILES = 200_000
"""Source files of a tree, as a deliverable may hold."""

MAX_MEMORY = 2 * 1024**3
"""Bytes of address space of one worker. A hostile file of the size limit was seen to take 1.2 GB, an honest one 0.1."""

MAX_ANSWER = 8 * 1024**2
"""Bytes of names of one file; an honest one of the size limit has about half a megabyte."""

MAX_ANSWERS = 32 * 1024**2
"""Bytes of names of a tree, about 800,000 definitions: three times what the largest published original has."""

SECONDS = 10.0
"""Processor time for one file; one of the size limit takes about three."""
