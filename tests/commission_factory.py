"""The toy commission, under the name by which tests know it."""

from __future__ import annotations

from underspec.selftest.commission import (
    ALL_TESTS,
    EQUIVALENT,
    SERVE,
    SERVE_TESTS,
    SUM,
    SUM_TESTS,
    TALLY,
    TASK_ID,
    TESTS_SUM,
    TOML,
    canary,
    commission_files,
    make_commission,
    unit,
)

__all__ = [
    "ALL_TESTS",
    "EQUIVALENT",
    "SERVE",
    "SERVE_TESTS",
    "SUM",
    "SUM_TESTS",
    "TALLY",
    "TASK_ID",
    "TESTS_SUM",
    "TOML",
    "canary",
    "commission_files",
    "make_commission",
    "unit",
]
