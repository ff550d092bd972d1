"""What all commands share: how errors leave, how JSON leaves, how asynchronous work is run and interrupted."""

from __future__ import annotations

import errno
import functools
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer

from underspec.errors import UnderspecError, UsageError

if TYPE_CHECKING:
    from underspec.sandbox.protocol import SandboxBackend
    from underspec.stakeholder.router import Router

P = ParamSpec("P")
T = TypeVar("T")

INTERRUPTED = 130
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENAMETOOLONG)

JSON_OPTION = typer.Option(False, "--json", help="Print one JSON document on stdout and nothing else.")
SANDBOX_OPTION = typer.Option("bubblewrap", "--sandbox", help="Sandbox backend.")
RUNS_OPTION = typer.Option("runs", "--runs", help="Folder that holds runs.")


def fail(error: UnderspecError) -> NoReturn:
    """Say what is wrong on stderr and leave with the error's exit code."""
    from underspec.report.terminal import plain

    place = ": ".join(part for part in (error.file, error.where) if part)
    echo_folded(plain(f"error: {place + ': ' if place else ''}{error.message}"), 2, err=True)
    if error.mend:
        echo_folded(plain(f"  mend: {error.mend}"), 4, err=True)
    raise typer.Exit(error.exit_code)


def command(function: Callable[P, T]) -> Callable[P, T]:
    """Turn our errors, and paths that may not be used, into messages and exit codes.

    An interrupt becomes 130, a closed pipe silence.
    """

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        from underspec.artifact.files import host_exhaustion

        try:
            with host_exhaustion(Path.cwd()):
                return function(*args, **kwargs)
        except UnderspecError as error:
            fail(error)
        except KeyboardInterrupt:
            typer.echo("interrupted; the same command goes on from here", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader went away (`| head`): nothing is wrong, but the interpreter must not complain at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            if error.errno not in _NOT_ALLOWED or error.filename is None:
                raise
            mend = "give a folder in which you may read and write"
            fail(UsageError(os.strerror(error.errno), file=str(error.filename), mend=mend))

    return guarded


def ready_backend(name: str) -> SandboxBackend:
    """The backend of that name, once this machine has what it needs.

    Raises:
        UsageError: there is no such backend.
        EnvironmentLacksError: something is missing; says what to install.
    """
    from underspec.errors import EnvironmentLacksError
    from underspec.sandbox.backends import load_backend

    backend = load_backend(name)
    for check in backend.checks():
        if check.required and not check.ok:
            raise EnvironmentLacksError(f"{check.name}: {check.detail}", mend=check.mend)
    return backend


def echo_folded(text: str, indent: int | None = None, *, err: bool = False) -> None:
    """Text for people: on a terminal folded between words, each line under its own start or there; else as it is."""
    if (sys.stderr if err else sys.stdout).isatty():
        import shutil

        from underspec.report.terminal import folded

        text = folded(text, shutil.get_terminal_size().columns, indent)
    typer.echo(text, err=err)


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=True))


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end. SIGTERM is treated like Ctrl-C: everything is closed in order before the process leaves."""
    import asyncio
    import signal

    async def guarded() -> T:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            if task is not None:
                task.cancel()

        loop.add_signal_handler(signal.SIGTERM, stop)
        try:
            return await work
        except asyncio.CancelledError:
            if stopped:
                raise KeyboardInterrupt from None
            raise
        finally:
            loop.remove_signal_handler(signal.SIGTERM)

    return asyncio.run(guarded())


def chosen_router(name: str, model: str) -> Router:
    """The router of that name, with its model where it works with one; an empty ``model`` is none.

    Raises:
        UsageError, EnvironmentLacksError: see :func:`underspec.stakeholder.opened.opened_router`.
    """
    from underspec.model.spec import make_spec
    from underspec.stakeholder.opened import opened_router

    return opened_router(name, model=make_spec(model) if model else None)
