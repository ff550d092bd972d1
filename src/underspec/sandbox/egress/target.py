"""What a request asks the proxy for (RFC 9112, 3.2: absolute form, and authority form for tunnels). Pure."""

from __future__ import annotations

import re

import h11

from underspec.sandbox.egress.lists import HTTP_PORT
from underspec.sandbox.egress.policy import Target

# No user information: whoever sends a password there has it logged by somebody.
_AUTHORITY = r"(?P<host>\[[0-9A-Fa-f:.%a-z_~-]+\]|[^\[\]/?#@:\\]+)(?::(?P<port>[0-9]{1,5}))?"
_TUNNEL = re.compile(_AUTHORITY)
_ABSOLUTE = re.compile(rf"(?i:http)://{_AUTHORITY}(?P<path>[/?].*)?")
_FRAMING = (b"content-length", b"transfer-encoding")


class UnfitError(ValueError):
    """A request that no proxy serves; says why, for the one who sent it."""


def read_target(request: h11.Request) -> Target:
    """Where a request is to go.

    Raises:
        UnfitError: nowhere.
    """
    framing = {name for name, _ in request.headers if name in _FRAMING}
    if len(framing) > 1:
        raise UnfitError("a body has a length or is sent in chunks, not both")
    text = request.target.decode("ascii", "replace")
    if request.method == b"CONNECT":
        if framing:
            raise UnfitError("a request for a tunnel has no body")
        match = _TUNNEL.fullmatch(text)
        if match is None or match["port"] is None:
            raise UnfitError("a tunnel is asked for as CONNECT host:443")
        return Target("https", match["host"], _port(match["port"]))
    match = _ABSOLUTE.fullmatch(text)
    if match is None:
        raise UnfitError("this is a forward proxy: send http:// addresses whole, and ask for https:// by CONNECT")
    path = match["path"] or "/"
    path = path if path.startswith("/") else f"/{path}"
    return Target("http", match["host"], _port(match["port"] or str(HTTP_PORT)), path)


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise UnfitError("there is no such port")
    return port
