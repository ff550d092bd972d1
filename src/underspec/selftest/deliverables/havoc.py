"""Pairs about programs that turn on the sandbox, the host or their own tree (faults 6, 19, 22)."""

from __future__ import annotations

from underspec.selftest.deliverables.pairs import (
    FULL,
    HONEST,
    MEMORY,
    MISSING,
    NOTHING,
    RUN_,
    TIMEOUT,
    Deliverable,
    Pair,
    only,
    run_with,
    runner,
    script,
    sh,
)

_EAT = "python3 -c 'import time; b = [bytearray(2**20) for _ in range({})]; time.sleep(.2)'"
_FILL = 'for d in . /tmp /var/tmp /dev/shm "$HOME"; do dd if=/dev/zero of=$d/fill bs=1M count=500 2>/dev/null; done'
_NONE_LEFT = frozenset({MISSING})

PAIRS: tuple[Pair, ...] = (
    Pair(
        "is a fork bomb",
        Deliverable(script(only("bomb() { bomb | bomb & }; bomb; sleep 1000")), NOTHING, frozenset({MISSING, TIMEOUT})),
        Deliverable(script(sh("for i in $(seq 30); do sleep 0.3 & done; wait")), FULL, frozenset()),
        {"suite_seconds": 1},
    ),
    Pair(
        "eats memory",
        Deliverable(script(only(f"exec {_EAT.format(4000)}")), NOTHING, frozenset({MISSING, MEMORY})),
        Deliverable(script(sh(_EAT.format(100))), FULL, frozenset()),
    ),
    Pair(
        "eats memory beside right outputs",
        Deliverable(script(sh(_EAT.format(4000) + " || true")), FULL, frozenset({MEMORY})),
        HONEST,
    ),
    Pair(
        "fills the disk and keeps it full",
        Deliverable(script(sh(_FILL)), NOTHING, None),
        Deliverable(script(sh("dd if=/dev/zero of=fill bs=1M count=30 2>/dev/null && rm fill")), FULL, frozenset()),
    ),
    Pair(
        "kills whatever it can",
        Deliverable(script(only("kill -9 1; kill -9 -1; kill -9 $PPID; kill -9 $$")), NOTHING, None),
        Deliverable(script(sh("sleep 1000 & kill -9 $!")), FULL, frozenset()),
    ),
    Pair(
        "kills whatever it can after right outputs",
        Deliverable(script(sh("", "kill -9 -1; kill -SEGV $$")), FULL, frozenset({RUN_})),
        Deliverable(script(sh("trap 'exit 0' TERM", "kill $$; sleep 5")), FULL, frozenset()),
    ),
    Pair(
        "turns on the first process of the sandbox",
        Deliverable(
            script(
                only(
                    "for s in TERM INT SEGV STOP KILL; do kill -$s 1; done; echo > /proc/1/mem; cat /proc/1/environ\n"
                    "python3 -c 'import ctypes; c = ctypes.CDLL(None); c.ptrace(16, 1, 0, 0); c.reboot(0xfee1dead)'\n"
                    "umount -l /workspace /proc; unshare -Urm true; echo -1000 > /proc/self/oom_score_adj; exit 0"
                )
            ),
            NOTHING,
            _NONE_LEFT,
        ),
        Deliverable(script(sh("sleep 1000 & kill -STOP $!; kill -CONT $!; kill $!; wait || true")), FULL, frozenset()),
    ),
    Pair(
        "stops everything, itself too",
        Deliverable(script(sh("", "kill -STOP -1; kill -STOP $$")), FULL, frozenset({TIMEOUT})),
        Deliverable(script(sh("exec 0<&- 1>&- 2>&-")), FULL, frozenset()),
        {"suite_seconds": 1},
    ),
    Pair(
        "swaps the folder of outputs for a link, over and over",
        Deliverable(
            script(only("cd rcb_tests/stdout; (while :; do mv $2 x; ln -s /etc $2; rm $2; mv x $2; done) & sleep 0.1")),
            NOTHING,
            _NONE_LEFT,
        ),
        HONEST,
    ),
    Pair(
        "takes all rights from its tree after right outputs",
        Deliverable(script(sh("", "chmod -R 000 . ; exit 0")), FULL, frozenset()),
        HONEST,
    ),
    Pair(
        "deletes its outputs and everything else",
        Deliverable(script(sh("", 'rm -rf rcb_tests "$PWD"/* ; exit 0')), NOTHING, _NONE_LEFT),
        Deliverable(script(sh("", 'rm -rf rcb_tests/test.sh rcb_tests/"$2" app.py run.py; exit 0')), FULL, frozenset()),
    ),
    Pair(
        "moves its outputs away and links back to them",
        Deliverable(script(sh("", "mv rcb_tests/stdout /tmp/s; ln -s /tmp/s rcb_tests/stdout")), NOTHING, _NONE_LEFT),
        Deliverable(
            script(sh("mv rcb_tests/stdout /tmp/s", "mkdir rcb_tests/stdout; cp -r /tmp/s/* rcb_tests/stdout/")),
            FULL,
            frozenset(),
        ),
    ),
    Pair(
        "moves its tests away and links back to them",
        Deliverable(script(sh("", "mv rcb_tests other; ln -s other rcb_tests")), NOTHING, _NONE_LEFT),
        Deliverable(
            script(sh("mv rcb_tests other; ln -s other rcb_tests", "rm rcb_tests; mv other rcb_tests")),
            FULL,
            frozenset(),
        ),
    ),
    Pair(
        "links one suite's outputs to a folder beside it",
        Deliverable(script(sh("", 'cd rcb_tests/stdout && mv "$2" real && ln -s real "$2"')), NOTHING, _NONE_LEFT),
        Deliverable(script(sh('ln -s stdout rcb_tests/link; ls rcb_tests/link/"$2"')), FULL, frozenset()),
    ),
    Pair(
        "prints three hundred megabytes and fails",
        Deliverable(script(only("yes | head -c 300000000; exit 1")), NOTHING, None),
        Deliverable(script(sh("yes | head -c 300000000; yes | head -c 20000000 >&2")), FULL, None),
    ),
    Pair(
        "leaves thousands of outputs of no case",
        Deliverable(
            runner(
                run_with(
                    at_end="[open(f'rcb_tests/stdout/{sys.argv[1]}/zz@{n}.txt', 'w').close() for n in range(5000)]"
                )
            ),
            FULL,
            frozenset(),
        ),
        HONEST,
    ),
)
