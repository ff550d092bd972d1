"""The process in which hostile text meets a parser: one request a line on stdin, one answer a line on stdout.

A parser is C code. Whatever a file makes it do ends this process at most: the memory is limited, and each file's
processor time. Run as ``python -m``; imports nothing heavy.
"""

from __future__ import annotations

import json
import resource
import signal
import sys

from underspec.grade.structure.limits import MAX_ANSWER, MAX_MEMORY
from underspec.grade.structure.source import read_source


def main() -> None:
    """Answer until stdin ends. The one argument is the processor time that a file may take, in seconds."""
    seconds = float(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides; Ctrl-C reaches the whole group
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        path, grammar, query = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            answer = read_source(path, grammar, query)
        except MemoryError:
            answer = {"excluded": "unparsed", "why": "it takes too much memory"}
        signal.setitimer(signal.ITIMER_PROF, 0)
        line = json.dumps(answer).encode()
        if len(line) > MAX_ANSWER:
            line = json.dumps({"excluded": "unparsed", "why": "it defines more than can be compared"}).encode()
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
