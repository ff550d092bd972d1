"""What the command line and an experiment file can say of clarifying, and what is said back."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from typer.testing import CliRunner, Result

from tests.agent.scripts import shell, turn
from tests.clarify.runs import TASK
from tests.clarify.scripts import ANSWERS, APPROVAL, FINISH, REPLY, SUBMIT, ask, script_of, write_tally
from tests.commission_factory import make_commission
from underspec.agent.protocol import own_prompt
from underspec.agent.registry import load_agent
from underspec.cli.app import app
from underspec.errors import UsageError
from underspec.phase.prompting import building_prompt, inspecting_prompt
from underspec.prompts import load_prompt, load_role, prompt_hashes, replaced_prompts, roles
from underspec.run.experiment import read_experiment
from underspec.run.prompts import own_prompts
from underspec.stakeholder.router import RouterWithPrompts, load_router

pytest.importorskip("inspect_ai")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the toy commission and a script for everybody, in which one works."""
    make_commission(tmp_path)
    script_of(tmp_path, "usual")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def planned(*arguments: str) -> Any:
    done = invoke("run", *arguments, "--dry-run", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def roles_of(model: str) -> list[str]:
    return ["--agent", "react", "--model", model, "--stakeholder-model", model, "--judge-model", model]


def clarify(model: str = "scripted/usual.jsonl") -> list[str]:
    return ["--protocol", "clarify-first", "--task", TASK, *roles_of(model)]


# --- flags ---


def test_limits_of_clarifying_are_conditions(folder: Path) -> None:
    flags = ["--most-rounds", "2", "--most-rounds", "4", "--most-revisions", "0", "--native-history"]
    document = planned(*clarify(), *flags)
    assert (document["planned"], document["clarifications"], document["judgements"]) == (2, 2, 2)
    assert document["run"] != planned(*clarify())["run"]
    written = {"most_revisions": 0, "native_history": True, "agent": "react", "model": "scripted/usual.jsonl"}
    everybody = {"protocol": "clarify-first", "stakeholder_model": "scripted/usual.jsonl"}
    everybody["judge_model"] = "scripted/usual.jsonl"
    plan = {"tasks": [TASK], "condition": {**written, **everybody}, "grid": {"most_rounds": [2, 4]}}
    Path("experiment.toml").write_text(tomli_w.dumps(plan))
    assert planned("--experiment", "experiment.toml")["run"] == document["run"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--most-rounds", "0"], "most_rounds"),
        (["--most-revisions", "-1"], "most_revisions"),
        (["--most-rounds", "3", "--protocol", "build"], "nobody clarifies"),
        (["--native-history", "--protocol", "continued"], "no history to go on from"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(folder: Path, flags: list[str], says: str) -> None:
    given = [*clarify(), *flags]
    if "--protocol" in flags:
        del given[:2]
    done = invoke("run", *given, "--dry-run")
    assert done.exit_code == 2
    assert says in done.stderr
    assert "mend:" in done.stderr or "greater than or equal" in done.stderr


@pytest.mark.proof
@pytest.mark.sandbox
def test_most_rounds_ends_the_questions_and_is_told(folder: Path) -> None:
    asking = [turn(calls=ask("one?")), turn(calls=ask("two?")), turn(text="no", repeat=True)]
    model = script_of(folder, clarifying=asking)
    done = invoke("run", *clarify(model), "--most-rounds", "1", "--run", "a", "--json")
    assert done.exit_code == 0, done.output
    shown = json.loads(invoke("show", "react", "--run", "runs/a", "--json").stdout)
    assert [one["question"] for one in shown["transcript"]["rounds"]] == ["one?"]
    assert shown["transcript"]["most_rounds"] == 1


# --- dry run, and runs that come to nothing ---


def test_a_dry_run_speaks_of_what_the_protocol_does(folder: Path) -> None:
    lines = invoke("run", *clarify(), "--protocol", "continued", "--dry-run").stdout
    counts = "to do: clarifications 1, implementations 2, acceptances 2, answers 2, judgements 2"
    assert counts in lines
    assert "builds" not in lines
    told = invoke("run", *clarify(), "--information", "none", "--dry-run").stdout
    assert "to do: implementations 1" in told


@pytest.mark.sandbox
def test_a_run_without_any_score_is_no_success(folder: Path) -> None:
    babbling = script_of(folder, "babbling", judge=[turn(text="Correct!", repeat=True)])
    done = invoke("run", *clarify(babbling), "--run", "a", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["unscored"] == {"judge": 1}
    assert "nothing was scored (judge 1); mostly: the judge gave no label" in " ".join(done.stderr.split())
    assert "--retry-unscored" in done.stderr
    # One score among many is a result.
    done = invoke("run", *clarify(), "--run", "a", "--json")
    document = json.loads(done.stdout)
    assert (done.exit_code, document["scored"], document["planned"]) == (0, 1, 2)


# --- prompts of one's own ---


def own(folder: Path, role: str, name: str, *, more: str = "Be brief.", text: str | None = None) -> Path:
    """A folder in which one packaged prompt has a line more, or another text."""
    path = folder / "mine" / role / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(load_prompt(role, name).text.rstrip() + f"\n\n{more}\n" if text is None else text)
    return folder / "mine"


@pytest.mark.parametrize("role", roles())
def test_every_prompt_of_every_role_can_be_replaced(role: str, tmp_path: Path) -> None:
    names = [prompt.name for prompt in load_role(role)]
    for name in names:
        own(tmp_path, role, name)
    assert {(prompt.role, prompt.name) for prompt in replaced_prompts(tmp_path / "mine")} == {
        (role, name) for name in names
    }
    changed, packaged = prompt_hashes(override=tmp_path / "mine"), prompt_hashes()
    assert {name for name in packaged if changed[name] != packaged[name]} == {f"{role}/{name}" for name in names}


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "holds no prompt"),
        ({"client.md": "x"}, "is no prompt of a role"),
        ({"clients/rules.md": "x"}, "with a role of: annotator, assessor, builder, client"),
        ({"client/rules.txt": "x"}, "is no prompt of a role"),
        ({"client/rule.md": "x"}, "prompts of the role 'client': question, rules"),
        ({"client/sub/rules.md": "x"}, "has no prompt 'sub/rules'"),
        ({"client/rules.md": "${requirement}"}, "the placeholder ${materials} is missing"),
        ({"client/rules.md": "${requirement}\n${materials}\n${secret}"}, "line 3: unknown placeholder ${secret}"),
        ({"client/question.md": "${question}${conversation}${returned}"}, "section 'conversation' is missing"),
        ({"judge/malformed.md": "<!-- only: x -->\n<!-- end -->"}, "unknown section 'x'"),
        ({"judge/malformed.md": b"\xff\xfe"}, "not a readable prompt"),
    ],
)
def test_prompts_that_do_not_fit_are_refused_before_anything_runs(
    folder: Path, files: dict[str, str | bytes], says: str
) -> None:
    (folder / "mine").mkdir()
    for path, content in files.items():
        target = folder / "mine" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = invoke("run", *clarify(), "--prompts", "mine", "--run", "a")
    assert done.exit_code == 2
    assert says in done.stderr
    assert "error: mine" in done.stderr
    assert not (folder / "runs").exists()


def test_what_begins_with_a_dot_is_no_prompt_and_no_fault(tmp_path: Path) -> None:
    mine = own(tmp_path, "client", "rules")
    (mine / ".git").mkdir()
    (mine / ".git" / "HEAD").write_text("x")
    (mine / "client" / ".rules.md.swp").write_bytes(b"\xff")
    assert [prompt.name for prompt in replaced_prompts(mine)] == ["rules"]


def test_a_folder_of_prompts_that_is_not_there_is_named(folder: Path) -> None:
    done = invoke("run", *clarify(), "--prompts", "nowhere")
    assert (done.exit_code, "nowhere: no such folder of prompts" in done.stderr) == (2, True)


@pytest.mark.sandbox
def test_prompts_of_ones_own_are_told_recorded_and_part_of_keys(folder: Path) -> None:
    """Each role's script answers only where it hears what was added to that role's prompt."""
    told = [
        ("builder", "react-inspect"),
        ("builder", "clarify"),
        ("builder", "react"),
        ("builder", "implement"),
        ("builder", "answer"),
        ("builder", "questions"),
        ("client", "rules"),
        ("supervisor", "rules"),
        ("judge", "rules"),
    ]
    for role, name in told:
        own(folder, role, name, more=f"ADDED-{role}-{name}")

    def hearing(role: str, name: str, **said: Any) -> dict[str, Any]:
        assert (role, name) in told
        return turn(when={"anywhere": f"ADDED-{role}-{name}"}, **said)

    both = {"anywhere": "ADDED-builder-answer", "last": "ADDED-builder-questions"}
    model = script_of(
        folder,
        clarifying=[hearing("builder", "react-inspect", calls=ask()), hearing("builder", "clarify", calls=FINISH)],
        implementing=[
            shell(write_tally(), when={"anywhere": "ADDED-builder-react\n"}),
            hearing("builder", "implement", calls=SUBMIT),
        ],
        answering=[turn(text=ANSWERS, when=both)],
        client=[hearing("client", "rules", text=REPLY)],
        supervisor=[hearing("supervisor", "rules", text=APPROVAL)],
        judge=[hearing("judge", "rules", text='{"missing": "", "wrong": "", "label": "correct"}', repeat=True)],
    )
    flags = [*clarify(model), "--prompts", "mine"]
    done = invoke("run", *flags, "--json")
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["task_pass"], row["clarification"], row["questions"]) == (1.0, 1.0, 1)
    (run,) = (folder / "runs").iterdir()
    assert "-prompts-" in run.name
    recorded = tomllib.loads((run / "run.toml").read_text())["prompts"]
    assert recorded == prompt_hashes(override=folder / "mine")
    # What was paid for stays, and is said to be stale by the phase that was told otherwise.
    own(folder, "judge", "rules", more="ADDED-judge-rules and more")
    document = planned(*flags)
    assert (document["run"], document["done"], document["redo"]) == (run.name, 1, ["judge"])
    own(folder, "client", "rules", more="ADDED-client-rules and more")
    assert planned(*flags)["redo"] == ["clarify", "judge"]


def test_what_a_run_is_told_is_as_it_was_when_it_began(folder: Path) -> None:
    kept = own_prompts(own(folder, "client", "rules", more="first"))
    own(folder, "client", "rules", more="second")
    assert load_prompt("client", "rules", override=kept).text.endswith("first\n")
    assert own_prompts(folder / "mine") != kept


def test_an_agent_depends_on_prompts_of_its_own_alone(folder: Path) -> None:
    react, codex = load_agent("react"), load_agent("codex")
    assert own_prompt(codex, read_only=True) is None
    assert inspecting_prompt(codex, None) == building_prompt(codex, None) == {}
    assert inspecting_prompt(react, None) == {"system": load_prompt("builder", "react-inspect").sha256}
    # The packaged one is in the agent's fingerprint already.
    assert building_prompt(react, None) == {}
    mine = own(folder, "builder", "react")
    assert building_prompt(react, mine) == {"system": load_prompt("builder", "react", override=mine).sha256}
    assert building_prompt(codex, mine) == {}


def test_a_router_that_asks_a_model_is_told_otherwise_too(folder: Path) -> None:
    router = load_router("model")
    assert isinstance(router, RouterWithPrompts)
    assert router.with_prompts(own(folder, "router", "rules")).version != router.version


def test_own_prompts_are_shown_as_they_will_be_told(folder: Path) -> None:
    own(folder, "client", "rules", more="ADDED")
    shown = invoke("prompts", "show", "client", "--prompts", "mine").stdout
    assert "ADDED" in shown
    assert shown.count("your own") == 1
    assert "ADDED" not in invoke("prompts", "show", "client").stdout


# --- an experiment file's folders ---


def test_folders_that_an_experiment_names_are_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own(folder, "client", "rules")
    plan = {"tasks": [TASK], "prompts": "mine", "condition": {"agent": "react"}}
    (folder / "experiment.toml").write_text(tomli_w.dumps(plan))
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    read = read_experiment(Path("../experiment.toml"))
    assert [Path(each).resolve() for each in read.tasks] == [folder / TASK]
    assert Path(read.prompts or "").resolve() == folder / "mine"
    # Flags speak of where one is, and bundled tasks have no place.
    assert read_experiment(Path("../experiment.toml"), tasks=["data-sizes"]).tasks == ("data-sizes",)
    (folder / "experiment.toml").write_text(tomli_w.dumps({**plan, "tasks": ["data-sizes", str(folder / TASK)]}))
    assert read_experiment(Path("../experiment.toml")).tasks == ("data-sizes", str(folder / TASK))


def test_what_is_not_beside_it_is_looked_for_here_unless_both_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "plans").mkdir()
    path = folder / "plans" / "experiment.toml"
    path.write_text(tomli_w.dumps({"tasks": [TASK], "condition": {"agent": "react"}}))
    assert read_experiment(path).tasks == (TASK,)
    make_commission(folder / "plans")
    with pytest.raises(UsageError, match="both beside this file and where"):
        read_experiment(path)
    monkeypatch.chdir(folder / "plans")
    assert [Path(each).resolve() for each in read_experiment(path).tasks] == [folder / "plans" / TASK]
