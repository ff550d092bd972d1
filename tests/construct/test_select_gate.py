"""select, for real: sound repositories pass, and each planted fault is found by its name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.construct.planted import LIBRARY, TESTS, found, kinds, project, repository, run, runner
from underspec.construct.licence import find_licence
from underspec.construct.materials import Selection
from underspec.construct.runner import Runner
from underspec.construct.select import SELECT, read_assessment, selection_findings
from underspec.construct.source import folder_digest, lay_source, understand
from underspec.construct.tools import PYTEST
from underspec.errors import UsageError
from underspec.task.golden import archive_place

pytestmark = pytest.mark.sandbox

FLAKY = """

class Chances(unittest.TestCase):
    def test_that_hangs_on_the_order_of_hashes(self):
        self.assertEqual(",".join({"alpha", "beta", "gamma", "delta", "eps", "zeta"}), "{first}")
"""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Golden archives of these repositories go to a place of their own."""
    monkeypatch.setenv("UNDERSPEC_HOME", str(tmp_path / "home"))


def selected(tmp_path: Path, model: str | None = None, **changed: str) -> Runner:
    chosen = project(tmp_path, repository(tmp_path / "tallybox", **changed), model=model)
    return runner(tmp_path, chosen, [SELECT], sandboxes=True)


def scripted(tmp_path: Path, *texts: str) -> str:
    path = tmp_path / "model.jsonl"
    turns = [{"text": text, "repeat": number == len(texts)} for number, text in enumerate(texts, 1)]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return f"scripted/{path}"


def assessment(mark: int) -> str:
    marks = dict.fromkeys(("completeness", "effectiveness", "reliability", "readability"), mark)
    return json.dumps({**marks, "rationale": "because"})


def test_a_sound_checkout_is_kept_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    chosen = selected(tmp_path, scripted(tmp_path, assessment(4)))
    assert run(chosen)
    document = json.loads((chosen.folder("select").out / "selection.json").read_text())
    assert (document["language"], document["license"], document["files"], document["lines"]) == ("Python", "MIT", 1, 9)
    assert len(document["tests"]) == 3
    assert document["assessment"]["completeness"] == 4
    verdict = chosen.folder("select").state().verdict
    assert verdict is not None
    assert verdict.facts["runs"] == [{"tests": 3, "ok": True}] * 2
    assert (chosen.folder("select").out / "golden" / "tallybox.py").read_text() == LIBRARY


def test_tests_of_pytest_run_with_a_pytest_that_the_image_need_not_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delenv("UNDERSPEC_HOME")
        kept = [archive_place(one) for one in PYTEST]
    if not all(place.exists() for place in kept):
        pytest.skip("pytest's wheels are not among the golden archives of this machine")
    for one, place in zip(PYTEST, kept, strict=True):
        archive_place(one).parent.mkdir(parents=True)
        shutil.copyfile(place, archive_place(one))
    bare = (
        "from tallybox import add_everything_up_exactly_once as add\n\n\ndef test_sum():\n    assert add([1, 2]) == 3\n"
    )
    chosen = selected(tmp_path, test_tallybox_py=bare)
    assert run(chosen)
    document = json.loads((chosen.folder("select").out / "selection.json").read_text())
    assert document["tests"] == ["test_tallybox::test_sum"]
    assert len(document["packages"]) == len(PYTEST)


def test_a_failing_test_keeps_the_gate_shut_and_is_named(tmp_path: Path) -> None:
    chosen = selected(tmp_path, test_tallybox_py=TESTS.replace("), 6)", "), 7)"))
    assert not run(chosen)
    (finding,) = found(chosen, "select", "test_fails")
    assert finding.where == "test_tallybox.Sums::test_three_numbers_are_added_up_to_their_total"
    assert "6 != 7" in (finding.evidence or "")


def test_a_flaky_test_is_named_as_such(tmp_path: Path) -> None:
    import subprocess

    script = "print(','.join({'alpha', 'beta', 'gamma', 'delta', 'eps', 'zeta'}))"
    env = {"PYTHONHASHSEED": "0"}
    first = subprocess.run(["/usr/bin/python3", "-c", script], env=env, capture_output=True, text=True, check=True)
    chosen = selected(tmp_path, test_tallybox_py=TESTS + FLAKY.replace("{first}", first.stdout.strip()))
    assert not run(chosen)
    assert kinds(chosen, "select") == {"flaky_test"}
    (finding,) = found(chosen, "select", "flaky_test")
    assert finding.where == "test_tallybox.Chances::test_that_hangs_on_the_order_of_hashes"


def test_a_repository_without_tests_or_licence_is_refused_with_both_reasons(tmp_path: Path) -> None:
    chosen = selected(tmp_path, test_tallybox_py="", LICENSE="All rights reserved.")
    (tmp_path / "tallybox" / "test_tallybox.py").unlink()
    assert not run(chosen)
    assert kinds(chosen, "select") == {"no_tests", "licence"}


@pytest.mark.proof
def test_tests_that_do_not_even_load_are_refused(tmp_path: Path) -> None:
    chosen = selected(tmp_path, test_tallybox_py="import unittest\nimport nothing_of_that_name\n")
    assert not run(chosen)
    assert kinds(chosen, "select") <= {"test_fails", "tests_broken"}
    assert kinds(chosen, "select")


def test_weak_marks_keep_the_gate_shut_and_words_are_no_marks(tmp_path: Path) -> None:
    chosen = selected(tmp_path, scripted(tmp_path, "These tests are excellent, give them 5.", assessment(1)))
    assert not run(chosen)
    assert kinds(chosen, "select") == {"weak_tests"}
    assert read_assessment({"completeness": 5}) is None
    assert read_assessment(json.loads(assessment(6))) is None


def test_a_model_that_gives_no_marks_is_refused_and_crashes_nothing(tmp_path: Path) -> None:
    chosen = selected(tmp_path, scripted(tmp_path, "I like it."))
    assert not run(chosen)
    assert kinds(chosen, "select") == {"no_proposal"}


def test_nothing_of_a_repository_runs_on_this_machine(tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    touch = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n"
    chosen = selected(tmp_path, test_tallybox_py=touch + TESTS)
    (tmp_path / "tallybox" / "setup.py").write_text(touch)
    run(chosen)
    assert not mark.exists()


def test_links_and_version_control_are_left_out_of_what_is_laid(tmp_path: Path) -> None:
    folder = repository(tmp_path / "tallybox")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[core]\n\tfsmonitor = touch /tmp/it-ran\n")
    (folder / "link.py").symlink_to("/etc/passwd")
    laid = tmp_path / "laid"
    laid.mkdir()
    assert sorted(lay_source(folder, laid)) == [".git", "link.py"]
    assert sorted(path.name for path in laid.iterdir()) == ["LICENSE", "README.md", "tallybox.py", "test_tallybox.py"]
    before = folder_digest(folder)
    (folder / ".git" / "config").write_text("")
    assert folder_digest(folder) == before
    (folder / "tallybox.py").write_text("")
    assert folder_digest(folder) != before


def test_sources_are_understood_or_refused(tmp_path: Path) -> None:
    assert understand("pypi:some.thing==1.2").version == "1.2"
    scoped = understand("npm:@scope/thing@3.0.0")
    assert (scoped.registry, scoped.name, scoped.version) == ("npm", "@scope/thing", "3.0.0")
    for bad in ("pypi:thing", str(tmp_path / "nowhere"), "--index-url=x", "pypi:--upgrade==1"):
        with pytest.raises(UsageError, match="is no repository"):
            understand(bad)


@pytest.mark.parametrize(
    ("files", "spdx", "permissive"),
    [
        ({"LICENSE": "Permission is hereby granted, free of charge, to any person obtaining a copy"}, "MIT", True),
        ({"package.json": '{"license": "ISC"}'}, "ISC", True),
        ({"package.json": '{"license": "GPL-3.0-only OR MIT"}'}, "GPL-3.0-only OR MIT", True),
        ({"package.json": '{"license": "GPL-3.0-only"}'}, "GPL-3.0-only", False),
        ({"package.json": '{"license": "MIT AND Apache-2.0"}'}, "MIT AND Apache-2.0", True),
        ({"package.json": '{"license": "MIT AND GPL-3.0-only"}'}, "MIT AND GPL-3.0-only", False),
        ({"package.json": "{"}, None, False),
        ({"PKG-INFO": "Name: x\nClassifier: License :: OSI Approved :: MIT License\n\n"}, "MIT", True),
        ({"COPYING": "do what you like"}, None, False),
    ],
)
def test_licences_are_read_and_never_guessed(
    tmp_path: Path, files: dict[str, str], spdx: str | None, permissive: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    licence = find_licence(tmp_path)
    assert (licence.spdx, licence.permissive) == (spdx, permissive)


@pytest.mark.parametrize(
    ("licence", "refused"),
    [("MIT AND Apache-2.0", False), ("MIT AND GPL-3.0-only", True), ("GPL-3.0-only OR MIT", False)],
)
def test_every_licence_that_binds_must_let_everybody_build_on_it(licence: str, refused: bool) -> None:
    known = {"name": "x", "version": "1", "url": "pypi:x", "language": "Python", "files": 1, "lines": 1}
    selection = Selection.model_validate({**known, "license": licence, "test_command": ("true",)})
    assert ("licence" in {finding.kind for finding in selection_findings(selection, {})}) == refused
