"""Answers the cases of one folder."""

import json
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))

from clubrules.requests import answer  # noqa: E402

out = here / "stdout" / sys.argv[1]
out.mkdir(parents=True, exist_ok=True)
for file in sorted((here / sys.argv[1]).glob("*.json")):
    for number, case in enumerate(json.loads(file.read_bytes())["cases"]):
        (out / f"{file.stem}@{number:03}.txt").write_bytes(answer(json.dumps(case["input"])).encode())
