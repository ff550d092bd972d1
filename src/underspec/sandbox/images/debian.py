"""A root tree from Debian packages: debootstrap, then the recipe's packages by the new tree's own apt."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from underspec.errors import EnvironmentLacksError, SandboxError
from underspec.sandbox.images.npm import install_npm
from underspec.sandbox.images.recipe import Recipe
from underspec.sandbox.images.tidy import TREE_TIME
from underspec.sandbox.images.tools import need_program, need_root, run_logged

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_SAID = re.compile(r"I: (Retrieving|Validating|Extracting|Unpacking|Configuring)|Get:|Unpacking |Setting up ")


@dataclass(frozen=True)
class Made:
    """What a tree was made with, and what is installed in it: package to version."""

    tools: dict[str, str]
    packages: dict[str, str]


def check_machine(recipe: Recipe) -> None:
    """See that this machine can make the recipe's tree.

    Raises:
        EnvironmentLacksError: something is missing; says what to install or to do instead.
    """
    if recipe.unavailable is not None:
        raise EnvironmentLacksError(
            f"the image {recipe.name!r} cannot be made of Debian packages: {recipe.unavailable}",
            mend=f"take it from a Docker image: `underspec image build {recipe.name} --from-docker IMAGE`",
        )
    need_root("building an image")
    need_program("debootstrap", "debootstrap")
    need_program("unshare", "util-linux")
    if not _KEYRING.is_file():
        raise EnvironmentLacksError(
            "the keys that Debian's packages are signed with are missing",
            file=str(_KEYRING),
            mend="install them: `apt install debian-archive-keyring`",
        )
    if recipe.npm:
        need_program("npm", "npm")


def make_debian_tree(
    recipe: Recipe, root: Path, *, mirror: str | None, log: Path, on_progress: Callable[[str], None]
) -> Made:
    """Fill the empty folder ``root``. ``mirror`` is a Debian mirror's address; debootstrap's own default without.

    Raises:
        SandboxError: a tool failed; ``log`` has its output.
        HostExhaustedError: no space left.
    """
    script = resources.files(__package__) / "debian.sh"
    with resources.as_file(script) as path:
        command = [
            # Whatever happens to us, nothing goes on: the first dies with us, and with it the namespaces of the second.
            *(need_program("setpriv", "util-linux"), "--pdeathsig", "KILL"),
            *(need_program("unshare", "util-linux"), "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"),
            *("--mount-proc", "--propagation", "private", "/bin/sh", str(path)),
            *(str(root), str(recipe.suite), recipe.variant, mirror or "", *recipe.packages),
        ]
        environment = {"DEBIAN_FRONTEND": "noninteractive", "SOURCE_DATE_EPOCH": str(TREE_TIME)}

        def on_line(text: str) -> None:
            if _SAID.match(text):
                on_progress(f"filling the tree: {text}")

        run_logged(command, log=log, disk=root, env=environment, on_line=on_line)
    if recipe.npm:
        on_progress("adding npm packages")
        install_npm(recipe.npm, root, log=log)
    listed = root.parent / "packages"
    packages = dict(line.split("\t", 1) for line in listed.read_text(encoding="utf-8").splitlines())
    listed.unlink()
    packages.update({f"npm:{each.name}": each.version for each in recipe.npm})
    return Made(tools={"debootstrap": _debootstrap_version()}, packages=dict(sorted(packages.items())))


def _debootstrap_version() -> str:
    said = subprocess.run(
        [need_program("debootstrap", "debootstrap"), "--version"], capture_output=True, text=True, check=False
    )
    version = said.stdout.strip().removeprefix("debootstrap ")
    if said.returncode != 0 or not version:
        raise SandboxError("debootstrap does not tell its version", mend="re-install it: `apt install debootstrap`")
    return version
