# canary underspec-canary-9f7b116c-d8f2-4e2a-85c9-d1fef315f16e
"""Runs every case of one suite through the dispatcher and keeps each raw answer as a file.

All cases share one interpreter, since a fresh one for each would take most of the time.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from dispatcher import respond  # noqa: E402


def main(suite):
    target = HERE / "stdout" / suite
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted((HERE / suite).glob("*.json")):
        for index, case in enumerate(json.loads(path.read_bytes())["cases"]):
            stdout = respond(json.dumps(case["input"]))
            (target / f"{path.stem}@{index:03}.txt").write_bytes(stdout.encode("utf-8"))


if __name__ == "__main__":
    main(sys.argv[1])
