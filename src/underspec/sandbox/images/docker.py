"""A root tree from a Docker image: what the engine exports of a container that never ran."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import quote

from underspec.errors import EnvironmentLacksError, HostExhaustedError, SandboxError
from underspec.sandbox.docker.connection import engine, find_image, socket_path
from underspec.sandbox.images.debian import Made
from underspec.sandbox.images.recipe import DEBIAN_PATH
from underspec.sandbox.images.tools import is_full, need_root

_LABEL = "underspec.export"
_CHUNK = 1 << 20
_PATIENCE = 600.0


class _EngineLine(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("engine", timeout=_PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_PATIENCE)
        self.sock.connect(self._path)


def make_docker_tree(name: str, image: str, root: Path) -> tuple[Made, dict[str, str]]:
    """Fill the empty folder ``root``; returns what it was made of and the image's environment.

    Raises:
        EnvironmentLacksError: not root, or no engine, or the engine has no such image.
        HostExhaustedError: no space left.
        SandboxError: the engine failed, or what it exports is damaged.
    """
    need_root("taking an image from Docker")
    identity = find_image(image)
    if identity is None:
        raise EnvironmentLacksError(
            f"the container engine has no image {image!r}", mend=f"fetch it first: `docker pull {image}`"
        )
    with engine() as connected:
        about = json.loads(connected.checked("GET", f"/images/{quote(identity, safe=':')}/json"))
    with _container(name, identity) as container, _export(container) as stream:
        _unpack(stream, root)
    tools = {"docker": image, "id": identity}
    if about.get("RepoDigests"):
        tools["repository_digest"] = str(sorted(about["RepoDigests"])[0])
    said = dict(each.split("=", 1) for each in about["Config"].get("Env") or [] if "=" in each)
    return Made(tools=tools, packages={}), {"PATH": DEBIAN_PATH, **said}


@contextmanager
def _container(name: str, identity: str) -> Iterator[str]:
    """A container that is never started; gone afterwards. One that a killed build left goes too."""
    body = {"Image": identity, "Cmd": ["true"], "Entrypoint": [], "Labels": {_LABEL: name}, "NetworkDisabled": True}
    wanted = quote(json.dumps({"label": [f"{_LABEL}={name}"]}))
    with engine() as connected:
        for old in json.loads(connected.checked("GET", f"/containers/json?all=1&filters={wanted}")):
            connected.checked("DELETE", f"/containers/{old['Id']}?force=1&v=1")
        made = json.loads(connected.checked("POST", "/containers/create", json.dumps(body).encode()))
        try:
            yield str(made["Id"])
        finally:
            connected.checked("DELETE", f"/containers/{made['Id']}?force=1&v=1")


@contextmanager
def _export(container: str) -> Iterator[http.client.HTTPResponse]:
    line = _EngineLine(socket_path())
    try:
        line.request("GET", f"/containers/{container}/export")
        answer = line.getresponse()
        if answer.status != 200:
            raise SandboxError(f"container engine: {answer.read(500).decode(errors='replace').strip()}")
        yield answer
    except (OSError, http.client.HTTPException) as error:
        raise SandboxError(f"the container engine broke off: {error}", mend="try again") from error
    finally:
        line.close()


def _unpack(stream: IO[bytes] | http.client.HTTPResponse, root: Path) -> None:
    """Let a process that is confined to the tree unpack it: links in it lead nowhere else."""
    command = [sys.executable, "-I", "-m", "underspec.sandbox.images.confined", str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            while chunk := stream.read(_CHUNK):
                process.stdin.write(chunk)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended early; says why below
        except BaseException:
            process.kill()
            raise
        said = process.stderr.read().decode("utf-8", "replace").strip()
        code = process.wait()
    if code == 0:
        return
    if is_full(root):
        raise HostExhaustedError("no space left on the host", file=str(root), mend="free some disk and try again")
    raise SandboxError(f"the exported image cannot be unpacked: {said.splitlines()[-1][:300] if said else code}")
