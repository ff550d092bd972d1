"""The open points of the request, as they were answered or assumed."""

import json
from pathlib import Path

_FILE = Path(__file__).resolve().parent.parent / "settings.json"
_SETTINGS = json.loads(_FILE.read_text(encoding="utf-8"))


def setting(name):
    """The setting ``group.name``; a KeyError means a slip in this program."""
    group, leaf = name.split(".")
    return _SETTINGS[group][leaf]


def told(name):
    return setting(name) == "told"
