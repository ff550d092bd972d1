"""What was settled with the client."""

import json
from pathlib import Path

SETTINGS = json.loads((Path(__file__).resolve().parent.parent / "settings.json").read_text())


def told(name):
    """Whether the client has said how this is."""
    group, key = name.split(".")
    return SETTINGS[group][key] == "told"
