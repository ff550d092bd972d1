"""Recorded responses of a model, kept as plain files that people can read, and made into a script for the provider.

A folder holds one folder a stage, each with an ``index.toml``::

    [[turn]]
    stage = "refactor, dispatcher"        # stands in the prompt after "Stage: "; or
    when = "write the complete"           # stands anywhere in it
    files = { "dispatcher.py" = "dispatcher.py" }   # path in the answer = file here; or
    json = "plan.json"                    # the whole document; or
    text = "..."                          # what is said, as it is; or
    writes = { "a.py" = "../a.py" }       # an agent's only turn: path in the workspace = file here
    repeat = true                         # is not used up
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def turns_of(folder: Path) -> list[dict[str, Any]]:
    """Every turn of a folder of recorded responses, stage by stage."""
    turns = []
    for index in sorted(folder.glob("*/index.toml")):
        for turn in tomllib.loads(index.read_text())["turn"]:
            turns += _writing(turn["writes"], index.parent) if "writes" in turn else [_turn(turn, index.parent)]
    return turns


def script_of(folder: Path, into: Path) -> str:
    """Write the script, and give the name of the model that plays it."""
    into.write_text("".join(json.dumps(turn) + "\n" for turn in turns_of(folder)))
    return f"scripted/{into}"


def _writing(files: dict[str, str], folder: Path) -> list[dict[str, Any]]:
    """An agent that writes these files, and then says that it is done."""
    calls = [
        {"name": "write_file", "arguments": {"path": path, "content": (folder / name).read_text()}}
        for path, name in files.items()
    ]
    first = {"when": {"tool": "write_file", "results": 0}, "calls": calls}
    return [first, {"when": {"tool": "write_file"}, "text": "It is built.", "repeat": True}]


def _turn(turn: dict[str, Any], folder: Path) -> dict[str, Any]:
    if "json" in turn:
        text = (folder / turn["json"]).read_text()
        json.loads(text)
    elif "files" in turn:
        files = [{"path": path, "text": (folder / name).read_text()} for path, name in turn["files"].items()]
        text = json.dumps({"files": files, "remove": turn.get("remove", [])})
    else:
        text = turn["text"]
    said = turn["when"] if "when" in turn else f"Stage: {turn['stage']}"
    return {"when": {"anywhere": said}, "text": text, "repeat": turn.get("repeat", False)}
