"""Scripts for models that play a builder: ask one question, unpack a finished solution, say that all is done."""

from __future__ import annotations

import base64
import io
import json
import tarfile
from importlib import resources
from pathlib import Path
from typing import Any

ASK = (
    'exec 3<>/dev/tcp/127.0.0.1/8077; body=\'{"question": "Which unit names are allowed?"}\'; '
    "printf 'POST /ask HTTP/1.0\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n%s' "
    '"${#body}" "$body" >&3; cat <&3'
)


def packed(task: str, solution: str) -> str:
    """A bundled solution as a bash command that unpacks it into the workspace."""
    root = resources.files("underspec.agent") / "solutions" / task / solution
    buffer = io.BytesIO()
    with resources.as_file(root) as folder, tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(folder, arcname=".", filter=lambda info: None if "__pycache__" in info.name else info)
    return (
        f"cd /workspace && echo {base64.b64encode(buffer.getvalue()).decode()} | base64 -d | tar xzf - && ls rcb_tests"
    )


def turn(**fields: Any) -> dict[str, Any]:
    return {"usage": {"input": 1000, "output": 50}, **fields}


def shell(command: str, *, tool: str = "shell", argument: str = "command", **fields: Any) -> dict[str, Any]:
    """A turn that runs one command by the agent's own shell tool."""
    call = {"name": tool, "arguments": {argument: command, **fields.pop("arguments", {})}, "like": True}
    return turn(text="Working.", calls=[call], **fields)


def write_script(path: Path, turns: list[dict[str, Any]]) -> str:
    """Write a script; returns the model's name."""
    path.write_text("".join(json.dumps(each) + "\n" for each in turns))
    return f"scripted/{path}"


def builder_script(path: Path, *, task: str = "data-sizes", tool: str = "shell", argument: str = "command") -> str:
    """A builder that asks once, hands over the eager solution and stops."""
    run = {"tool": tool, "argument": argument}
    return write_script(path, [shell(ASK, **run), shell(packed(task, "eager"), **run), turn(text="All is done.")])
