"""The stage fuzz: from the complete requirement to requests that leave points out, and the records that give them back.

Prompts and order follow ICAE III-B and appendices C and E; what is written is checked by :mod:`.gate`.
"""

from __future__ import annotations

from underspec.construct.fuzz.stage import FuzzStage

FUZZ = FuzzStage()
