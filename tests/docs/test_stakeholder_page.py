"""The commands of the page about the stakeholder do what the page shows."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, console_blocks

PAGE = ROOT / "docs" / "stakeholder.md"
SERVE = "underspec stakeholder serve"
MARK = "=====next====="


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with the output that is shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    for sock in sockets:
        sock.bind(("127.0.0.1", 0))
    ports = [int(sock.getsockname()[1]) for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


@pytest.fixture
def moved() -> dict[str, str]:
    """The page's ports, and free ones to use in their place."""
    return {f"{old}": f"{new}" for old, new in zip((8731, 50001, 50002, 50003), free_ports(4), strict=True)}


def put(text: str, moved: dict[str, str]) -> str:
    return re.sub(r"\b(8731|50001|50002|50003)\b", lambda found: moved[found[0]], text)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page's examples use curl")
def test_the_page_shows_what_happens(tmp_path: Path, moved: dict[str, str]) -> None:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs}
    environment.pop("UNDERSPEC_OPERATOR_TOKEN", None)
    services: list[subprocess.Popen[str]] = []
    shell = subprocess.Popen(
        ["bash", "-s"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        shown = 0
        for block in console_blocks(PAGE):
            for command, output in commands(block):
                if command.startswith(SERVE):
                    stop(services)
                    services.append(start(put(command, moved), put(output, moved), tmp_path, environment, moved))
                else:
                    said = run(shell, put(command, moved))
                    assert matches(said, output), (command, said)
                    shown += bool(output.strip())
        assert shown >= 6
        assert len(services) == 2
    finally:
        shell.communicate("exit\n")
        stop(services)


def start(
    command: str, output: str, folder: Path, environment: dict[str, str], moved: dict[str, str]
) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        # The router that is there at once; the replies that the page shows are any router's.
        [*command.split(), "--port", moved["8731"], "--router", "lexical"],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = "".join(process.stderr.readline() for _ in output.splitlines())
    assert said.strip() == output.strip()
    return process


def stop(services: list[subprocess.Popen[str]]) -> None:
    for process in services:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        if process.stderr is not None:
            process.stderr.close()


def run(shell: subprocess.Popen[str], command: str) -> str:
    assert shell.stdin is not None
    assert shell.stdout is not None
    shell.stdin.write(f"{command}\necho; echo {MARK}\n")
    shell.stdin.flush()
    said = ""
    while (line := shell.stdout.readline()).strip() != MARK:
        assert line, f"the shell ended at {command}"
        said += line
    return said.strip("\n")


def matches(said: str, shown: str) -> bool:
    """Whether ``said`` is ``shown``, where … stands for what differs from one time to another."""
    pattern = ".*".join(re.escape(part) for part in shown.strip("\n").split("…"))
    return re.fullmatch(pattern, said, re.DOTALL) is not None
