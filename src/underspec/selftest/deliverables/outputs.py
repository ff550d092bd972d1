"""Pairs about outputs: their bytes, names, kinds and sizes (faults 1, 2, 4, 5, 6, 10, 12)."""

from __future__ import annotations

from pathlib import Path

from underspec.selftest.deliverables.pairs import (
    FULL,
    HONEST,
    MISMATCH,
    MISSING,
    NOTHING,
    TIMEOUT,
    Deliverable,
    Pair,
    app,
    less,
    run_with,
    runner,
    script,
    sh,
)
from underspec.selftest.deliverables.toy import APP, honest

_TEXT_MODE = APP.replace(".buffer.write(answer(json.load(sys.stdin)).encode())", ".write(answer(json.load(sys.stdin)))")
_ANSWER = 'request["with"].join(request["parts"])'

# For one case of the suites named, something else than a regular file in place of the output.
_FIRST = 'if file.stem == "add" and index == 0'


def _instead(action: str) -> str:
    return run_with(f"(out / name).unlink(); {action}").replace(
        "            (out / name).unlink();", f"            {_FIRST}: (out / name).unlink();"
    )


_ONE_EACH = less(public=1, native=1, enhanced=1)
_LINKED = (
    "[path.rename(path.with_suffix('.real')) and path.symlink_to({target}) "
    "for path in sorted(pathlib.Path('rcb_tests/stdout', sys.argv[1]).iterdir())]"
)


def _linked(target: str) -> str:
    return run_with(at_end=_LINKED.format(target=target))


def _gone(names: str) -> str:
    return run_with(f"if ({names}): (out / name).unlink()")


PAIRS: tuple[Pair, ...] = (
    Pair(
        "turns CRLF and CR into LF",
        Deliverable(
            app(APP.replace(_ANSWER, f"{_ANSWER}.replace('\\r\\n', '\\n').replace('\\r', '\\n')")), less(native=2)
        ),
        HONEST,
    ),
    Pair(
        "prints invalid UTF-8 where U+FFFD is expected",
        Deliverable(
            runner(
                run_with("(out / name).write_bytes((out / name).read_bytes().replace('\\ufffd'.encode(), b'\\xff'))")
            ),
            less(enhanced=1),
            None,
        ),
        HONEST,
    ),
    Pair(
        "drops a byte order mark",
        Deliverable(app(APP.replace(_ANSWER, f"{_ANSWER}.replace('\\ufeff', '')")), less(enhanced=1)),
        HONEST,
    ),
    Pair(
        "crashes on each first case, so that its first outputs are missing",
        Deliverable(runner(_gone("index == 0 and file.stem == 'add'")), _ONE_EACH, frozenset({MISSING})),
        HONEST,
    ),
    Pair(
        "counts from 1 and crashes on a first case",
        Deliverable(
            runner(_gone("index == 0 and file.stem == 'add'").replace("FIRST, PAD = 0, 3", "FIRST, PAD = 1, 3")),
            _ONE_EACH,
            frozenset({MISSING}),
        ),
        Deliverable(runner(run_with(first=1)), FULL, frozenset()),
    ),
    Pair(
        "writes each output twice, and wrong the second time",
        Deliverable(
            runner(run_with("(out / f'{file.stem}@{index}.txt').write_bytes(b'?')")), NOTHING, frozenset({MISMATCH})
        ),
        Deliverable(runner(run_with(pad=7)), FULL, frozenset()),
    ),
    Pair(
        "writes more outputs than there are cases",
        Deliverable(
            runner(run_with("[(out / f'{file.stem}@{more:03}.txt').write_bytes(b'3\\n') for more in range(50, 99)]")),
            FULL,
            frozenset(),
        ),
        Deliverable(runner(run_with(pad=1)), FULL, frozenset()),
    ),
    Pair(
        "leaves a dangling link as an output",
        Deliverable(runner(_instead("(out / name).symlink_to('/nowhere')")), _ONE_EACH, frozenset({MISSING})),
        HONEST,
    ),
    Pair(
        "leaves a folder as an output",
        Deliverable(runner(_instead("(out / name).mkdir()")), _ONE_EACH, frozenset({MISSING})),
        HONEST,
    ),
    Pair(
        "leaves a pipe as an output",
        Deliverable(runner(_instead("__import__('os').mkfifo(out / name)")), _ONE_EACH, frozenset({MISSING})),
        HONEST,
    ),
    Pair(
        "leaves a socket as an output",
        Deliverable(
            runner(_instead("__import__('socket').socket(1).bind(str(out / name))")), _ONE_EACH, frozenset({MISSING})
        ),
        HONEST,
    ),
    Pair(
        "links all outputs to /etc/passwd",
        Deliverable(runner(_linked("'/etc/passwd'")), NOTHING, frozenset({MISSING})),
        HONEST,
    ),
    Pair(
        "links all outputs to files that hold the right ones",
        Deliverable(runner(_linked("path.with_suffix('.real').name")), NOTHING, frozenset({MISSING})),
        # A hard link is a regular file, and what is in it is the deliverable's own.
        Deliverable(
            runner(_linked("path.with_suffix('.real').name").replace(".symlink_to(", ".hardlink_to(path.parent / ")),
            FULL,
            frozenset(),
        ),
    ),
    Pair(
        "hangs after right outputs",
        Deliverable(script(sh("", "sleep 1000")), FULL, frozenset({TIMEOUT})),
        HONEST,
        {"suite_seconds": 1},
    ),
    Pair(
        "hangs in the middle",
        Deliverable(
            runner(_gone("file.stem == 'join' and (__import__('time').sleep(1000) or True)")),
            {"public": 2, "native": 4, "enhanced": 3},
            None,
        ),
        HONEST,
        {"suite_seconds": 1},
    ),
    Pair(
        "writes an output of a terabyte",
        Deliverable(
            runner(_instead("(out / name).touch(); __import__('os').truncate(out / name, 2**40)")),
            _ONE_EACH,
            frozenset({MISMATCH}),
        ),
        HONEST,
    ),
    Pair(
        "colours its outputs",
        Deliverable(app(APP.replace(_ANSWER, f"'\\x1b[32m' + {_ANSWER}")), less(public=1, native=3, enhanced=3)),
        HONEST,
    ),
)


def sized(root: Path, sizes: tuple[int, ...]) -> Path:
    """Answers the case of index i with so many ``x``, whatever is asked."""
    return honest(
        root,
        run=run_with(f"(out / name).write_bytes(b'x' * {sizes!r}[index])"),
    )
