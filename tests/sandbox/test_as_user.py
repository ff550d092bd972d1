"""The same behaviour for an ordinary user: the tests of this folder again, run as one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.boxes import needs_bubblewrap, needs_root

pytestmark = [pytest.mark.sandbox, needs_bubblewrap, needs_root]

NOBODY_IN_PARTICULAR = 54321
HERE = Path(__file__).parent
EVERYTHING = (
    "exec",
    "limits",
    "isolation",
    "files",
    "workspace",
    "archive",
    "lifecycle",
    "saboteurs",
    "checks",
    "host_image",
    "groups",
)


def user_environment(home: Path) -> dict[str, str]:
    paths = [str(HERE.parents[1] / "src"), str(HERE.parents[1]), sysconfig.get_path("purelib")]
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": ":".join(paths), "LANG": "C.UTF-8"}


def as_user(arguments: list[str], home: Path, seconds: float = 200) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        user=NOBODY_IN_PARTICULAR,
        group=NOBODY_IN_PARTICULAR,
        extra_groups=[],
        env=user_environment(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of the user's, where the user gets to: pytest's own are for its owner alone."""
    folder = Path("/tmp") / f"underspec-as-user-{os.getpid()}"
    folder.mkdir(mode=0o755)
    os.chown(folder, NOBODY_IN_PARTICULAR, NOBODY_IN_PARTICULAR)
    yield folder
    shutil.rmtree(folder)


def interpreter(home: Path) -> str:
    """A Python that the user may run and that has what the tests need."""
    for program in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        if Path(program).exists():
            try:
                said = as_user([program, "-c", "import underspec.sandbox.bubblewrap, tests.sandbox, hypothesis"], home)
            except PermissionError:
                continue
            if said.returncode == 0:
                return program
    pytest.skip("no Python that an ordinary user may run here has what the tests need")


def run_tests_as_user(home: Path, names: tuple[str, ...], *more: str) -> None:
    arguments = [interpreter(home), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=100", "-x", *more]
    arguments += [f"--basetemp={home}/tmp", "-c", str(HERE.parents[1] / "pyproject.toml")]
    arguments += [f"--rootdir={home}", *(str(HERE / f"test_{name}.py") for name in names)]
    result = as_user(arguments, home)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert " passed" in result.stdout


def test_the_most_important_works_for_an_ordinary_user(home: Path) -> None:
    wanted = (
        "every_byte or everything or mounted or process_1 or lower or no_right or sealed_from or fork_bomb or nothing"
    )
    run_tests_as_user(home, ("exec", "limits", "isolation", "workspace", "archive", "lifecycle"), "-k", wanted)


@pytest.mark.proof
def test_everything_works_for_an_ordinary_user(home: Path) -> None:
    run_tests_as_user(home, EVERYTHING)
