"""Commands print what scripts rely on, on stdout, and nothing else there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cli.command import underspec
from tests.task_factory import make_task
from underspec.cli import common
from underspec.cli.app import app
from underspec.errors import SandboxError
from underspec.grade import grader
from underspec.sandbox.backends import load_backend


def test_help_teaches_and_lists_every_command() -> None:
    ran = underspec("--help")
    assert ran.code == 0
    for command in ("demo", "doctor", "run", "show", "grade", "report", "tasks", "stakeholder", "prompts"):
        assert command in ran.out
    assert "underspec demo" in ran.out


def test_help_loads_none_of_the_heavy_libraries() -> None:
    code = "import sys, underspec.cli; print([name for name in ('pydantic', 'h11') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pydantic" not in done.stdout
    assert "h11" not in done.stdout


def test_tasks_list_has_the_documented_shape() -> None:
    document = underspec("tasks", "list", "--json").json()
    task = next(task for task in document["tasks"] if task["id"] == "data-sizes")
    assert set(task) == {"id", "family", "category", "language", "title", "path"}
    assert task["language"] == "Python"


def test_tasks_show_gives_the_request_at_the_exposure_that_was_asked_for() -> None:
    l1 = underspec("tasks", "show", "data-sizes", "--json").json()
    recovered = underspec("tasks", "show", "data-sizes", "--exposure", "recovered", "--json").json()
    assert recovered["request"].startswith(l1["request"].rstrip())
    assert len(recovered["request"]) > 3 * len(l1["request"])


def test_tasks_validate_says_valid_for_the_bundled_tasks() -> None:
    ran = underspec("tasks", "validate", "--json")
    assert ran.code == 0
    document = ran.json()
    assert document["valid"] is True
    assert all(set(task) >= {"id", "valid", "findings", "golden", "variants"} for task in document["tasks"])


def test_stakeholder_ask_answers_in_the_authors_words() -> None:
    ran = underspec("stakeholder", "ask", "--task", "data-sizes", "--json", "Which error codes exist?")
    document = ran.json()
    assert document["ids"] == ["C003"]
    assert "unknown_unit" in document["reply"]


def test_prompts_show_prints_text_and_hash() -> None:
    document = underspec("prompts", "show", "builder", "--json").json()
    assert {prompt["name"] for prompt in document["prompts"]} >= {"instruction", "clarification", "react"}
    assert all(len(prompt["sha256"]) == 64 for prompt in document["prompts"])


@pytest.mark.sandbox
def test_doctor_says_that_this_machine_is_ready() -> None:
    ran = underspec("doctor", "--json")
    assert ran.code == 0, ran.out
    document = ran.json()
    assert document["ready"] is True
    assert all(check["ok"] for check in document["checks"] if check["required"])


def test_doctor_without_bubblewrap_says_what_to_install(tmp_path: Path) -> None:
    ran = underspec("doctor", PATH=str(tmp_path))
    assert ran.code == 3
    assert "bubblewrap" in ran.out


@pytest.mark.parametrize("command", [("demo",), ("run", "--agent", "nop", "--task")])
def test_without_bubblewrap_nothing_starts_and_the_message_names_the_package(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    argv = [*command, str(make_task(tmp_path))] if command[0] == "run" else list(command)
    ran = underspec(*argv, cwd=tmp_path, PATH=str(tmp_path))
    assert ran.code == 3
    assert "bubblewrap" in ran.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.sandbox
def test_run_report_and_show_agree(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    ran = underspec("run", "--task", task, "--agent", "nop", "--budget", "0", "--run", "first", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    document = ran.json()
    assert (document["planned"], document["scored"], document["unscored"]) == (1, 1, {})
    row = document["rows"][0]
    wanted = {
        "agent", "model", "condition", "overall_pooled", "overall_macro", "interval", "public", "native", "enhanced",
        "task_pass", "clarification", "coverage", "fallback_rate", "budget_use", "cost",
    }  # fmt: skip
    assert wanted <= set(row)
    assert row["overall_pooled"] == 0.0
    assert row["interval"] is None  # of one task
    reported = document | {"site": str(tmp_path / "runs/first/site/index.html")}
    assert underspec("report", "--json", cwd=tmp_path).json() == reported
    shown = underspec("show", "nop", "--json", cwd=tmp_path).json()
    assert shown["grade"]["overall"] == {"passed": 0, "total": 7, "rate": 0.0}
    assert shown["grade"]["suites"]["public"]["states"] == ["missing", "no_test"]
    assert "no_test" in underspec("show", "nop", cwd=tmp_path).out
    assert underspec("report", "first", "--json", cwd=tmp_path).json() == reported
    assert underspec("show", "--run", "first", "nop", "--json", cwd=tmp_path).json() == shown


@pytest.mark.sandbox
def test_a_dry_run_counts_and_does_nothing(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    argv: list[str | Path] = [
        "run",
        "--task",
        task,
        "--agent",
        "nop",
        "--budget",
        "8",
        "--budget",
        "16",
        "--epochs",
        "2",
    ]
    planned = underspec(*argv, "--dry-run", "--json", cwd=tmp_path).json()
    assert (planned["planned"], planned["done"], planned["builds"], planned["cost"]) == (4, 0, 4, 0.0)
    assert not (tmp_path / "runs").exists()
    assert underspec(*argv, cwd=tmp_path).code == 0
    assert underspec(*argv, "--dry-run", "--json", cwd=tmp_path).json()["done"] == 4


def test_tasks_manifest_makes_a_changed_task_whole_again(tmp_path: Path) -> None:
    task = make_task(tmp_path)
    (task / "hidden" / "requests" / "L1.md").write_text(
        "<!-- canary underspec-canary-x -->\nAdd numbers, the usual way.\n"
    )
    assert underspec("tasks", "validate", task).code == 1
    assert underspec("tasks", "manifest", task).code == 0
    assert underspec("tasks", "validate", task).code == 0


def test_a_grade_without_a_score_is_one_document_all_the_same_and_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*args: object, **kwargs: object) -> None:
        raise SandboxError("the engine went away")

    monkeypatch.setattr(grader, "grade_in_full", broken)
    monkeypatch.setattr(common, "ready_backend", load_backend)
    (tmp_path / "submission").mkdir()
    argv = ["grade", "--task", str(make_task(tmp_path)), "--submission", str(tmp_path / "submission"), "--json"]
    ran = CliRunner().invoke(app, argv)
    assert ran.exit_code == 1
    document = json.loads(ran.stdout)
    assert document["unscored"] == {"boundary": "sandbox", "reason": "the engine went away"}
    assert document["overall"] == {"passed": None, "total": 7, "rate": None}
    assert "the engine went away" in ran.stderr


def test_a_sandbox_that_fails_once_costs_no_grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = grader.grade_in_full
    failures = [SandboxError("the engine hiccuped")]

    async def moody(*args: Any, **kwargs: Any) -> grader.Grade:
        if failures:
            raise failures.pop()
        return await whole(*args, **kwargs)

    monkeypatch.setattr(grader, "grade_in_full", moody)
    (tmp_path / "submission").mkdir()
    argv = ["grade", "--task", str(make_task(tmp_path)), "--submission", str(tmp_path / "submission"), "--json"]
    ran = CliRunner().invoke(app, argv)
    assert (ran.exit_code, failures) == (0, [])
    assert json.loads(ran.stdout)["overall"] == {"passed": 0, "total": 7, "rate": 0.0}
    assert "the engine hiccuped; trying again" in ran.stderr


def test_presets_are_listed_without_a_task() -> None:
    ran = underspec("run", "--preset", "?")
    assert (ran.code, [line.split()[0] for line in ran.out.splitlines()]) == (0, ["icae", "swe-clar"])
    assert list(underspec("run", "--preset", "?", "--json").json()["presets"]) == ["icae", "swe-clar"]
