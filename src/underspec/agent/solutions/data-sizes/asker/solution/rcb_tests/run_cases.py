"""Feeds each case to the program and keeps what it prints."""

import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from datasize.adapter import respond  # noqa: E402


def main(folder):
    source = os.path.join(ROOT, "rcb_tests", folder)
    target = os.path.join(ROOT, "rcb_tests", "stdout", folder)
    os.makedirs(target, exist_ok=True)
    for name in sorted(os.listdir(source)):
        if not name.endswith(".json"):
            continue
        with open(os.path.join(source, name), encoding="utf-8") as stream:
            cases = json.load(stream)["cases"]
        for index, case in enumerate(cases):
            output = os.path.join(target, "{}@{:03d}.txt".format(name[: -len(".json")], index))
            with open(output, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(respond(json.dumps(case["input"])))


if __name__ == "__main__":
    main(sys.argv[1])
