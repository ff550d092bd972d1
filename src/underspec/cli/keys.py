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
    """Hand this environment's keys to workers of `underspec run --executor ray` on this node, until Ctrl-C.

    Start it on every node in an environment that has the keys, and Ray itself in one that has none: Ray's daemons then
    never see a key. Only processes of the same user are answered.

    Example: ANTHROPIC_API_KEY=... underspec keys
    """
    import os
    import signal

    from underspec.run.cluster.keys import default_socket, handed_out, served_keys

    names = sorted(handed_out(os.environ))
    with served_keys(socket or default_socket(), os.environ) as place:
        typer.echo(f"handing out {', '.join(names) or 'nothing: no key is in this environment'} at {place}", err=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
