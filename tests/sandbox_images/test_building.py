"""Building: what this machine lacks is said first, a tool that fails is quoted, and nothing outlives a killed build."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from underspec.errors import EnvironmentLacksError, HostExhaustedError, SandboxError
from underspec.sandbox.images import debian, tools
from underspec.sandbox.images.build import build_image
from underspec.sandbox.images.npm import install_npm
from underspec.sandbox.images.recipe import NpmPackage, find_recipe
from underspec.sandbox.images.store import built_images

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def build(name: str) -> None:
    build_image(name, on_progress=lambda step: None)


def fake(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return folder


# Leaves the shell's $2 at the folder where the archive is to be put.
_TO_FOLDER = 'while [ "$1" != --pack-destination ]; do shift; done'


def use(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let tools in ``folder`` be found before the machine's."""
    monkeypatch.setattr(tools, "_PATH", f"{folder}:{tools._PATH}")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(debian, "_KEYRING", Path(__file__))


def test_an_ordinary_user_is_told_to_be_root(image_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLacksError, match="needs root") as caught:
        build("python")
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("missing", ["debootstrap", "unshare", "npm"])
def test_a_missing_tool_is_named_with_its_package(
    image_home: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    find = shutil.which
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(debian, "_KEYRING", Path(__file__))
    monkeypatch.setattr(
        tools, "which", lambda name, path: None if name == missing else find(name, path=path) or "/bin/true"
    )
    with pytest.raises(EnvironmentLacksError, match=f"{missing} is not installed") as caught:
        build("typescript")
    assert "apt install" in (caught.value.mend or "")
    assert built_images() == []


def test_missing_keys_are_not_passed_over(image_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(debian, "_KEYRING", tmp_path / "none.gpg")
    monkeypatch.setattr(tools, "which", lambda name, path: "/bin/true")
    with pytest.raises(EnvironmentLacksError, match="keys") as caught:
        build("python")
    assert "debian-archive-keyring" in (caught.value.mend or "")


@needs_root
def test_a_failing_tool_is_quoted_and_its_log_kept(
    image_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SECRET_KEY", "sk-not-for-tools")
    use(monkeypatch, fake(tmp_path / "bin", "debootstrap", "env; echo 'E: no such suite'; exit 7"))
    with pytest.raises(SandboxError, match="ended with 7: E: no such suite") as caught:
        build("python")
    log = (image_home / "python.log").read_text()
    assert caught.value.file == str(image_home / "python.log")
    assert "SOURCE_DATE_EPOCH=" in log
    assert "sk-not-for-tools" not in log
    assert built_images() == []
    assert [path.name for path in image_home.iterdir() if path.name.endswith(".tmp")] == []


@needs_root
def test_a_tool_that_fails_on_a_full_disk_is_the_hosts_fault(
    image_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(monkeypatch, fake(tmp_path / "bin", "debootstrap", "exit 1"))
    monkeypatch.setattr(tools, "is_full", lambda folder: True)
    with pytest.raises(HostExhaustedError, match="no space left"):
        build("python")


@needs_root
def test_nothing_of_a_killed_build_goes_on(image_home: Path, tmp_path: Path) -> None:
    mark = f"{os.getpid()}.5"  # found among the arguments of the sleep that would go on
    folder = fake(tmp_path / "bin", "debootstrap", f'mount -t tmpfs none "$4"; echo ready >&2; exec sleep {mark}')
    script = (
        "import sys; from pathlib import Path; from underspec.sandbox.images import debian, tools, build\n"
        f"tools._PATH = {str(folder)!r} + ':' + tools._PATH; debian._KEYRING = Path({__file__!r})\n"
        "build.build_image('python', on_progress=lambda step: None)"
    )
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as builder:
        until = time.monotonic() + 60
        while not _running(mark) and time.monotonic() < until:
            time.sleep(0.05)
        assert _running(mark)
        builder.send_signal(signal.SIGKILL)
    until = time.monotonic() + 20
    while _running(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _running(mark)
    assert str(image_home) not in Path("/proc/self/mountinfo").read_text()  # what it mounted went with it


def _running(mark: str) -> bool:
    for pid in Path("/proc").glob("[0-9]*"):
        try:
            if (pid / "cmdline").read_bytes() == f"sleep\0{mark}\0".encode():
                return True
        except OSError:
            continue
    return False


def test_an_npm_archive_that_is_not_the_one_named_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(
        monkeypatch,
        fake(tmp_path / "bin", "npm", f'{_TO_FOLDER}; echo x > "$2/a.tgz"'),
    )
    root = tmp_path / "made/root"
    root.mkdir(parents=True)
    with pytest.raises(SandboxError, match="not the recipe's"):
        install_npm(find_recipe("typescript").npm[:1], root, log=tmp_path / "log")


def test_npm_packages_are_linked_where_programs_and_compilers_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "package/bin").mkdir(parents=True)
    (tmp_path / "package/bin/tool").write_text("#!/bin/sh\necho works\n")
    subprocess.run(["tar", "czf", "tool.tgz", "package"], cwd=tmp_path, check=True)
    use(
        monkeypatch,
        fake(
            tmp_path / "bin",
            "npm",
            f'{_TO_FOLDER}; cp {tmp_path}/tool.tgz "$2"',
        ),
    )
    root = tmp_path / "made/root"
    (root / "usr/bin").mkdir(parents=True)
    archive = (tmp_path / "tool.tgz").read_bytes()
    integrity = f"sha512-{base64.b64encode(hashlib.sha512(archive).digest()).decode()}"
    package = NpmPackage(name="@scope/tool", version="1.0.0", integrity=integrity)
    install_npm([package], root, log=tmp_path / "log")
    assert subprocess.run([root / "usr/bin/tool"], capture_output=True, check=True).stdout == b"works\n"
    assert (root / "node_modules/@scope/tool/bin/tool").is_file()
    assert [path.name for path in root.parent.iterdir()] == ["root"]
