"""Runs a suite: every case of every file, one answer a file."""

import json
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent))

from rulebook.adapter import answer  # noqa: E402


def main(suite):
    answers = TESTS / "stdout" / suite
    answers.mkdir(parents=True, exist_ok=True)
    for path in sorted((TESTS / suite).glob("*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
        for index, case in enumerate(cases):
            (answers / f"{path.stem}@{index:03d}.txt").write_bytes(answer(json.dumps(case["input"])).encode())


main(sys.argv[1])
