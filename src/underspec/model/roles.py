"""The roles in which models work (ICAE III-E, III-F; SWE-Clar 2, 3.2, A)."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Who a model is in a phase. The role, and not the model, decides what is counted where."""

    BUILDER = "builder"
    ROUTER = "router"
    CLIENT = "client"
    SUPERVISOR = "supervisor"
    ANNOTATOR = "annotator"
    ASSESSOR = "assessor"
    ANSWERER = "answerer"
    JUDGE = "judge"
    CRITIC = "critic"
    CONSTRUCTOR = "constructor"
