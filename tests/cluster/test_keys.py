"""Keys go to workers of the same user, past Ray."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from underspec.errors import EnvironmentLacksError, UsageError
from underspec.run.cluster.keys import fetch_keys, handed_out, secrets_in, served_keys, without_secrets

ENVIRONMENT = {
    "SOME_API_KEY": "one",
    "AWS_SECRET_ACCESS_KEY": "two",
    "HF_TOKEN": "three",
    "SOME_BASE_URL": "http://127.0.0.1:1",
    "RAY_AUTH_TOKEN": "four",
    "PATH": "/usr/bin",
    "KEYBOARD": "dvorak",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A socket's path in a folder of its own."""
    return tmp_path / "private" / "keys.sock"


def test_keys_and_places_of_services_are_handed_out_and_nothing_else(place: Path) -> None:
    with served_keys(place, ENVIRONMENT):
        assert fetch_keys(place) == {
            "SOME_API_KEY": "one",
            "AWS_SECRET_ACCESS_KEY": "two",
            "HF_TOKEN": "three",
            "SOME_BASE_URL": "http://127.0.0.1:1",
        }
    assert not place.exists()
    assert fetch_keys(place) == {}


def test_no_key_is_in_the_environment_meanwhile_and_all_are_afterwards() -> None:
    environment = dict(ENVIRONMENT)
    with without_secrets(environment):
        assert secrets_in(environment) == {}
        assert environment["SOME_BASE_URL"] == "http://127.0.0.1:1"
    assert environment == ENVIRONMENT
    assert set(handed_out(environment)) == set(secrets_in(environment)) | {"SOME_BASE_URL"}


def test_a_folder_that_others_may_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    with pytest.raises(UsageError, match="where others may reach"), served_keys(tmp_path / "open" / "s", ENVIRONMENT):
        pass


def test_a_second_one_at_the_same_place_is_refused_and_the_first_goes_on(place: Path) -> None:
    with served_keys(place, ENVIRONMENT):
        with pytest.raises(UsageError, match="already"), served_keys(place, {}):
            pass
        assert fetch_keys(place)["HF_TOKEN"] == "three"


def test_what_a_killed_one_left_is_replaced(place: Path) -> None:
    place.parent.mkdir(mode=0o700)
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(place))
    dead.close()
    with served_keys(place, ENVIRONMENT):
        assert fetch_keys(place)["HF_TOKEN"] == "three"


def test_something_else_that_answers_there_is_said(place: Path) -> None:
    place.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(place))
        other.listen()
        answering = threading.Thread(target=lambda: other.accept()[0].sendall(b"hello"))
        answering.start()
        with pytest.raises(EnvironmentLacksError, match="not `underspec keys`"):
            fetch_keys(place)
        answering.join()


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which needs root")
def test_another_user_gets_nothing_even_where_the_folder_lets_it_in(place: Path) -> None:
    with served_keys(place, ENVIRONMENT):
        for folder in (place, *place.parents):
            if str(folder).startswith("/tmp/"):
                folder.chmod(0o777)
        script = textwrap.dedent(
            f"""
            import os, socket
            os.setgid(54321); os.setuid(54321)
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(5)
            connection.connect({str(place)!r})
            print(len(connection.recv(1000)))
            """
        )
        answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "0"


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_command_hands_out_until_it_is_ended_and_takes_its_socket_away(place: Path, end: signal.Signals) -> None:
    command = [str(Path(sys.executable).with_name("underspec")), "keys", "--socket", str(place)]
    environment = {**os.environ, "SOME_API_KEY": "one"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        assert "SOME_API_KEY" in said
        assert "one" not in said.split()
        assert fetch_keys(place)["SOME_API_KEY"] == "one"
        running.send_signal(end)
        assert running.wait(timeout=30) == 0
    assert not place.exists()


@pytest.mark.parametrize("answer", [b"[1, 2]", b"[" * 200_000, b"no JSON", b'"' + b"x" * 2_000_000])
def test_what_answers_without_keys_is_told(place: Path, answer: bytes) -> None:
    place.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(EnvironmentLacksError, match="is not `underspec keys`"):
            fetch_keys(place)
        thread.join()


def test_only_keys_and_places_are_taken(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("underspec.run.cluster.keys.handed_out", dict)
    with served_keys(place, {"LD_PRELOAD": "/x.so", "SOME_API_KEY": "one"}):
        monkeypatch.undo()
        assert fetch_keys(place) == {"SOME_API_KEY": "one"}


def test_another_users_socket_gives_no_keys(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served_keys(place, ENVIRONMENT):
        monkeypatch.setattr("underspec.run.cluster.keys._peer_user", lambda connection: os.getuid() + 1)
        with pytest.raises(EnvironmentLacksError, match="another user"):
            fetch_keys(place)


def test_a_file_in_the_sockets_place_stays(place: Path) -> None:
    place.parent.mkdir(mode=0o700)
    place.write_text("precious")
    with pytest.raises(UsageError, match="something else lies there"), served_keys(place, ENVIRONMENT):
        pass
    assert place.read_text() == "precious"


@pytest.mark.parametrize("wrong", ["x" * 200 + "/keys.sock", "file/keys.sock"])
def test_a_place_where_no_socket_can_be_is_named(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError), served_keys(tmp_path / wrong, ENVIRONMENT):
        pass
