"""Unpacks a tar stream from stdin as root, confined to the folder that is its one argument.

The folder becomes this process's root before anything is read, so that no link in the stream leads out of it. Devices,
pipes and sockets are left out: a sandbox brings its own.
"""

from __future__ import annotations

import os
import sys
import tarfile


def main() -> None:
    """Confine, then unpack."""
    os.umask(0)
    os.chroot(sys.argv[1])
    os.chdir("/")
    with tarfile.open(fileobj=sys.stdin.buffer, mode="r|", errorlevel=1) as stream:
        for member in stream:
            if member.isreg() or member.isdir() or member.issym() or member.islnk():
                member.name = member.name.lstrip("/") or "."
                stream.extract(member, "/", numeric_owner=True, filter="fully_trusted")
    while sys.stdin.buffer.read(1 << 20):
        pass


if __name__ == "__main__":
    main()
