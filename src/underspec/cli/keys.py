"""``underspec keys``: hand keys of model providers to workers of a cluster on this node."""

from __future__ import annotations

from pathlib import Path

import typer

from underspec.cli.common import command


@command
def keys(
    socket: Path = typer.Option(
        None, "--socket", help="Where workers ask; where they look by themselves when left out."
    ),
) -> None:
    """Hand this environment's keys to workers of `underspec run --executor ray` on this node, until Ctrl-C or SIGTERM.

    Start it on every node in an environment that has the keys, and Ray itself in one that has none: Ray's daemons then
    never see a key. Only processes of the same user are answered.

    Example: ANTHROPIC_API_KEY=... underspec keys
    """
    import os
    import signal

    from underspec.run.cluster.keys import default_socket, handed_out, served_keys

    names = sorted(handed_out(os.environ))
    ends = {signal.SIGINT, signal.SIGTERM}
    # Blocked before there is a socket: a signal that is not ends the process at once, and leaves the socket behind.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        with served_keys(socket or default_socket(), os.environ) as place:
            told = ", ".join(names) or "nothing: no key is in this environment"
            typer.echo(f"handing out {told} at {place}", err=True)
            signal.sigwait(ends)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
