# canary underspec-canary-729d28ca-4635-5cf9-bfb8-67e175e2d91a
"""The three formats: text in, cues out, and back."""

import json
import re

MINUTE, HOUR = 60_000, 3_600_000
FULL = r"(?:(\d+):)([0-5]\d):([0-5]\d)[,.](\d{3})"
SHORT = r"(?:(\d+):)?([0-5]\d):([0-5]\d)\.(\d{3})"
SUBRIP = re.compile(rf"\s*{FULL}\s*-->\s*{FULL}\s*")
WEBVTT = re.compile(rf"\s*{SHORT}\s*-->\s*{SHORT}(?:\s.*)?")


class Bad(Exception):
    def __init__(self, line, reason):
        super().__init__(reason)
        self.line = line


def format_of(path):
    ending = path.rpartition(".")[2].lower()
    return ending if "." in path and ending in READERS else None


def blocks(text):
    """Groups of lines between blank ones, each line with its number."""
    block = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def milliseconds(hours, minutes, seconds, rest):
    return int(hours or 0) * HOUR + int(minutes) * MINUTE + int(seconds) * 1000 + int(rest)


def cue(block, times, is_title):
    number, line = block.pop(0)
    if "-->" not in line and is_title(line) and block:
        number, line = block.pop(0)
    found = times.fullmatch(line)
    if not found:
        raise Bad(number, "these are no times of a cue")
    start, end = milliseconds(*found.groups()[:4]), milliseconds(*found.groups()[4:])
    if end < start:
        raise Bad(number, "the end is before the start")
    return start, end, "\n".join(text for _, text in block)


def read_subrip(text):
    return [cue(block, SUBRIP, lambda line: line.strip().isdigit()) for block in blocks(text)]


def read_webvtt(text):
    if not text.startswith("WEBVTT"):
        raise Bad(1, "does not begin with WEBVTT")
    found = list(blocks(text))
    kept = [block for block in found[1:] if block[0][1].split()[0] not in ("NOTE", "STYLE", "REGION")]
    return [cue(block, WEBVTT, lambda line: True) for block in kept]


def read_json(text):
    try:
        document = json.loads(text)
    except ValueError as problem:
        raise Bad(getattr(problem, "lineno", 1), "is not JSON") from problem
    try:
        cues = [(cue["start"], cue["end"], cue["text"]) for cue in document["cues"]]
    except (TypeError, KeyError) as problem:
        raise Bad(1, "is no list of cues") from problem
    for start, end, text in cues:
        if type(start) is not int or type(end) is not int or type(text) is not str or not 0 <= start <= end:
            raise Bad(1, "a cue is damaged")
    return cues


def clock(time, point):
    return f"{time // HOUR:02}:{time // MINUTE % 60:02}:{time // 1000 % 60:02}{point}{time % 1000:03}"


def write_subrip(cues):
    return "".join(
        f"{number}\n{clock(start, ',')} --> {clock(end, ',')}\n{text}\n\n"
        for number, (start, end, text) in enumerate(cues, 1)
    )


def write_webvtt(cues):
    return "WEBVTT\n\n" + "".join(
        f"{clock(start, '.')} --> {clock(end, '.')}\n{text}\n\n" for start, end, text in cues
    )


def write_json(cues):
    document = {"cues": [{"start": start, "end": end, "text": text} for start, end, text in cues]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


READERS = {"srt": read_subrip, "vtt": read_webvtt, "json": read_json}
WRITERS = {"srt": write_subrip, "vtt": write_webvtt, "json": write_json}
