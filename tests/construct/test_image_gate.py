"""image: what is left of the golden implementation in a tree is found, however it got there; other things are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.construct.planted import LIBRARY, TESTS, found, kinds, project, run, runner, selected
from underspec.construct import image as imaging
from underspec.construct.image import IMAGE
from underspec.construct.leftovers import golden_of, scan
from underspec.construct.runner import Runner


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small tree in place of each image."""
    root = tmp_path / "base"
    (root / "usr/lib").mkdir(parents=True)
    (root / "usr/lib/other.py").write_text("def something_else_altogether_and_long_enough():\n    return 1\n")
    monkeypatch.setattr(imaging, "image_roots", lambda name: [(root, lambda path: False)])
    return root


def images(tmp_path: Path) -> Runner:
    return runner(tmp_path, project(tmp_path), [selected(), IMAGE])


def kinds_in(tmp_path: Path, files: dict[str, str]) -> set[str]:
    """Kinds of what a scan finds in a tree of these files."""
    root, library, source = tmp_path / "root", tmp_path / "library", tmp_path / "source"
    for folder, texts in ((root, files), (library, {"tallybox.py": LIBRARY}), (source, {"test_tallybox.py": TESTS})):
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    golden = golden_of(library, source, ["test_tallybox.py"], ["tallybox"], "Python")
    return {finding.kind for finding in scan(root, golden)}


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"usr/lib/python3/dist-packages/tallybox.py": "x = 1\n"}, "golden_named"),
        ({"usr/lib/python3/dist-packages/Tallybox-1.0.dist-info/METADATA": "Name: x\n"}, "golden_named"),
        ({"opt/innocent.py": LIBRARY}, "golden_left"),
        (
            {"opt/innocent.py": LIBRARY.upper() + LIBRARY},
            "golden_left",
        ),
        ({"opt/innocent.bin": LIBRARY}, "golden_left"),
        (
            {"opt/part.py": "# mine now\n" + LIBRARY.replace('"""Adds numbers up, and says how many."""', "")},
            "golden_left",
        ),
        ({"srv/check.py": TESTS}, "test_left"),
        ({"srv/check.py": "# changed\n" + TESTS}, "test_left"),
        ({"root/.cache/pip/http/a": "x"}, "cache_left"),
        ({"srv/.pytest_cache/v/x": "x"}, "cache_left"),
        ({"srv/__pycache__/tallybox.cpython-311.pyc": "x"}, "golden_named"),
    ],
)
def test_leftovers_are_found_by_name_content_and_lines(tmp_path: Path, files: dict[str, str], kind: str) -> None:
    assert kind in kinds_in(tmp_path, files)


def test_what_is_not_the_golden_implementation_is_left_alone(tmp_path: Path) -> None:
    files = {
        "usr/lib/tallyboxes.py": "def count():\n    return 1\n",
        "usr/lib/sums.py": LIBRARY.splitlines()[0] + "\n",
        "usr/lib/short.py": "    return max(numbers)\n",
        "usr/share/doc.txt": "A tally, in a box.\n",
    }
    assert kinds_in(tmp_path, files) == set()


def test_recipes_without_leftovers_pass_and_say_what_was_looked_at(tmp_path: Path, base: Path) -> None:
    chosen = images(tmp_path)
    assert run(chosen)
    verdict = chosen.folder("image").state().verdict
    assert verdict is not None
    assert verdict.facts["images"] == ["host", "python"]
    assert (chosen.folder("image").out / "provisioned.toml").is_file()


def test_the_golden_package_left_in_the_image_keeps_the_gate_shut(tmp_path: Path, base: Path) -> None:
    chosen = images(tmp_path)
    assert run(chosen)
    left = chosen.folder("image").out / "files" / "usr/lib/python3/dist-packages/renamed.py"
    left.parent.mkdir(parents=True)
    left.write_text("# not what it looks like\n" + LIBRARY)
    assert not run(chosen)
    assert kinds(chosen, "image") == {"golden_left"}
    (finding,) = found(chosen, "image", "golden_left")
    assert finding.where == "/usr/lib/python3/dist-packages/renamed.py"


def test_the_golden_package_in_the_base_image_keeps_the_gate_shut(tmp_path: Path, base: Path) -> None:
    (base / "usr/lib/tallybox.py").write_text(LIBRARY)
    chosen = images(tmp_path)
    assert not run(chosen)
    assert kinds(chosen, "image") == {"golden_named"}


def test_an_image_that_is_not_here_is_said_and_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from underspec.errors import EnvironmentLacksError

    def lacks(name: str) -> None:
        raise EnvironmentLacksError("no such image", mend="build it")

    monkeypatch.setattr(imaging, "image_roots", lacks)
    chosen = images(tmp_path)
    assert run(chosen)
    assert kinds(chosen, "image", "warning") == {"not_looked"}


def test_damaged_recipes_are_findings(tmp_path: Path, base: Path) -> None:
    chosen = images(tmp_path)
    assert run(chosen)
    (chosen.folder("image").out / "provisioned.toml").write_text("schema_version = 1\n")
    (chosen.folder("image").out / "base.toml").write_text("[")
    assert not run(chosen)
    assert kinds(chosen, "image") == {"bad_file"}
