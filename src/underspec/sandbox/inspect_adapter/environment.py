"""An underspec sandbox as Inspect's ``SandboxEnvironment``.

It passes Inspect's own ``util/_sandbox/self_check.py`` but for what is so by design:

- ``test_exec_as_user``: commands run as root inside and as nobody else, since an image's ``/etc`` is read-only and, for
  an ordinary user of the host, there is one id inside. Another user is ``SandboxUserUnsupportedError``.
- ``test_read_file_not_allowed``, ``test_write_text_file_without_permissions`` and
  ``test_write_binary_file_without_permissions``: root inside may read and write whatever its modes say.

``connection`` is not offered: nobody logs in to a sandbox that is being measured. ``timeout_retry`` and ``concurrency``
change nothing: no daemon stands between that could hang, and a sandbox's own limits hold back what runs in it.

A sandbox that died raises :class:`underspec.errors.SandboxGoneError` and not Inspect's ``SandboxUnavailableError``:
that would be told to the model as a tool's error, and a build would go on, paid for, in a sandbox that is no more.
"""

from __future__ import annotations

import errno
import os
import posixpath
from typing import Any, Literal, NoReturn, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from typing_extensions import override

from underspec.errors import AgentError, HarnessError, SandboxError
from underspec.sandbox.inspect_adapter.offers import offered
from underspec.sandbox.protocol import WORKSPACE, Sandbox
from underspec.sandbox.protocol import ExecResult as Ended

METADATA_KEY = "underspec_sandbox"
_ROOT = (None, "root", "0")
_NOT_RUNNABLE, _SIGNALLED = 126, 128
_POLLING_SECONDS = 0.2
_DENIED = b": Permission denied\n"


class CommandTimeoutError(TimeoutError):
    """A command was ended by its time limit. ``truncated_output``, where Inspect looks for it, is what it printed."""

    def __init__(self, message: str, truncated_output: str) -> None:
        super().__init__(message)
        self.truncated_output = truncated_output


@sandboxenv(name="underspec")
class UnderspecSandbox(SandboxEnvironment):
    """A started sandbox. Paths that are not absolute begin at the workspace.

    As a sample's own sandbox, ``sandbox=("underspec", id)`` or ``sandbox="underspec"`` with the id in the sample's
    metadata under ``underspec_sandbox``, it is one that :func:`~.offers.offer` offers.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__()
        self.sandbox = sandbox

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command to its end; what it leaves running runs on.

        Raises:
            TimeoutError: it took longer than ``timeout`` seconds; it and all that it started are dead. Carries what it
                printed as ``truncated_output``.
            PermissionError: the program may not be executed.
            OutputLimitExceededError: it printed more than Inspect's or the sandbox's limit allows.
            SandboxUserUnsupportedError: a user other than root.
            SandboxGoneError: the sandbox was killed or died.
        """
        if user not in _ROOT:
            raise SandboxUserUnsupportedError(f"commands in this sandbox run as root inside, and not as {user!r}")
        ended = await self.sandbox.exec(
            cmd,
            cwd=_absolute(cwd or ""),
            env=env,
            stdin=_encoded(input or b""),
            timeout=timeout,
        )
        said = ended.stdout + ended.stderr
        if ended.limit == "time":
            raise CommandTimeoutError(f"the command took longer than {timeout} seconds", _decoded(said))
        _check_size(ended)
        if ended.exit_code == _NOT_RUNNABLE and ended.stderr.startswith(b"sandbox: ") and said.endswith(_DENIED):
            raise PermissionError(errno.EACCES, _decoded(ended.stderr).strip(), cmd[0])
        code = ended.exit_code if ended.exit_code is not None else _SIGNALLED + (ended.signal or 0)
        return ExecResult(ended.exit_code == 0, code, _decoded(ended.stdout), _decoded(ended.stderr))

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file, with the folders on the way; one that could be executed still can."""
        path = _absolute(file)
        runnable = await self.sandbox.exec(["/bin/sh", "-c", '[ -f "$1" ] && [ -x "$1" ]', "sh", path], cwd="/")
        try:
            await self.sandbox.put(path, _encoded(contents), executable=runnable.ok)
        except (AgentError, SandboxError) as error:
            _raise(error, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a regular file, as UTF-8 when it is wanted as text, with its line ends as they are."""
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        try:
            content = await self.sandbox.get(_absolute(file), max_bytes=most)
        except (AgentError, SandboxError) as error:
            _raise(error, file)
        if len(content) > most:  # it grew meanwhile
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return content.decode("utf-8") if text else content

    @override
    def default_polling_interval(self) -> float:
        """Seconds between looks for requests from inside."""
        return _POLLING_SECONDS

    @override
    @classmethod
    async def sample_init(cls, task_name: str, config: Any, metadata: dict[str, str]) -> dict[str, SandboxEnvironment]:
        """Find the sandbox that the sample names.

        Raises:
            HarnessError: none of that id is offered.
        """
        name = config if isinstance(config, str) and config else metadata.get(METADATA_KEY)
        if not name:
            raise HarnessError(
                "a sample in an underspec sandbox names it",
                mend=f'give sandbox=("underspec", id), or the id in the sample\'s metadata under {METADATA_KEY!r}',
            )
        return {"default": cls(offered(name))}

    @override
    @classmethod
    async def sample_cleanup(
        cls, task_name: str, config: Any, environments: dict[str, SandboxEnvironment], interrupted: bool
    ) -> None:
        """The phase that owns the sandbox removes it."""


def _absolute(path: str) -> str:
    return posixpath.join(WORKSPACE, path).rstrip("/") or "/"


def _encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _decoded(output: bytes) -> str:
    return output.decode("utf-8", "replace")


def _check_size(ended: Ended) -> None:
    most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
    longest = max(len(ended.stdout), len(ended.stderr))
    if ended.limit == "output" or ended.stdout_cut or ended.stderr_cut or longest > most:
        shown = _decoded(ended.stdout[:most] + ended.stderr[:most])
        raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, shown)


def _raise(error: AgentError | SandboxError, file: str) -> NoReturn:
    """What the operating system said about a file, as Python says it; everything else as it is."""
    cause = error.__cause__
    if not isinstance(cause, OSError) or cause.errno is None:
        raise error
    if cause.errno == errno.EFBIG:
        raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None) from error
    raise OSError(cause.errno, os.strerror(cause.errno), file) from error  # of the subclass that belongs to its number
