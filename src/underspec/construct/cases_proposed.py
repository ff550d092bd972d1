"""Cases as a model proposes them: inputs, and outputs where it dares to say; the golden implementation decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from underspec.artifact.files import write_atomic
from underspec.construct.golden_run import composed, inputs_of, run_golden
from underspec.construct.materials import case_bytes
from underspec.construct.stage import Work
from underspec.model.structured import Shape
from underspec.task.cases import value_key
from underspec.task.model import CaseFile

MOST_CASES = 200


@dataclass(frozen=True)
class ProposedCase:
    """``expected`` is None where the model leaves it to the golden implementation; ``about`` are further fields."""

    input: Any
    expected: str | None
    about: dict[str, Any] = field(default_factory=dict)


def cases_shape(name: str, more: Mapping[str, Any]) -> Shape:
    """A list of cases, each with ``input`` as JSON text, for inputs have no shape that all of them share."""
    properties = {
        "input": {"type": "string", "description": "the input as JSON text"},
        "expected_output": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        **more,
    }
    item = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return Shape(name, {"cases": {"type": "array", "items": item}})


def read_cases_document(document: dict[str, Any]) -> list[ProposedCase] | None:
    """A model's cases; None where the document is none. An input may be JSON text or the value itself."""
    import json

    cases = document.get("cases")
    if not isinstance(cases, list) or not cases or len(cases) > MOST_CASES:
        return None
    found = []
    for one in cases:
        if not isinstance(one, dict) or "input" not in one:
            return None
        value, expected = one["input"], one.get("expected_output")
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return None
        if expected is not None and not isinstance(expected, str):
            return None
        about = {name: more for name, more in one.items() if name not in ("input", "expected_output")}
        found.append(ProposedCase(value, expected, about))
    return found


def unique(cases: Sequence[ProposedCase], known: set[str]) -> list[ProposedCase]:
    """Those whose input is not known yet; ``known`` grows by them."""
    found = []
    for one in cases:
        key = value_key(one.input)
        if key not in known:
            known.add(key)
            found.append(one)
    return found


def write_suite(folder: Path, stem: str, description: str, cases: Sequence[ProposedCase]) -> None:
    """Write a case file; an expectation that nobody has given is empty until it is recorded."""
    documents = [{"input": one.input, "expected_output": one.expected or ""} for one in cases]
    write_atomic(folder / f"{stem}.json", case_bytes(description, documents))


async def record_outputs(
    work: Work, suite: str, files: Mapping[str, CaseFile], reference: str, *, only_empty: bool
) -> dict[str, list[bytes | None]]:
    """Run the suite once and write what came into its files: where nothing is expected yet, or everywhere.

    Returns:
        What came, by stem; None where nothing did.
    """
    root = work.out / reference if (work.out / reference).is_dir() else work.of("refactor") / reference
    with composed(root, work.of("select") / "golden") as tree:
        run = await run_golden(work, tree, inputs_of(files), image=str(work.options.get("image", "host")))
    came: dict[str, list[bytes | None]] = {}
    for stem, file in files.items():
        outputs = [run.outputs.get((stem, index)) for index in range(len(file.cases))]
        came[stem] = outputs
        documents = []
        for case, output in zip(file.cases, outputs, strict=True):
            record = output is not None and (not only_empty or not case.expected_output)
            text = output.decode("utf-8", "replace") if record and output is not None else case.expected_output
            documents.append({"input": case.input, "expected_output": text})
        write_atomic(work.out / suite / f"{stem}.json", case_bytes(file.description, documents, file.canary))
    return came
