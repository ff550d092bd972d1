"""Runs the cases of one folder."""

import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

respond = importlib.import_module("notes.adapter").respond

target = ROOT / "rcb_tests" / "stdout" / sys.argv[1]
target.mkdir(parents=True, exist_ok=True)
for path in sorted((ROOT / "rcb_tests" / sys.argv[1]).glob("*.json")):
    for index, case in enumerate(json.loads(path.read_bytes())["cases"]):
        (target / f"{path.stem}@{index:03}.txt").write_bytes(respond(json.dumps(case["input"])).encode())
