"""One command: what goes in, what comes out, and how its end is told."""

from __future__ import annotations

import asyncio
import signal

from underspec.sandbox.conformance.expect import bash, equal, expect, output, started
from underspec.sandbox.protocol import SandboxBackend

_EVERY_BYTE = bytes(range(256)) * 300


async def bytes_pass_unchanged(backend: SandboxBackend) -> None:
    """Every byte passes unchanged through stdin, stdout and stderr."""
    async with started(backend) as sandbox:
        result = await bash(sandbox, "tee /dev/stderr", stdin=_EVERY_BYTE)
        expect(result.ok, result.exit_code)
        expect(result.stdout == _EVERY_BYTE, f"{len(result.stdout)} bytes on stdout")
        expect(result.stderr == _EVERY_BYTE, f"{len(result.stderr)} bytes on stderr")


async def split_characters_stay_whole(backend: SandboxBackend) -> None:
    """A character written in two pieces is not changed, and each piece is shown when it comes."""
    async with started(backend) as sandbox:
        seen: list[bytes] = []
        script = r"printf '\xe2\x82'; sleep 0.2; printf '\xac'"
        result = await bash(sandbox, script, on_stdout=seen.append)
        equal(result.stdout, "€".encode())
        equal(seen, [b"\xe2\x82", b"\xac"])


async def ends_are_told_apart(backend: SandboxBackend) -> None:
    """Exit codes, signals, and programs that cannot be run are told apart."""
    async with started(backend) as sandbox:
        equal((await bash(sandbox, "exit 37")).exit_code, 37)
        killed = await bash(sandbox, "kill -TERM $$")
        equal((killed.exit_code, killed.signal, killed.limit), (None, signal.SIGTERM, None))
        pretended = await bash(sandbox, "exit 143")
        equal((pretended.exit_code, pretended.signal), (143, None))
        equal((await sandbox.exec(["no-such-program"])).exit_code, 127)
        equal((await sandbox.exec(["/etc/passwd"])).exit_code, 126)
        equal((await sandbox.exec(["true"], cwd="/nowhere")).exit_code, 127)


async def the_environment_is_what_was_given(backend: SandboxBackend) -> None:
    """A command sees PATH, HOME, LANG and what it was given, and no more; it runs as root in its folder."""
    async with started(backend, env={"FROM_SPEC": "1", "BOTH": "spec"}) as sandbox:
        said = await sandbox.exec(["env", "-0"], env={"BOTH": "exec", "odd": "a\nb=ü"})
        seen = dict(part.split("=", 1) for part in said.stdout.decode().split("\0") if part)
        expect("/usr/bin" in seen.pop("PATH", "").split(":"), said.stdout)
        equal(seen, {"HOME": "/root", "LANG": "C.UTF-8", "FROM_SPEC": "1", "BOTH": "exec", "odd": "a\nb=ü"})
        equal(await output(sandbox, "pwd; id -u; id -g; umask; hostname"), "/workspace\n0\n0\n0022\nsandbox\n")


async def input_that_is_not_read_does_no_harm(backend: SandboxBackend) -> None:
    """Large input that a command does not read neither hangs nor fails."""
    async with started(backend) as sandbox:
        equal((await bash(sandbox, "head -c 3", stdin=b"x" * 4_000_000)).stdout, b"xxx")
        expect((await bash(sandbox, "true", stdin=b"x" * 4_000_000)).ok, "failed")


async def large_arguments_arrive(backend: SandboxBackend) -> None:
    """Arguments and environments of 100,000 bytes arrive whole."""
    async with started(backend) as sandbox:
        argument = "ä" * 60_000
        result = await sandbox.exec(["printf", "%s", argument], env={"BIG": "y" * 100_000})
        expect(result.stdout.decode() == argument, (result.exit_code, len(result.stdout), result.stderr[:200]))


async def background_servers_live_on(backend: SandboxBackend) -> None:
    """A command returns although its background process holds its output; that one goes on, and serves others."""
    async with started(backend) as sandbox:
        result = await bash(sandbox, "cd /tmp && echo served > page && python3 -m http.server 8000 & echo early")
        equal((result.ok, result.stdout), (True, b"early\n"))
        expect(result.seconds < 5, result.seconds)
        ask = "for i in $(seq 100); do exec 3<>/dev/tcp/127.0.0.1/8000 && break; sleep 0.05; done 2>/dev/null; "
        for _ in range(3):
            page = await output(sandbox, ask + r"printf 'GET /page HTTP/1.0\r\n\r\n' >&3; cat <&3")
            expect(page.endswith("served\n"), page)


async def commands_run_side_by_side(backend: SandboxBackend) -> None:
    """Ten commands at once each get their own output."""
    async with started(backend) as sandbox:
        results = await asyncio.gather(*(bash(sandbox, f"sleep 0.2; echo {number}") for number in range(10)))
        equal([result.stdout for result in results], [f"{number}\n".encode() for number in range(10)])


CHECKS = (
    bytes_pass_unchanged,
    split_characters_stay_whole,
    ends_are_told_apart,
    the_environment_is_what_was_given,
    input_that_is_not_read_does_no_harm,
    large_arguments_arrive,
    background_servers_live_on,
    commands_run_side_by_side,
)
