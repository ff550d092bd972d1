"""Any task runs under either protocol: a repository task is asked about first, a commission is built and graded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.agent.scripts import shell, turn, write_script
from tests.clarify.scripts import APPROVAL, CLIENT, FINISH, SUBMIT, SUPERVISOR, ask, everybody, script_of
from tests.commission_factory import make_commission
from tests.task_factory import TASK_ID, make_task, task_files
from underspec.cli.app import app
from underspec.task import release
from underspec.task.catalog import find_task
from underspec.task.golden import archive_place
from underspec.task.load import load_task

pytestmark = pytest.mark.sandbox
pytest.importorskip("inspect_ai")

PROGRAM = """import json, sys
request = json.load(sys.stdin)
numbers = request["numbers"]
if request["action"] == "sum":
    print(sum(numbers))
elif not numbers:
    print("error: empty")
else:
    mean = sum(numbers) / len(numbers)
    print(int(mean) if mean == int(mean) else mean)
"""
TESTS = '''# canary underspec-canary-toy-sums-0030
"""The program by itself: one request on standard input."""

import json


def answer(delivery, action, *numbers):
    return delivery.run("python3", "dispatch.py", stdin=json.dumps({"action": action, "numbers": numbers})).text


def test_numbers_are_added(delivery):
    assert answer(delivery, "sum", 1, 2, 3) == "6\\n"


def test_an_empty_mean_is_an_error(delivery):
    assert answer(delivery, "mean") == "error: empty\\n"
'''
UNITS = {
    "canary": "underspec-canary-toy-sums-0031",
    "question": "What must the software do about {topic}?",
    "units": [
        {
            "id": "SUM",
            "topic": "adding",
            "requirement": "Numbers are added.",
            "answer": "They are added; nothing sums to 0.",
            "initially_hidden": False,
            "tests": ["test_sums::test_numbers_are_added"],
        },
        {
            "id": "EMPTY",
            "topic": "the mean of nothing",
            "requirement": "An empty mean is an error.",
            "answer": "The line `error: empty` is printed.",
            "initially_hidden": True,
            "tests": ["test_sums::test_an_empty_mean_is_an_error"],
        },
    ],
}
HIDDEN = {"hidden/units.json": UNITS, "hidden/acceptance/test_sums.py": TESTS}
WRITE = f"cat > dispatch.py <<'END'\n{PROGRAM}END"


def underspec(*arguments: str, code: int = 0) -> Any:
    """The command's document."""
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def roles(model: str) -> list[str]:
    return ["--model", model, "--stakeholder-model", model, "--judge-model", model]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("protocol", ["clarify-first", pytest.param("continued", marks=pytest.mark.proof)])
def test_a_repository_task_with_units_is_asked_about_built_accepted_and_judged(tmp_path: Path, protocol: str) -> None:
    task = make_task(tmp_path, files=HIDDEN)
    assert underspec("tasks", "validate", str(task))["valid"]
    building = [shell(WRITE), turn(calls=SUBMIT)]
    if protocol == "continued":
        building.insert(0, turn(calls=ask()))
    model = script_of(
        tmp_path,
        clarifying=[shell("ls"), turn(calls=ask()), turn(calls=FINISH)],
        implementing=building,
        client=[turn(text="The mean of nothing is the line error: empty.", repeat=True)],
    )
    flags = ["--protocol", protocol, "--task", str(task), "--agent", "react", "--run", "a"]
    (row,) = underspec("run", *flags, *roles(model))["rows"]
    figures = ("task_pass", "unit_pass", "clarification", "questions", "scored")
    assert [row[name] for name in figures] == [1.0, 1.0, 1.0, 1, 1]
    shown = underspec("show", "react", "--run", "runs/a")
    assert shown["transcript"]["rounds"][0]["reply"].startswith("The mean of nothing")
    # What the User Agent would answer with is not what the client knows by.
    assert "records" not in json.dumps(shown["transcript"])


def test_the_same_task_runs_under_every_protocol_in_one_run(tmp_path: Path) -> None:
    task = make_task(tmp_path, files=HIDDEN)
    harness = task_files()["hidden/variants/reference/rcb_tests/test.sh"]
    write = f"{WRITE}\nmkdir -p rcb_tests\ncat > rcb_tests/test.sh <<'END'\n{harness}END"
    turns = everybody(clarifying=[turn(calls=FINISH)], implementing=[shell(write), turn(calls=SUBMIT)])
    # Under `build` an agent has neither tool, and ends by calling none.
    turns += [{**shell(write), "when": {"results": 0}}, turn(text="Done.", when={"results": 1})]
    model = write_script(tmp_path / "all.jsonl", turns)
    protocols = [flag for name in ("build", "clarify-first", "continued") for flag in ("--protocol", name)]
    document = underspec("run", *protocols, "--task", str(task), "--agent", "react", "--run", "a", *roles(model))
    rows = {row["condition"]["protocol"]: row for row in document["rows"]}
    assert document["scored"] == document["planned"] == 3
    assert rows["build"]["overall_pooled"] == rows["build"]["task_pass"] == 1.0
    assert rows["build"]["clarification"] is None
    for protocol in ("clarify-first", "continued"):
        assert rows[protocol]["task_pass"] == rows[protocol]["clarification"] == 1.0
        assert rows[protocol]["overall_pooled"] is None


@pytest.mark.proof
def test_scripted_agents_clarify_first_on_a_bundled_repository_task(tmp_path: Path) -> None:
    """Who asks learns, and builds from the frozen context what was learned; who does not, does not."""
    task = load_task(find_task("data-sizes"))
    answers = release.session_records(task, "L1").responses()
    known = "\n".join(text for id_, text in answers.items() if not id_.startswith("TC_"))
    turns = [
        {**turn(text=known, repeat=True), "when": CLIENT},
        {**turn(text=APPROVAL, repeat=True), "when": SUPERVISOR},
    ]
    model = write_script(tmp_path / "client.jsonl", turns)
    agents = ["asker", "eager", "nop"]
    if task.golden is not None and archive_place(task.golden).exists():
        agents.append("golden")
    named = [flag for agent in agents for flag in ("--agent", agent)]
    flags = ["--protocol", "clarify-first", "--task", "data-sizes", *named, "--stakeholder-model", model, "--run", "a"]
    document = underspec("run", *flags)
    assert document["unscored"] == {}
    assert document["scored"] == document["planned"] == len(agents)
    rows = {row["agent"]: row for row in document["rows"]}
    assert {agent: (rows[agent]["task_pass"], rows[agent]["questions"]) for agent in agents} == {
        "asker": (1.0, 16),
        "eager": (0.0, 0),
        "nop": (0.0, 0),
        **({"golden": (1.0, 0)} if "golden" in agents else {}),
    }
    # Without a model nobody answers the assessment.
    assert {row["clarification"] for row in rows.values()} == {0.0}
    for agent in agents:
        assert underspec("show", agent, "--run", "runs/a")["transcript"]["end"]["ended"] == "done"


def test_the_golden_agent_hands_over_a_commissions_reference(tmp_path: Path) -> None:
    task = make_commission(tmp_path)
    model = script_of(tmp_path)
    flags = ["--protocol", "clarify-first", "--task", str(task), "--agent", "golden", "--agent", "nop"]
    document = underspec("run", *flags, "--stakeholder-model", model, "--run", "a")
    assert {row["agent"]: row["task_pass"] for row in document["rows"]} == {"golden": 1.0, "nop": 0.0}


CASES = {path: content for path, content in task_files().items() if "/cases/" in path}
RECORDS = {path: content for path, content in task_files().items() if "records" in path}


def test_a_commission_with_cases_is_built_and_graded_by_them(tmp_path: Path) -> None:
    task = make_commission(tmp_path, files={**CASES, **RECORDS})
    harness = task_files()["hidden/variants/reference/rcb_tests/test.sh"]
    write = f"{WRITE}\nmkdir -p rcb_tests\ncat > rcb_tests/test.sh <<'END'\n{harness}END"
    model = write_script(
        tmp_path / "builder.jsonl",
        [turn(calls=ask("What is the mean of an empty list?")), shell(write), turn(text="Done.")],
    )
    document = underspec("run", "--task", str(task), "--agent", "react", "--model", model, "--run", "a")
    (row,) = document["rows"]
    assert (row["overall_pooled"], row["task_pass"], row["questions"], row["scored"]) == (1.0, 1.0, 1, 1)
    assert row["coverage"] > 0
    graded = underspec("show", "react", "--run", "runs/a")
    assert graded["session"]["turns"][0]["matched"] == ["C001"]
    # With all that its records answer in the request, nobody need be asked.
    knowing = write_script(tmp_path / "knowing.jsonl", [shell(write), turn(text="Done.")])
    flags = ["--task", str(task), "--agent", "react", "--model", knowing, "--exposure", "recovered", "--run", "b"]
    (row,) = underspec("run", *flags)["rows"]
    assert (row["overall_pooled"], row["questions"]) == (1.0, 0)
    # The deliverable by itself: by cases where there are some, else by its tests.
    bare = tmp_path / "bare"
    bare.mkdir()
    assert underspec("grade", "--task", str(task), "--submission", str(bare))["overall"]["passed"] == 0


def test_what_a_task_lacks_for_a_protocol_is_said(tmp_path: Path) -> None:
    def says(task: Path, *flags: str) -> str:
        done = CliRunner().invoke(app, ["run", "--task", str(task), "--agent", "react", "--run", "a", *flags])
        assert done.exit_code in (1, 2)
        return " ".join(done.stderr.split())

    clarify = ["--protocol", "clarify-first", *roles("scripted/none.jsonl")]
    bare = make_task(tmp_path / "bare")
    assert f"task {TASK_ID} has no requirement units" in says(bare, *clarify)
    untested = make_task(tmp_path / "untested", files={"hidden/units.json": UNITS})
    assert "there are no acceptance tests" in says(untested, *clarify)
    findings = underspec("tasks", "validate", str(untested))["tasks"][0]["findings"]
    assert any("nothing can be accepted" in finding["message"] for finding in findings)
    groundless = make_task(tmp_path / "groundless", files={**HIDDEN, "hidden/requests/ground.md": None})
    assert "ground" in says(groundless, *clarify)
    commission = make_commission(tmp_path / "commission")
    assert "has no cases" in says(commission, "--model", "scripted/none.jsonl")
    unanswered = make_commission(tmp_path / "unanswered", files=CASES)
    assert "no records for L1" in says(unanswered, "--model", "scripted/none.jsonl")
