"""For people who live in Inspect: its own command runs our items and shows our score."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.agent.scripts import write_script
from tests.agent.toy_scripts import ASK_CALL, builds
from tests.model.scripts import script
from tests.task_factory import make_golden_wheel, make_task
from underspec.artifact.review import Review
from underspec.task.golden import archive_place
from underspec.task.load import load_task

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")


def test_inspect_eval_runs_a_build_and_scores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.log import read_eval_log

    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))
    task = make_task(tmp_path)
    golden = load_task(task).golden
    assert golden is not None
    make_golden_wheel(archive_place(golden).parent)
    # One that never gives a verdict, which is nobody's score.
    critic = script(tmp_path, {"text": "Lovely!", "repeat": True}, name="critic.toml")
    model = write_script(tmp_path / "script.jsonl", builds(ask=ASK_CALL))
    command = Path(sys.executable).with_name("inspect")
    argv = [str(command), "eval", "underspec/build", "-T", f"task={task}", "-T", "exposure=L1"]
    argv += ["-T", f"critic_model=scripted/{critic}"]
    argv += ["--model", model, "--display", "plain", "--log-dir", str(tmp_path / "logs")]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    [path] = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success"
    assert log.samples is not None
    [sample] = log.samples
    assert sample.scores is not None
    assert sample.scores["underspec/cases"].value == 1.0
    assert sample.scores["underspec/cases"].metadata == {"clean": True, "questions": 1, "ended": "done"}
    assert len(list((tmp_path / "runs").glob("*/items/*/grade/*/outcomes.json"))) == 1
    items = tmp_path / "runs"
    assert len(list(items.glob("*/items/*/structure/*/structure.json"))) == 1
    (reviewed,) = items.glob("*/items/*/review/*/review.json")
    assert Review.read(reviewed).design.unscored is not None
