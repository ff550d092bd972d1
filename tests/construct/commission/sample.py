"""An invented commission: people, data and numbers are made up. Every recorded answer is whole and right."""

from __future__ import annotations

import copy
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from underspec.construct.commission import STAGES
from underspec.construct.project import Project
from underspec.construct.runner import Runner
from underspec.sandbox.backends import load_backend

REQUEST = """# Parking fees

We run a small car park, Brimstow Parking. Our gate writes a CSV with a number plate and the minutes that a car stayed.
Please write us a little program that prints what each car has to pay. The first 10 minutes are free.
"""

MESSAGES: list[dict[str, Any]] = [
    {"who": "freelancer", "name": "Ivo Dalbeck", "text": "Hello! I can start tomorrow. How is the fee reckoned?"},
    {
        "who": "client",
        "name": "Maud Finnery",
        "text": "Every started half hour costs 120 cents, counted from the moment of entry. "
        "And please make it 15 minutes free, not 10; the board at the gate says 15.",
    },
    {"who": "freelancer", "name": "Ivo Dalbeck", "text": "Fine. Shall nobody pay more than 1800 cents for one stay?"},
    {
        "who": "client",
        "name": "Maud Finnery",
        "text": "Yes, exactly, 1800 at most. Write me at maud@brimstow-parking.com.",
    },
    {"who": "freelancer", "name": "Ivo Dalbeck", "text": "I could also make a PDF for each car, with your logo."},
    {
        "who": "client",
        "name": "Maud Finnery",
        "text": "On quiet nights the file has only its header. Then it should print nothing, that is no error. "
        "If a line makes no sense, print no fees at all and end with code 3. The milestone is paid on Friday.",
    },
    {"who": "freelancer", "name": "Ivo Dalbeck", "text": "Understood. I reach you under +44 161 555 2368 then."},
    {"who": "client", "name": "Maud Finnery", "text": "Good. The export comes from our gate system, as in stays.csv."},
]

JOB = """title = "Parking fees"
payment = 4200.0
currency = "USD"
names = ["Brimstow Parking"]

[[milestones]]
title = "All of it"
amount = 4200.0
"""

STAYS = "plate,minutes\nBX 51 ABC,12\nLK 07 ZZT,46\n"
LICENSE = "Copyright (c) 2019 Maud Finnery\nPermission is hereby granted to keep this notice.\n"


def png(text: str = "") -> bytes:
    """A picture of one pixel, with a text that says who made it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    said = chunk(b"tEXt", b"Author\0" + text.encode()) if text else b""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + said + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def docx(author: str, words: str) -> bytes:
    """A document with an author in its properties."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "docProps/core.xml", f"<cp:coreProperties><dc:creator>{author}</dc:creator></cp:coreProperties>"
        )
        archive.writestr("word/document.xml", f"<w:document><w:t>{words}</w:t></w:document>")
    return made.getvalue()


def write_source(folder: Path, **changed: Any) -> Path:
    """The source folder. ``request``, ``messages``, ``job`` replace a part; ``materials`` adds files."""
    (folder / "materials").mkdir(parents=True)
    (folder / "request.md").write_text(changed.get("request", REQUEST))
    messages = changed.get("messages", MESSAGES)
    (folder / "conversation.json").write_text(json.dumps({"messages": messages}))
    (folder / "job.toml").write_text(changed.get("job", JOB))
    files: Mapping[str, str | bytes] = {
        "stays.csv": STAYS,
        "LICENSE.txt": LICENSE,
        "gate.png": png("Maud Finnery"),
        "rules.docx": docx("Maud Finnery", "The board of Brimstow Parking says 15."),
        **changed.get("materials", {}),
    }
    for name, content in files.items():
        (folder / "materials" / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def _quote(message: int, words: str) -> dict[str, Any]:
    return {"message": message, "words": words}


def _yes(why: str, message: int, words: str) -> dict[str, Any]:
    return {"holds": True, "why": why, "quotes": [_quote(message, words)]}


INTERFACE = """# Delivery interface

## Invocation

`python3 fees.py FILE`

## Inputs

FILE is a CSV with the header `plate,minutes`; minutes are whole numbers.

## Outputs

One line for each car that pays, in the order of the file: plate, a space, cents, and a line feed. On an error: nothing
on standard output, one line on standard error.
"""

TESTS = '''"""What cars have to pay."""

HEAD = "plate,minutes\\n"


def fees(delivery, rows):
    done = delivery.run("python3", "fees.py", "in.csv", files={"in.csv": HEAD + rows})
    assert done.exit_code == 0, done
    return done.text


def test_ru_001_a_short_stay_is_free_and_then_all_of_it_counts(delivery):
    assert fees(delivery, "A,15\\nB,16\\nC,31\\n") == "B 120\\nC 240\\n"


def test_ru_002_nobody_pays_more_than_the_most(delivery):
    assert fees(delivery, "A,100000\\n") == "A 1800\\n"


def test_ru_003_a_quiet_night_is_no_error(delivery):
    assert fees(delivery, "") == ""


def test_ru_003_a_line_without_sense_is_one(delivery):
    done = delivery.run("python3", "fees.py", "in.csv", files={"in.csv": HEAD + "A,40\\nB,soon\\n"})
    assert (done.exit_code, done.stdout) == (3, b""), done
'''

REFERENCE = """import csv
import sys

FREE, STEP, PRICE, MOST = 15, 30, 120, 1800


def fee(minutes):
    return 0 if minutes <= FREE else min(MOST, -(-minutes // STEP) * PRICE)


def main():
    try:
        with open(sys.argv[1], newline="") as stream:
            rows = [(row["plate"], fee(int(row["minutes"]))) for row in csv.DictReader(stream)]
    except (OSError, KeyError, ValueError, TypeError) as problem:
        print(type(problem).__name__, file=sys.stderr)
        return 3
    for plate, cents in rows:
        if cents:
            print(plate, cents)
    return 0


sys.exit(main())
"""

EQUIVALENT = """import pathlib
import sys

lines = pathlib.Path(sys.argv[1]).read_text().splitlines()[1:]
out = []
for line in lines:
    plate, _, text = line.rpartition(",")
    if not text.strip().isdigit():
        sys.exit(print("no number", file=sys.stderr) or 3)
    left, cents = int(text), 0
    if left > 15:
        while left > 0 and cents < 1800:
            left -= 30
            cents += 120
        out.append(f"{plate} {cents}\\n")
sys.stdout.write("".join(out))
"""

_VARIANTS = {
    "reference": REFERENCE,
    "equivalent": EQUIVALENT,
    "incorrect-RU-001": REFERENCE.replace("FREE, STEP, PRICE, MOST = 15", "FREE, STEP, PRICE, MOST = 10"),
    "incorrect-RU-002": REFERENCE.replace("120, 1800", "120, 10**9"),
    "incorrect-RU-003": REFERENCE.replace("    for plate", "    if not rows:\n        return 3\n    for plate"),
}

ANSWERS: dict[str, dict[str, Any]] = {
    "screen": {
        "new_software": _yes("a new program", 0, "Please write us a little program"),
        "reproducible_locally": _yes("it reads a file", 0, "Our gate writes a CSV"),
        "testable": _yes("it prints", 0, "prints what each car has to pay"),
        "incomplete": _yes("the fee is told later", 2, "Every started half hour costs 120 cents"),
    },
    "scrub": {"names": ["Brimstow Parking", "Maud Finnery", "Ivo Dalbeck", "Brimstow"]},
    "extract": {
        "title": "Parking fees",
        "requirements": [
            {
                "id": "R-01",
                "text": "A stay of up to 15 minutes is free. "
                "Longer ones cost 120 cents for each started half hour since entry.",
                "stated": "explicit",
                "quotes": [
                    _quote(2, "Every started half hour costs 120 cents, counted from the moment of entry."),
                    _quote(2, "please make it 15 minutes free, not 10"),
                ],
                "superseded": [{"quote": _quote(0, "The first 10 minutes are free."), "was": "10 minutes were free"}],
            },
            {
                "id": "R-02",
                "text": "Nobody pays more than 1800 cents for one stay.",
                "stated": "explicit",
                "quotes": [_quote(3, "Shall nobody pay more than 1800 cents for one stay?")],
                "confirmed_by": _quote(4, "Yes, exactly, 1800 at most."),
            },
            {
                "id": "R-03",
                "text": "A file with a header alone prints nothing and is no error. "
                "A line that makes no sense prints no fees at all and ends with code 3.",
                "stated": "explicit",
                "quotes": [_quote(6, "Then it should print nothing, that is no error.")],
            },
            {
                "id": "R-04",
                "text": "Stays come as a CSV with a plate and minutes.",
                "stated": "explicit",
                "quotes": [_quote(8, "The export comes from our gate system")],
                "depends_on": ["the gate system"],
            },
        ],
        "left_out": [{"quote": _quote(5, "I could also make a PDF for each car"), "was": "nobody said yes"}],
    },
    "units": {
        "question": "What must the delivered software do about {topic}?",
        "units": [
            {
                "id": "RU-001",
                "topic": "short stays, and how longer ones are charged",
                "answer": "Up to 15 minutes are free; "
                "a longer stay costs 120 cents for each started half hour since entry.",
                "initially_hidden": True,
                "requirements": ["R-01"],
            },
            {
                "id": "RU-002",
                "topic": "very long stays",
                "answer": "One stay costs 1800 cents at most.",
                "initially_hidden": True,
                "requirements": ["R-02"],
            },
            {
                "id": "RU-003",
                "topic": "nights without cars, and lines that make no sense",
                "answer": "A header alone prints nothing and is fine. A line without sense: no output, exit code 3.",
                "initially_hidden": True,
                "requirements": ["R-03"],
            },
        ],
        "background": ["R-04"],
        "initial": "# Parking fees\n\nOur gate writes a CSV of stays. Please print what each car has to pay.\n",
    },
    "interface": {
        "interface": INTERFACE,
        "fakes": [{"dependency": "the gate system", "fake": "a CSV file", "how": "its path is the argument"}],
        "workspace": [{"path": "README.md", "text": "# Parking fees\n\n`stays.csv` is one night.\n"}],
        "materials": ["stays.csv"],
    },
    "drafts": {
        "files": [
            {"path": "acceptance/test_fees.py", "text": TESTS},
            *({"path": f"variants/{name}/fees.py", "text": text} for name, text in _VARIANTS.items()),
        ],
        "remove": [],
    },
}


def answers(**changes: Any) -> dict[str, dict[str, Any]]:
    """The recorded answers, each changed by a function of its document."""
    made = copy.deepcopy(ANSWERS)
    for stage, change in changes.items():
        change(made[stage])
    return made


def runner(folder: Path, recorded: Mapping[str, Any], source: Path | None = None, **fields: Any) -> Runner:
    """A construction whose models say what is recorded; of a list, the first that fits the prompt."""
    source = source or write_source(folder / "source")
    scripts = {}
    for stage, said in recorded.items():
        script = folder / f"{stage}.jsonl"
        turns = said if isinstance(said, list) else [said]
        script.write_text("".join(json.dumps(_turn(each)) + "\n" for each in turns))
        scripts[stage] = f"scripted/{script}"
    settings = {"repairs": 0, **fields}
    project = Project(
        kind="commission",
        task="parking-fees",
        source=str(source),
        out=str(folder / "task"),
        stage_models=scripts,
        **settings,
    )
    return Runner(folder / "work", project, STAGES, lambda: load_backend("bubblewrap"))


def told(what: str, answer: Any) -> dict[str, Any]:
    """An answer that is given when the prompt says ``what``."""
    return {"when": {"last": what}, "text": json.dumps(answer), "repeat": True}


def _turn(said: Any) -> dict[str, Any]:
    return said if isinstance(said, dict) and "when" in said else {"text": json.dumps(said), "repeat": True}


def kinds(made: Runner, stage: str) -> set[str]:
    """Kinds of the errors with which a stage was refused."""
    verdict = made.folder(stage).state().verdict
    return {each.kind for each in verdict.findings if each.severity == "error"} if verdict else set()
