"""One command: what goes in, what comes out, and how its end is told."""

from __future__ import annotations

import asyncio
import signal

import pytest

from tests.sandbox.boxes import bash, in_sandbox, needs_bubblewrap, output, started
from underspec.errors import SandboxGoneError, UsageError
from underspec.sandbox.bubblewrap.sandbox import BubblewrapSandbox

pytestmark = [pytest.mark.sandbox, needs_bubblewrap]

EVERY_BYTE = bytes(range(256)) * 300


@in_sandbox()
async def test_every_byte_passes_unchanged_through_stdin_and_both_outputs(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "tee /dev/stderr", stdin=EVERY_BYTE)
    assert result.ok
    assert result.stdout == EVERY_BYTE
    assert result.stderr == EVERY_BYTE


@in_sandbox()
async def test_a_character_written_in_two_pieces_stays_whole(sandbox: BubblewrapSandbox) -> None:
    seen: list[bytes] = []
    result = await bash(sandbox, r"printf '\xe2\x82'; sleep 0.05; printf '\xac'", on_stdout=seen.append)
    assert result.stdout == "€".encode()
    assert b"".join(seen) == result.stdout
    assert len(seen) == 2


@in_sandbox()
async def test_ends_are_told_apart(sandbox: BubblewrapSandbox) -> None:
    assert (await bash(sandbox, "exit 0")).ok
    assert (await bash(sandbox, "exit 37")).exit_code == 37
    killed = await bash(sandbox, "kill -TERM $$")
    assert (killed.exit_code, killed.signal, killed.limit) == (None, signal.SIGTERM, None)
    # A program that only says what a signal's end looks like has an exit code.
    assert (await bash(sandbox, "exit 143")).signal is None


@in_sandbox()
async def test_what_cannot_be_run_ends_as_a_shell_would_say(sandbox: BubblewrapSandbox) -> None:
    missing = await sandbox.exec(["no-such-program"])
    assert missing.exit_code == 127
    assert b"no-such-program" in missing.stderr
    assert (await sandbox.exec(["/etc/passwd"])).exit_code == 126
    assert (await sandbox.exec(["/etc"])).exit_code == 126
    nowhere = await sandbox.exec(["true"], cwd="/nowhere")
    assert nowhere.exit_code == 127
    assert b"/nowhere" in nowhere.stderr


@in_sandbox()
async def test_a_script_without_an_interpreter_line_is_run_by_the_shell(sandbox: BubblewrapSandbox) -> None:
    await sandbox.put("/workspace/script", b"echo hello $1\n", executable=True)
    assert (await sandbox.exec(["./script", "you"])).stdout == b"hello you\n"


@in_sandbox(env={"FROM_SPEC": "1", "BOTH": "spec"})
async def test_the_environment_holds_what_was_given_and_nothing_else(sandbox: BubblewrapSandbox) -> None:
    said = await sandbox.exec(["env", "-0"], env={"BOTH": "exec", "odd": "a\nb=ü"})
    environment = dict(part.split("=", 1) for part in said.stdout.decode().split("\0") if part)
    assert environment.pop("PATH").split(":")[:3] == ["/usr/local/bin", "/usr/bin", "/bin"]
    assert environment == {"HOME": "/root", "LANG": "C.UTF-8", "FROM_SPEC": "1", "BOTH": "exec", "odd": "a\nb=ü"}


@in_sandbox()
async def test_streams_can_be_reopened_by_name(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin", stdin=b"in\n")
    assert result.stdout == b"out\nin\n"
    assert result.stderr == b"err\n"


@in_sandbox()
async def test_a_command_starts_with_plain_signals_and_no_spare_descriptors(sandbox: BubblewrapSandbox) -> None:
    status = await output(sandbox, "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd | sort | tr '\\n' ' '")
    assert status.split() == ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16, "0", "1", "2", "3"]  # 3 is ls's own
    assert await output(sandbox, "umask; ps -o sid= -p $$ | tr -d ' ' | grep -qx $$ && echo leader") == "0022\nleader\n"


@in_sandbox()
async def test_large_input_that_is_not_read_does_not_hang(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "head -c 3", stdin=b"x" * 4_000_000)
    assert result.stdout == b"xxx"
    assert (await bash(sandbox, "true", stdin=b"x" * 4_000_000)).ok


@in_sandbox()
async def test_large_arguments_arrive(sandbox: BubblewrapSandbox) -> None:
    argument = "ä" * 60_000
    result = await sandbox.exec(["printf", "%s", argument], env={"BIG": "y" * 100_000})
    assert result.stdout.decode() == argument


@in_sandbox()
async def test_an_exec_returns_although_a_background_child_holds_its_output(sandbox: BubblewrapSandbox) -> None:
    result = await bash(sandbox, "(sleep 60; echo late) & echo early")
    assert result.stdout == b"early\n"
    assert result.seconds < 5


@in_sandbox()
async def test_a_background_child_lives_on_and_may_go_on_printing(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "(for i in $(seq 100); do echo $i; sleep 0.01; done; touch /tmp/done) &")
    for _ in range(100):
        if (await bash(sandbox, "test -e /tmp/done")).ok:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the background process was stopped by its own output")


@in_sandbox()
async def test_a_background_server_answers_a_later_command(sandbox: BubblewrapSandbox) -> None:
    await bash(sandbox, "cd /tmp && echo served > page && (setsid python3 -m http.server 8000 >/dev/null 2>&1 &)")
    ask = "for i in $(seq 100); do exec 3<>/dev/tcp/127.0.0.1/8000 && break; sleep 0.05; done 2>/dev/null; "
    ask += r"printf 'GET /page HTTP/1.0\r\n\r\n' >&3; cat <&3"
    assert "served" in await output(sandbox, ask)


@in_sandbox()
async def test_commands_run_side_by_side(sandbox: BubblewrapSandbox) -> None:
    results = await asyncio.gather(*(bash(sandbox, f"sleep 0.2; echo {number}") for number in range(10)))
    assert [result.stdout for result in results] == [f"{number}\n".encode() for number in range(10)]


@in_sandbox()
async def test_an_error_in_a_callback_reaches_the_caller(sandbox: BubblewrapSandbox) -> None:
    def refuse(chunk: bytes) -> None:
        raise RuntimeError("not this")

    with pytest.raises(RuntimeError, match="not this"):
        await bash(sandbox, "echo something", on_stdout=refuse)
    assert (await bash(sandbox, "echo fine")).ok


@in_sandbox()
async def test_what_no_kernel_can_take_is_wrong_use(sandbox: BubblewrapSandbox) -> None:
    for argv in (["echo", "a\0b"], [], [""], ["echo", "\ud800"]):
        with pytest.raises(UsageError):
            await sandbox.exec(argv)
    for env in ({"": "x"}, {"a=b": "x"}, {"a": "\0"}, {"\udfff": "x"}):
        with pytest.raises(UsageError):
            await sandbox.exec(["true"], env=env)
    # A byte that is no UTF-8 is a text that can be passed on, as the file system names it.
    assert (await sandbox.exec(["printf", "%s", "\udcff"])).stdout == b"\xff"


def test_no_command_runs_before_start_or_after_the_end() -> None:
    async def run() -> None:
        async with started() as sandbox:
            await sandbox.kill_all()
            with pytest.raises(SandboxGoneError):
                await sandbox.exec(["true"])
            await sandbox.close()
            with pytest.raises(SandboxGoneError):
                await sandbox.exec(["true"])

    asyncio.run(run())


@in_sandbox()
async def test_a_command_that_runs_when_all_is_killed_is_told_so(sandbox: BubblewrapSandbox) -> None:
    running = asyncio.ensure_future(bash(sandbox, "sleep 60"))
    await asyncio.sleep(0.2)
    await sandbox.kill_all()
    with pytest.raises(SandboxGoneError):
        await running
