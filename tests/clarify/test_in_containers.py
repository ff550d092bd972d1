"""Items that clarify come to the same in containers: the same context, deliverable, verdicts and labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.agent.scripts import shell, turn
from tests.clarify.runs import TASK
from tests.clarify.scripts import FINISH, SUBMIT, ask, script_of, write_tally
from tests.commission_factory import make_commission
from tests.sandbox.boxes import needs_root
from underspec.cli.app import app

pytestmark = [pytest.mark.proof, pytest.mark.sandbox, pytest.mark.timeout(900)]
pytest.importorskip("inspect_ai")

WRITES = "cat README.md; echo x > new; rm -f README.md; mkdir d; touch /workspace/README.md; ls; echo tried"


def scored(sandbox: str, protocol: str, model: str) -> Any:
    flags = ["--protocol", protocol, "--task", TASK, "--agent", "react", "--model", model]
    flags += ["--stakeholder-model", model, "--judge-model", model, "--sandbox", sandbox, "--json"]
    done = CliRunner().invoke(app, ["run", *flags, "--run", f"{sandbox}-{protocol}"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def artifacts(run: Path, *names: str) -> dict[str, str]:
    """Artifacts by phase and name, without what an image's digest changes."""
    found = {path.name: path for path in (run / "items").rglob("*.json") if "attempts" not in path.parts}
    return {name: found[name].read_text() for name in names}


@needs_root
@pytest.mark.parametrize("protocol", ["clarify-first", "continued"])
def test_whole_items_are_the_same_in_containers(
    container_engine: str, protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_commission(tmp_path)
    monkeypatch.chdir(tmp_path)
    building = [shell(write_tally()), shell("python3 tally.py README.md; ls"), turn(calls=SUBMIT)]
    if protocol == "continued":
        building.insert(1, turn(calls=ask()))
    model = script_of(
        tmp_path, clarifying=[shell(WRITES), turn(calls=ask()), turn(calls=FINISH)], implementing=building
    )
    figures = ("task_pass", "unit_pass", "clarification", "clarification_strict", "questions", "scored")
    for sandbox in ("bubblewrap", "docker"):
        (row,) = scored(sandbox, protocol, model)["rows"]
        assert [row[name] for name in figures] == [1.0, 1.0, 1.0, 1.0, 1, 1], sandbox
    one, other = (Path("runs") / f"{sandbox}-{protocol}" for sandbox in ("bubblewrap", "docker"))
    names = (
        "context.json",
        "deliverable.json",
        "acceptance.json",
        "answers.json",
        "judgements.json",
        "transcript.json",
    )
    assert artifacts(one, *names) == artifacts(other, *names)
    if protocol == "clarify-first":
        seen = artifacts(other, "context.json")["context.json"]
        assert seen.count("Read-only file system") == 4
        assert "tried" in seen
    # The second command finds all of it.
    again = scored("docker", protocol, model)
    assert again["scored"] == 1
    attempts = list((other / "items").rglob("attempts/*"))
    assert {path.name for path in attempts if path.is_dir()} == {"1"}
