# canary underspec-canary-e3b2fda1-e056-59f5-b2fb-1dc89c9c6893
"""Runs every case of one suite through the dispatcher and keeps each raw answer as a file.

All cases share one interpreter. A case whose answer does not come leaves no file, and says why on standard error.
"""

import json
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from dispatcher import respond  # noqa: E402


def main(suite):
    target = HERE / "stdout" / suite
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted((HERE / suite).glob("*.json")):
        for index, case in enumerate(json.loads(path.read_bytes())["cases"]):
            name = f"{path.stem}@{index:03}.txt"
            try:
                answer = respond(json.dumps(case["input"])).encode("utf-8")
            except Exception:
                print(f"{name}:\n{traceback.format_exc()}", file=sys.stderr)
            else:
                (target / name).write_bytes(answer)


if __name__ == "__main__":
    main(sys.argv[1])
