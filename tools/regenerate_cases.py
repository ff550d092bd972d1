"""Recompute what a task derives from its golden implementation.

    python tools/regenerate_cases.py TASK_FOLDER [--check]

Cases are written by hand with their ``input``; everything else follows from them, in this order:

1. ``expected_output`` of every case, by running the golden deliverable (``hidden/variants/reference`` over the
   published archive of ``hidden/golden.toml``) in a fresh sandbox a suite;
2. the ``TC_<stem>`` records, which carry the public case files;
3. the examples embedded in requests: the JSON block after each line ``Public cases: `rcb_tests/...` ``;
4. ``MANIFEST.sha256``.

The same inputs always give the same bytes. With ``--check`` nothing is written; exit code 1 says what would change.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

from underspec.artifact.outcomes import SUITES, SuiteName
from underspec.grade.cases import SUBDIRS
from underspec.grade.inputs import lay_inputs
from underspec.grade.suite import sandbox_limits
from underspec.sandbox.protocol import WORKSPACE, Owner, SandboxBackend, SandboxSpec
from underspec.task.digest import write_manifest
from underspec.task.golden import golden_tree
from underspec.task.layout import RECORDS, case_path, request_path
from underspec.task.load import load_task
from underspec.task.model import CaseFile, Task
from underspec.task.release import grader_inputs

_EXAMPLE = re.compile(
    r"(?P<head>^Public cases: `rcb_tests/public_test_cases/(?P<stem>[^`]+)\.json`\n\n```json\n)"
    r"(?P<body>.*?)(?P<tail>^```$)",
    re.MULTILINE | re.DOTALL,
)


def dump(document: Any) -> bytes:
    """The one way in which hidden JSON files are written."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def shown(file: CaseFile) -> dict[str, Any]:
    """A case file as it is shown: without its canary."""
    cases = [{"input": case.input, "expected_output": case.expected_output} for case in file.cases]
    return {"description": file.description, "cases": cases}


async def golden_outputs(task: Task, suite: SuiteName, backend: SandboxBackend) -> dict[str, list[str]]:
    """What the golden deliverable prints for each case of a suite: stem to outputs, in case order."""
    spec = SandboxSpec(
        owner=Owner(run="regenerate-cases", purpose=suite),
        image=task.toml.image.base,
        limits=sandbox_limits(task.toml.limits),
        lower=golden_tree(task),
    )
    sandbox = backend.create(spec)
    try:
        await sandbox.start()
        await lay_inputs(sandbox, SUBDIRS[suite], grader_inputs(task, suite))
        end = await sandbox.exec(["bash", "rcb_tests/test.sh", "--cases-dir", SUBDIRS[suite]], timeout=600)
        if not end.ok:
            sys.exit(f"{suite}: the golden deliverable failed: {end.stderr.decode(errors='replace')[-2000:]}")
        await sandbox.kill_all()
        files = await sandbox.collect(
            f"{WORKSPACE}/rcb_tests/stdout/{SUBDIRS[suite]}", max_file=1 << 26, max_files=1_000_000, max_total=1 << 30
        )
    finally:
        await sandbox.close()
    found = {file.name: file.content for file in files}
    return {
        stem: [_text(found, f"{stem}@{index:03}.txt") for index in range(len(cases.cases))]
        for stem, cases in task.suites[suite].files.items()
    }


def _text(found: dict[str, bytes | None], name: str) -> str:
    content = found.get(name)
    if content is None:
        sys.exit(f"the golden deliverable left no {name}")
    return content.decode("utf-8")


def with_outputs(file: CaseFile, outputs: list[str]) -> CaseFile:
    """The case file with the expectations that the golden implementation gives."""
    pairs = zip(file.cases, outputs, strict=True)
    cases = tuple(case.model_copy(update={"expected_output": output}) for case, output in pairs)
    return file.model_copy(update={"cases": cases})


def with_case_records(records: dict[str, Any], public: dict[str, CaseFile]) -> dict[str, Any]:
    """The records document with every ``TC_<stem>`` response written anew."""
    for known in records["levels"].values():
        for record in known["records"]:
            if record["kind"] == "case_file":
                stem = record["id"].removeprefix("TC_")
                listed = json.dumps(shown(public[stem]), ensure_ascii=False)
                record["response"] = f"Here are the public test cases for {stem}:\n{listed}"
    return records


def with_examples(request: str, public: dict[str, CaseFile]) -> str:
    """The request with every embedded example written anew."""

    def example(found: re.Match[str]) -> str:
        return found["head"] + dump(shown(public[found["stem"]])).decode() + found["tail"]

    return _EXAMPLE.sub(example, request)


async def derive(task: Task, backend: SandboxBackend) -> dict[str, bytes]:
    """All derived files of a task by their path in its folder."""
    files: dict[str, bytes] = {}
    public: dict[str, CaseFile] = {}
    for suite in SUITES:
        outputs = await golden_outputs(task, suite, backend)
        for stem, file in task.suites[suite].files.items():
            renewed = with_outputs(file, outputs[stem])
            files[case_path(suite, stem)] = dump(renewed.model_dump(exclude_none=True))
            if suite == "public":
                public[stem] = renewed
    records = json.loads((task.path / RECORDS).read_bytes())
    files[RECORDS] = dump(with_case_records(records, public))
    for name, text in task.requests.items():
        files[request_path(name)] = with_examples(text, public).encode()
    return files


def main() -> int:
    """Regenerate or check one task."""
    from underspec.sandbox.bubblewrap import BubblewrapBackend

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change")
    options = parser.parse_args()
    task = load_task(options.task)
    derived = asyncio.run(derive(task, BubblewrapBackend()))
    changed = [path for path, content in derived.items() if (task.path / path).read_bytes() != content]
    for path in changed:
        print(f"{'differs' if options.check else 'written'}: {path}")
    if options.check:
        return 1 if changed else 0
    for path in changed:
        (task.path / path).write_bytes(derived[path])
    write_manifest(task.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
