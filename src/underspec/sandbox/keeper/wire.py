"""Messages between a keeper and its harness: one packet each, with descriptors beside it.

A packet is a dictionary in Python's own ``marshal`` form: both ends are the same interpreter and trust each other, and
``json`` would cost the keeper half of its start. What does not fit a packet travels in a memory file beside it.
"""

from __future__ import annotations

import _socket
import marshal
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_LARGEST_PACKET = 32 * 1024
_DESCRIPTORS = 16
_IN_FILE = b"F"
_HERE = b"H"


def send(line: _socket.socket, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send one message. Raises BlockingIOError on a non-blocking line that is full."""
    data = marshal.dumps(message)
    if len(data) <= _LARGEST_PACKET:
        _send(line, _HERE + data, descriptors)
        return
    memory = os.memfd_create("message", os.MFD_CLOEXEC)
    try:
        with open(memory, "wb", closefd=False) as stream:
            stream.write(data)
        _send(line, _IN_FILE, [memory, *descriptors])
    finally:
        os.close(memory)


def _send(line: _socket.socket, packet: bytes, descriptors: Sequence[int]) -> None:
    numbers = struct.pack(f"{len(descriptors)}i", *descriptors)
    ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)] if descriptors else []
    line.sendmsg([packet], ancillary, _socket.MSG_NOSIGNAL)


def receive(line: _socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message and its descriptors; None when the other end is gone."""
    space = _socket.CMSG_SPACE(_DESCRIPTORS * 4)
    try:
        packet, ancillary, _, _ = line.recvmsg(_LARGEST_PACKET + 1, space, _socket.MSG_CMSG_CLOEXEC)
    except ConnectionResetError:
        return None
    if not packet:
        return None
    descriptors: list[int] = []
    for level, kind, data in ancillary:
        if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
            descriptors += struct.unpack(f"{len(data) // 4}i", data[: len(data) // 4 * 4])
    if packet[:1] == _IN_FILE:
        memory = descriptors.pop(0)
        with open(memory, "rb") as stream:
            stream.seek(0)
            packet = _HERE + stream.read()
    return marshal.loads(packet[1:]), descriptors
