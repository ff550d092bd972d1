"""Asking the stakeholder from inside a sandbox with nothing but bash."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from underspec.errors import AgentError
from underspec.sandbox.protocol import Sandbox

# HTTP/1.0 without keep-alive, so that the end of the stream is the end of the answer; bash's /dev/tcp needs no curl.
_POST = r"""
body=$(cat)
exec 3<>"/dev/tcp/$1/$2" || exit 7
LC_ALL=C
printf 'POST %s HTTP/1.0\r\nHost: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
  "$3" "$1" "$2" "${#body}" "$body" >&3
cat <&3
"""


@dataclass(frozen=True)
class Reply:
    """What came back: the reply, or None with the reason when nothing was answered; and the questions left, None where
    they are not counted."""

    text: str | None
    remaining: int | None
    error: str | None = None


async def ask_inside(sandbox: Sandbox, url: str, question: str, *, request_id: str | None = None) -> Reply:
    """POST one question from inside the sandbox.

    Raises:
        AgentError: the channel could not be reached or did not speak its protocol.
    """
    parts = urlsplit(url)
    payload: dict[str, Any] = {"question": question}
    if request_id is not None:
        payload["request_id"] = request_id
    body = json.dumps(payload, ensure_ascii=True).encode()
    host, port, path = parts.hostname or "127.0.0.1", str(parts.port or 80), parts.path or "/"
    done = await sandbox.exec(["bash", "-c", _POST, "ask", host, port, path], stdin=body, timeout=60)
    if not done.ok:
        raise AgentError(f"the question channel at {url} cannot be reached: exit {done.exit_code}")
    _head, _gap, answer = done.stdout.partition(b"\r\n\r\n")
    try:
        document = json.loads(answer)
        status = document["status"]
        if status["ok"]:
            return Reply(text=str(document["data"]["reply"]), remaining=_count(status))
        return Reply(text=None, remaining=_count(status), error=str(status["error"]))
    except (ValueError, KeyError, TypeError) as error:
        raise AgentError(f"the question channel answered {answer[:200]!r}") from error


def _count(status: dict[str, Any]) -> int | None:
    return int(status["remaining"]) if "remaining" in status else None
