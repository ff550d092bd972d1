# canary underspec-canary-d1c8963b-d1d2-538e-9dc1-9acbc7415ed6
"""Files in and out: nothing damaged in, nothing overwritten by mistake."""

import os
import tempfile

from workbench import formats


class Damaged(Exception):
    pass


class Exists(Exception):
    pass


def read(path):
    try:
        with open(path, "rb") as stream:
            text = stream.read().decode("utf-8-sig")
    except OSError as problem:
        raise Damaged(f"{path}:1: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise Damaged(f"{path}:1: is not UTF-8") from problem
    try:
        cues = formats.READERS[formats.format_of(path)](text.replace("\r\n", "\n").replace("\r", "\n"))
    except formats.Bad as problem:
        raise Damaged(f"{path}:{problem.line}: {problem}") from problem
    return [cue for cue in cues if cue[2].strip()]


def write(path, cues, force):
    if os.path.lexists(path) and not force:
        raise Exists(f"{path} is there already")
    content = formats.WRITERS[formats.format_of(path)](cues)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
    with open(handle, "w", encoding="utf-8", newline="") as stream:
        stream.write(content)
    os.replace(temporary, path)
