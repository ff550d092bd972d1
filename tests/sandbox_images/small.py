"""A root tree of a few megabytes, made of this machine's shell and a few of its programs, and an image made of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from underspec.sandbox.images.build import make_image
from underspec.sandbox.images.debian import Made
from underspec.sandbox.images.store import ImageDocument

NAME = "small"
_PROGRAMS = ("bash", "cat", "chmod", "env", "find", "id", "ls", "mkdir", "rm", "sleep", "stat", "tar", "touch")
PATH = "/usr/bin:/bin"


def fill(root: Path, word: str = "first") -> None:
    """Programs with the libraries that they load, and a file that says ``word``."""
    (root / "usr/bin").mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    for name in _PROGRAMS:
        program = shutil.which(name, path="/usr/bin:/bin")
        assert program is not None
        shutil.copy(Path(program).resolve(), root / "usr/bin" / name)
        for library in _libraries(program):
            target = root / library.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library.resolve(), target)
    (root / "usr/bin/sh").symlink_to("bash")
    (root / "etc").mkdir()
    (root / "etc/word").write_text(word)
    (root / "opt").mkdir()
    for path in (root, *root.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def _libraries(program: str) -> list[Path]:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", said)]


def make_small_image(
    word: str = "first",
    *,
    name: str = NAME,
    env: dict[str, str] | None = None,
    extra: str | None = None,
    private: bool = False,
) -> ImageDocument:
    """The image, kept under the home that is set.

    ``extra`` is the path of one more file; with ``private`` there is a folder that only its owner may enter.
    """

    def make(root: Path, log: Path) -> tuple[Made, dict[str, str]]:
        fill(root, word)
        if extra is not None:
            (root / extra).write_text("")
        if private:
            (root / "etc/private").mkdir(mode=0o700)
            (root / "etc/private/secret").write_text("secret")
        return Made(tools={"tests": "1"}, packages={"bash": "5"}), {"PATH": PATH, **(env or {})}

    return make_image(name, make, recipe=None, on_progress=lambda step: None)
