"""What leaves ``hidden/``: to whom, at which moment, and why. No other code hands hidden material out.

:data:`RELEASES` (``table.py``) is the whole list; each row names the one function that does it, and each function of
this package stands beside those for the same receiver. Canaries are taken out on the way. Should one of the task's
canaries still stand in what leaves, or a string that its ``identity`` names in a request or in records, the release
refuses.
"""

from underspec.task.commission import (
    STARTER,
    acceptance_digest,
    acceptance_files,
    reference_units,
    unit_questions,
    unit_requirements,
    unit_source,
    unit_tests,
    variant_deliverable,
    variant_names,
)
from underspec.task.golden import golden_sources, golden_tree
from underspec.task.icae.scope import read_scope
from underspec.task.reader import reader_cases
from underspec.task.release.agent import request_text, scaffold_cases, visible_workspace
from underspec.task.release.grader import expectations, grader_inputs
from underspec.task.release.operator import (
    forbidden_strings,
    golden_deliverable,
    golden_reference,
    own_source,
    suite_digest,
    visible_digest,
)
from underspec.task.release.stakeholder import (
    NOTHING_MORE,
    asks_somebody,
    complete_requirement,
    delivery_interface,
    session_records,
)
from underspec.task.release.table import RELEASES, Audience, Release

__all__ = [
    "NOTHING_MORE",
    "RELEASES",
    "STARTER",
    "Audience",
    "Release",
    "acceptance_digest",
    "acceptance_files",
    "asks_somebody",
    "complete_requirement",
    "delivery_interface",
    "expectations",
    "forbidden_strings",
    "golden_deliverable",
    "golden_reference",
    "golden_sources",
    "golden_tree",
    "grader_inputs",
    "own_source",
    "read_scope",
    "reader_cases",
    "reference_units",
    "request_text",
    "scaffold_cases",
    "session_records",
    "suite_digest",
    "unit_questions",
    "unit_requirements",
    "unit_source",
    "unit_tests",
    "variant_deliverable",
    "variant_names",
    "visible_digest",
    "visible_workspace",
]
