"""The stage ground: from verified behaviour to the complete requirement, and the cases that it shows (ICAE III-B)."""

from __future__ import annotations

from underspec.construct.ground.stage import GroundStage

GROUND = GroundStage()
