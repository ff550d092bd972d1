"""What failing cases printed is kept as it came, bounded, and never damaged in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.artifact.failures import MOST_BYTES, FailedCase, Failures
from underspec.artifact.outcomes import CaseOutcome
from underspec.errors import StoreError


def _kept(output: bytes | None) -> FailedCase:
    return FailedCase.of("native", "a file", 3, CaseOutcome.MISMATCH, output)


@given(st.binary(max_size=300))
def test_any_bytes_come_back_through_a_file(output: bytes) -> None:
    written = Failures(task="t", deliverable=None, cases=(_kept(output),)).to_bytes()
    (case,) = Failures.from_bytes(written, file="failures.json").cases
    assert (case.output, case.size, case.cut) == (output, len(output), False)


def test_a_long_output_is_cut_and_says_so() -> None:
    case = _kept(b"x" * (MOST_BYTES + 1))
    assert case.output == b"x" * MOST_BYTES
    assert (case.size, case.cut) == (MOST_BYTES + 1, True)
    assert _kept(b"x" * MOST_BYTES).cut is False


def test_no_output_is_not_an_empty_one() -> None:
    assert (_kept(None).output, _kept(None).size) == (None, None)
    assert _kept(b"").output == b""


def test_a_damaged_file_is_refused_with_its_place() -> None:
    written = Failures(task="t", deliverable=None, cases=(_kept(b"abc"),)).to_bytes().replace(b"YWJj", b"YW*j")
    with pytest.raises(StoreError, match="base64") as refused:
        Failures.from_bytes(written, file="failures.json")
    assert refused.value.where == "$.cases[0].actual"
