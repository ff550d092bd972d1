"""Speaking to an engine, and to what only looks like one. Needs none."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from underspec.errors import EnvironmentLacksError, HostExhaustedError, SandboxError
from underspec.sandbox.docker.config import create_body
from underspec.sandbox.docker.connection import ask, engine, find_image
from underspec.sandbox.docker.skeleton import Root, is_within, skeleton
from underspec.sandbox.keeper.engine import Engine, EngineError
from underspec.sandbox.protocol import Limits, Mount


@contextlib.contextmanager
def answering(place: Path, answer: bytes) -> Iterator[list[bytes]]:
    """A socket at ``place`` that gives everyone this answer; yields what was asked."""
    asked: list[bytes] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place))
    listener.listen()

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                line, _ = listener.accept()
                with line:
                    asked.append(line.recv(1 << 16))
                    line.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "engine.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
    return path


def test_a_request_is_whole_and_its_answer_is_read_to_the_end(place: Path) -> None:
    body = json.dumps({"text": "x" * 300_000})
    with answering(place, b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + body.encode()) as asked:
        assert ask("/info", all="1 & more") == json.loads(body)
        assert asked[0].startswith(b"GET /info?all=1+%26+more HTTP/1.0\r\n")
        assert b"Content-Length: 0\r\n" in asked[0]


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (b'HTTP/1.0 409 Conflict\r\n\r\n{"message": "name is in use"}', SandboxError, "name is in use"),
        (b"HTTP/1.0 500 Oh\r\n\r\nnot json \xff", SandboxError, "not json"),
        (b'HTTP/1.0 500 Oh\r\n\r\n{"message": "write: no space left on device"}', HostExhaustedError, "no space"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", EnvironmentLacksError, "no engine"),
        (b"", EnvironmentLacksError, "no engine"),
        (b"HTTP/1.0 ok\r\n\r\n", EnvironmentLacksError, "no engine"),
    ],
)
def test_what_an_engine_refuses_becomes_an_error_that_says_it(
    place: Path, answer: bytes, error: type[Exception], said: str
) -> None:
    with answering(place, answer), pytest.raises(error, match=said), engine() as connected:
        connected.checked("POST", "/containers/create", b"{}")


def test_an_image_that_is_not_there_is_none_and_a_broken_engine_is_an_error(place: Path) -> None:
    with answering(place, b'HTTP/1.0 404 Not Found\r\n\r\n{"message": "no such image"}'):
        assert find_image("a/b:1") is None
    place.unlink()
    with answering(place, b"HTTP/1.0 500 Oh\r\n\r\nbroken"), pytest.raises(SandboxError, match="broken"):
        find_image("a/b:1")


def test_an_engine_stays_in_reach_when_its_folder_is_moved(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with answering(tmp_path / "a/s", b"HTTP/1.0 204 No Content\r\n\r\n"):
        connected = Engine(str(tmp_path / "a/s"))
        (tmp_path / "a").rename(tmp_path / "b")
        assert connected.request("GET", "/_ping") == (204, b"")
        connected.close()
    with pytest.raises(EngineError, match="no engine listens"):
        Engine(str(tmp_path / "missing/s"))


def test_a_container_is_asked_for_with_nothing_of_the_host_but_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    root = Root("skeleton:1", (("/usr", "/usr"),), (), ("/usr",))
    limits = Limits(memory=1000, disk=500, processes=7, cpus=0.5)
    mounts = (Mount(tmp_path, "/opt/folder"), Mount(tmp_path / "file", "/opt/file"))
    body = create_body(root, limits, marker="A=b", labels={"x": "y"}, empty=tmp_path / "empty", outer_mounts=mounts)
    asked = json.loads(body)
    host = asked["HostConfig"]
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"], host["NanoCpus"]) == (1500, 1500, 8, 500_000_000)
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert not {"Privileged", "PidMode", "UsernsMode", "Devices", "Binds"} & set(host)
    assert not {"CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_NET_ADMIN", "CAP_MKNOD"} & set(host["CapAdd"])
    assert all(mount["ReadOnly"] for mount in host["Mounts"])
    sources = {mount["Target"]: mount["Source"] for mount in host["Mounts"]}
    assert sources["/usr"] == "/usr"
    assert set(sources.values()) == {"/usr", str(tmp_path / "empty"), "/dev/null"}
    assert sources["/opt/folder"] == str(tmp_path / "empty")  # the real ones come when nobody can look any more
    assert sources["/opt/file"] == "/dev/null"


def test_a_skeleton_is_the_same_bytes_each_time_and_names_matter() -> None:
    entries = [("folder", "/srv"), ("link", "/bin", "usr/bin"), ("file", "/etc/a/b", "text"), ("script", "/x", "#!")]
    assert skeleton(entries) == skeleton(entries)
    assert skeleton(entries) != skeleton(entries[1:])


def test_a_path_lies_within_its_own_place_only() -> None:
    assert is_within("/opt", ("/opt",))
    assert is_within("/opt/a", ("/usr", "/opt"))
    assert not is_within("/optional", ("/opt",))
